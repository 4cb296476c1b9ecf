async function copy(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    return announce(text("refused"));
  }
  button.classList.add("is-done");
  announce(button.dataset.copySaid);
  setTimeout(() => button.classList.remove("is-done"), 1600);
}

document.addEventListener("click", (event) => {
  if (event.target.closest("a[data-close]") && !event.ctrlKey && backToRow()) event.preventDefault();
  const copyButton = event.target.closest("[data-copy]");
  if (copyButton) copy(copyButton);
  if (event.target.closest("[data-print]")) print();
  // Its fields open below the screen of a telephone.
  if (event.target.closest("#reject-panel:not([open]) > summary")) setTimeout(openReject);
  if (event.target.closest("[data-shortcut-help]")) find("#shortcut-sheet")?.showModal();
});

// A form is sent once. The button stays enabled, so that it keeps the focus
// and its name and value travel with the form.
document.addEventListener(
  "submit",
  (event) => {
    const form = event.target;
    if (form.method !== "post") return;
    if (form.dataset.sent) {
      event.preventDefault();
      return event.stopImmediatePropagation();
    }
    form.dataset.sent = "yes";
    const button = event.submitter;
    if (!button?.dataset.busy) return;
    button.dataset.label = button.innerHTML;
    Object.assign(button.style, { minHeight: `${button.offsetHeight}px`, minWidth: `${button.offsetWidth}px` });
    button.textContent = button.dataset.busy;
    button.setAttribute("aria-disabled", "true");
  },
  true,
);

function release(form) {
  delete form.dataset.sent;
  for (const button of findAll("[aria-disabled][data-label]", form)) {
    button.innerHTML = button.dataset.label;
    button.removeAttribute("style");
    button.removeAttribute("aria-disabled");
  }
}

document.addEventListener("htmx:afterRequest", ({ target }) => target.matches?.("form") && release(target));
// What a page asks by itself may fail once a second; it is said once while it stands there.
function tellOnce(sentence) {
  if (region?.textContent !== sentence) announce(sentence);
}
document.addEventListener("htmx:sendError", () => tellOnce(text("unreachable")));
document.addEventListener("htmx:responseError", ({ detail }) => tellOnce(text("failed", detail.xhr.status)));
// Coming back by the browser's back button must not find a dead form.
addEventListener("pageshow", (event) => {
  if (event.persisted) findAll("form[data-sent]").forEach(release);
});
