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

// A form that is being filled in is kept: 2 s after the last change, one at a time, and at once when it is left. From the first change on its
// address is the one under which it is found again. What was not kept yet when the page went is put in again where it comes back, in this
// window, for the same person, within 30 s.
let keeping, typedIn, kept = Promise.resolve();
function place(form) {
  const { address } = find("[data-address]", form)?.dataset ?? {};
  if (address && !location.href.endsWith(address)) history.replaceState(history.state, "", address);
}
async function keep(form, stays) {
  if (form === typedIn) typedIn = clearTimeout(keeping);
  if (form.dataset.sent) return;
  try {
    const body = new URLSearchParams(new FormData(form));
    const answer = await fetch(form.dataset.keep, { method: "POST", body, headers: { "HX-Request": "true" }, keepalive: true });
    const says = find(".kept", form);
    if (answer.status === 401) sessionEnded();
    else sessionUsed();
    if (!answer.ok || !form.isConnected) return;
    says.innerHTML = await answer.text();
    place(form);
    // A page that is leaving may be asked for before this arrived.
    if (stays && !typedIn) delete sessionStorage.typed;
  } catch {
    // The next change tries again; what is typed stands in the form.
  }
}
function keepNow() {
  if (typedIn) keep(typedIn);
}
addEventListener("beforeunload", keepNow);
document.addEventListener("visibilitychange", () => document.hidden && keepNow());
document.addEventListener("htmx:beforeSwap", (event) => event.detail.target.contains(typedIn) && keepNow());
document.addEventListener("submit", () => delete sessionStorage.typed);

function restore() {
  const [where, keeper, whose, at, typed] = JSON.parse(sessionStorage.typed ?? "[]");
  if (whose !== person || Date.now() - at > 30000) return delete sessionStorage.typed;
  const form = where === location.href && findAll("form[data-keep]").find((one) => one.dataset.keep === keeper);
  if (!form) return;
  const values = new URLSearchParams(typed);
  for (const field of form.elements) {
    const all = values.getAll(field.name);
    if (field.type === "hidden" && field.name !== "form") continue;
    if (/radio|checkbox/.test(field.type)) field.checked = all.includes(field.value);
    else if (all.length && field.value !== all[0]) {
      field.value = all[0];
      field.closest("details")?.setAttribute("open", "");
    }
  }
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

document.addEventListener("input", (event) => {
  if (event.target.dataset?.limit) count(event.target);
  const form = event.target.closest?.("form[data-keep]");
  if (!form) return;
  if (typedIn !== form) keepNow();
  clearTimeout(keeping);
  typedIn = form;
  keeping = setTimeout(() => (kept = kept.then(() => keep(form, true))), 2000);
  place(form);
  sessionStorage.typed = JSON.stringify([location.href, form.dataset.keep, person, Date.now(), `${new URLSearchParams(new FormData(form))}`]);
});
// In the capture phase: the field is grouped before htmx reads it.
document.addEventListener("change", ({ target }) => target.matches?.("[data-iban]") && group(target), true);
prepare(document);

// A file that is chosen or dropped is named. A large picture is made small before it is sent: phones take more than is needed to read a code.
const longest = 2000;
async function reduced(file) {
  const picture = await createImageBitmap(file);
  const scale = longest / Math.max(picture.width, picture.height);
  if (scale >= 1) return file;
  const canvas = Object.assign(document.createElement("canvas"), { width: picture.width * scale, height: picture.height * scale });
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  const content = await new Promise((made) => canvas.toBlob(made, "image/jpeg", 0.85));
  return new File([content], "picture.jpg", { type: content.type });
}
document.addEventListener("change", async ({ target }) => {
  const [file] = (target.type === "file" && target.files) || [];
  if (!file) return;
  const says = find("[data-chosen]", target.form);
  if (says) says.textContent = `${file.name} (${Math.ceil(file.size / 1024)} kB)`;
  for (const other of findAll("input[type=file]", target.form)) if (other !== target) other.value = "";
  if (!file.type.startsWith("image/")) return;
  try {
    const list = new DataTransfer();
    list.items.add(await reduced(file));
    if (target.files[0] === file) target.files = list.files;
  } catch {
    // The server says what it cannot read.
  }
});
// A file of many payments is submitted in parts; without a script one goes on by the button.
findAll("form[data-go-on]").forEach((form) => form.requestSubmit());
// When htmx hears of it.
document.addEventListener("DOMContentLoaded", restore);
