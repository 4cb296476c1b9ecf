// What each scheme carries unchanged; all else is transliterated by the server.
const outside = {
  sps: /[^\u0020-\u007e\u00a0-\u00ff\u0100-\u017f\u0218-\u021b\u20ac\n]/u,
  epc: /[^a-zA-Z0-9/\-?:().,'+ \n]/u,
};

// What office programs put in by themselves is written as it was typed.
const typography = /[\u2000-\u201f\u2022\u2026\u2028-\u202f\u2032\u2033\u205f-\u2069\u2212\ufeff\u00ad]/gu;

function count(field) {
  const output = document.getElementById(`${field.id}-count`);
  if (!output) return;
  const left = Number(field.dataset.limit) - [...field.value].length;
  const strange = outside[field.dataset.charset]?.exec(field.value.normalize().replace(typography, ""));
  const parts = [left >= 0 ? text("left", left) : text("over", -left)];
  if (strange) parts.push(text("strange", strange[0]));
  output.textContent = parts.join(". ");
  output.classList.toggle("is-over", left < 0);
}

// Grouping waits for the change event: the caret never moves while typing.
function group(field) {
  const compact = field.value.replace(/[\s\u00a0\u202f-]/g, "").toUpperCase();
  if (/^[A-Z]{2}\d{2}[A-Z0-9]{8,30}$/.test(compact)) field.value = compact.replace(/(.{4})(?=.)/g, "$1 ");
}

function prepare(root) {
  findAll("[data-limit]", root).forEach(count);
}

// A form that is being filled in is kept: 2 s after the last change, one at a time, and at once when it is left. Where it becomes a draft
// its address is that of the draft from then on: coming back to it, or loading it again, finds what was typed.
let keeping, typedIn, kept = Promise.resolve();
async function keep(form) {
  if (form === typedIn) typedIn = clearTimeout(keeping);
  if (form.dataset.sent) return;
  try {
    const body = new URLSearchParams(new FormData(form));
    const answer = await fetch(form.dataset.keep, { method: "POST", body, headers: { "HX-Request": "true" }, keepalive: true });
    const place = find(".kept", form);
    if (!answer.ok || !place || !form.isConnected) return;
    place.innerHTML = await answer.text();
    const address = find("[data-address]", place)?.dataset.address;
    if (address) history.replaceState(history.state, "", address);
  } catch {
    // The next change tries again; what is typed stands in the form.
  }
}
function keepNow() {
  if (typedIn) keep(typedIn);
}
window.addEventListener("beforeunload", keepNow);
document.addEventListener("visibilitychange", () => document.hidden && keepNow());
document.addEventListener("htmx:beforeSwap", (event) => event.detail.target.contains(typedIn) && keepNow());

document.addEventListener("input", (event) => {
  if (event.target.dataset?.limit) count(event.target);
  const form = event.target.closest?.("form[data-keep]");
  if (!form) return;
  if (typedIn !== form) keepNow();
  clearTimeout(keeping);
  typedIn = form;
  keeping = setTimeout(() => (kept = kept.then(() => keep(form))), 2000);
});
// In the capture phase: the field is grouped before htmx reads it.
document.addEventListener(
  "change",
  (event) => {
    if (event.target.matches?.("[data-iban]")) group(event.target);
  },
  true,
);
prepare(document);
// A file of many payments is submitted in parts; without a script one goes on by the button.
findAll("form[data-go-on]").forEach((form) => form.requestSubmit());
