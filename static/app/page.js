// Countersign's own script: these files, one after the other, in one function (static/app.go). Everything here is an addition: each form
// and link of the portal works without it.
const find = (selector, root = document) => root.querySelector(selector);
const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];
document.documentElement.classList.add("js");

// What the script says stands in the page, in its language; %s is what the script puts in.
const text = (name, value) => (find("#texts")?.dataset[name] ?? "").replace("%s", value);
const { person } = document.body.dataset;

// One sentence on what just happened: read out, shown, and gone after a while,
// whether the script or an answer of the server has put it there.
const region = find("#status");
let fading;
function fade() {
  clearTimeout(fading);
  fading = setTimeout(() => region?.replaceChildren(), 12000);
}
if (region) new MutationObserver(fade).observe(region, { childList: true, characterData: true, subtree: true });
function announce(sentence) {
  if (region) region.textContent = sentence;
}
fade();

const focusOn = (element) => element?.focus();

// A failed form puts its error summary first; reading starts there.
const named = find(`form [id="${CSS.escape(location.hash.slice(1))}"]:is(input, select, textarea)`);
named?.closest("details")?.setAttribute("open", "");
// So does that of a decision without htmx: at the message that is open now.
focusOn(find('[data-autofocus="page"]') || named || find(".queue:not(.opened) #detail-title"));

// The button that had the focus went away with the swap: without this, focus
// would fall back to the start of the page.
let held;
document.addEventListener("htmx:beforeSwap", (event) => (held = event.detail.target.contains(document.activeElement)));

// A payment under way arrives: what takes the place of the clock, and of what may be done, takes its room too.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target.id !== "payment") return;
  const tall = [".flight", ".actions"].map((one) => find(one, detail.target)?.offsetHeight ?? 0);
  document.addEventListener(
    "htmx:afterSwap",
    () => [".flight-over", ".actions"].forEach((one, i) => find(one, find("#payment"))?.style.setProperty("--was", `${tall[i]}px`)),
    { once: true },
  );
});
document.addEventListener("htmx:afterSettle", (event) => {
  const swapped = event.detail.elt;
  if (!(swapped instanceof Element) || !swapped.isConnected) return;
  changeRows();
  const follows = event.detail.requestConfig?.headers?.["X-Follows"] === "cursor";
  if (!follows && swapped.closest("#pane")) find(".queue")?.classList.remove("opened");
  if (!follows && !ahead()) {
    focusOn(swapped.matches("[data-autofocus]") ? swapped : find('[data-autofocus="page"]', swapped) || find("[data-autofocus]", swapped));
    const open = find("#pane [data-message]");
    if (open) markRow(open.dataset.message, swapped.closest("#pane") !== null);
  }
  if (swapped.id === "queue-list") followList();
  if (held && document.activeElement === document.body) focusOn(find("[data-refocus]", swapped));
  prepare(swapped);
});

// Empty fields of a filter stay out of the address.
document.addEventListener("htmx:configRequest", (event) => {
  const { verb, formData } = event.detail;
  if (verb === "get" && formData) [...formData].forEach(([name, value]) => value === "" && formData.delete(name));
});
