// Measures ten screens of the gallery with Lighthouse, on a desk and on a telephone, and fails when a screen misses its limit. Figures of a busy
// machine are worse than the page: a screen that misses is measured up to three times, and its best counts.
//
//   node run.mjs GALLERY CHROMIUM [screen ...]
import { spawn } from "node:child_process";
import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";
import desktop from "lighthouse/core/config/desktop-config.js";

const [program, chromium, ...named] = process.argv.slice(2);
const screens = named.length > 0 ? named : [
  "queue-open", "bulk", "payment", "payment-flying", "payments", "payment-new-refused", "check-duplicate", "dashboard", "mine", "change-waiting",
];
const listen = "127.0.0.1:8098";
const categories = ["performance", "accessibility", "best-practices"];
const bars = {
  desktop: { performance: 100, accessibility: 100, "best-practices": 100, lcp: 300, cls: 0 },
  mobile: { performance: 97, accessibility: 100, "best-practices": 100, cls: 0 },
};
const tries = 3;

async function until(question) {
  for (let i = 0; i < 100; i++) {
    if (await question()) return;
    await new Promise((done) => setTimeout(done, 200));
  }
  throw new Error(`the gallery does not answer at ${listen}`);
}

async function measure(screen, kind, port) {
  const flags = { port, output: "json", logLevel: "error", onlyCategories: categories };
  const { lhr } = await lighthouse(`http://${listen}/en/${screen}`, flags, kind === "desktop" ? desktop : undefined);
  const seen = lhr.audits.metrics.details.items[0];
  const sent = { Script: 0, Stylesheet: 0, Document: 0 };
  for (const one of lhr.audits["network-requests"].details.items) if (one.resourceType in sent) sent[one.resourceType] += one.transferSize;
  const found = Object.fromEntries(categories.map((name) => [name, Math.round(lhr.categories[name].score * 100)]));
  const below = categories.flatMap((name) => lhr.categories[name].auditRefs
    .filter((ref) => ref.weight > 0 && lhr.audits[ref.id].score !== null && lhr.audits[ref.id].score < 0.9).map((ref) => ref.id));
  return { ...found, lcp: Math.round(seen.observedLargestContentfulPaint), cls: lhr.audits["cumulative-layout-shift"].numericValue, sent, below };
}

const misses = (m, bar) => Object.keys(bar).filter((name) => (name === "lcp" || name === "cls" ? m[name] > bar[name] : m[name] < bar[name]));

async function best(screen, kind, port) {
  let found;
  for (let i = 0; i < tries; i++) {
    const next = await measure(screen, kind, port);
    if (!found || misses(next, bars[kind]).length < misses(found, bars[kind]).length) found = next;
    if (misses(found, bars[kind]).length === 0) break;
  }
  return found;
}

const kB = (bytes) => (bytes / 1000).toFixed(1).padStart(5);
const gallery = spawn(program, ["-listen", listen], { stdio: "ignore" });
let chrome, failed = 0;
try {
  await until(() => fetch(`http://${listen}/`).then((answer) => answer.ok, () => false));
  chrome = await launch({ chromePath: chromium, chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
  console.log("screen               on       perf  a11y  best  LCP ms  CLS    HTML    CSS     JS kB");
  for (const screen of screens) {
    for (const kind of ["desktop", "mobile"]) {
      const m = await best(screen, kind, chrome.port);
      const missed = misses(m, bars[kind]);
      failed += missed.length > 0;
      console.log([
        screen.padEnd(20), kind.padEnd(8), ...categories.map((name) => String(m[name]).padStart(4)),
        String(m.lcp).padStart(5), m.cls.toFixed(3), kB(m.sent.Document), kB(m.sent.Stylesheet), kB(m.sent.Script),
        missed.length > 0 ? `below: ${missed.join(", ")} (${m.below.join(", ")})` : "",
      ].join("  "));
    }
  }
} finally {
  if (chrome) await chrome.kill();
  gallery.kill();
}
process.exit(failed > 0 ? 1 : 0);
