function openReject() {
  const panel = find(".act") && find("#reject-panel");
  if (!panel) return;
  panel.open = true;
  focusOn(find(":checked", panel) || find("[type=radio]", panel));
  panel.scrollIntoView({ block: "nearest" });
}

// Back to the list, at the row one came from.
function backToRow() {
  const row = find('[data-row][aria-current="true"]'), link = row && find("a[data-open]", row);
  if (!link) return false;
  if (!beside()) {
    const close = find("a[data-close]");
    if (!close) return false;
    history.replaceState(history.state, "", close.getAttribute("href"));
    find(".queue")?.classList.add("opened");
  }
  row.scrollIntoView({ block: "nearest" });
  link.focus({ preventScroll: true });
  return true;
}

function closeTopmost() {
  const panel = find("#reject-panel[open]");
  if (panel?.contains(document.activeElement)) {
    panel.open = false;
    focusOn(find("summary", panel));
  } else if (!backToRow()) find("a[data-close]")?.click();
}

const actions = {
  j: () => moveRow(1),
  k: () => moveRow(-1),
  o: () => rowLinks()[Math.max(currentRow(), 0)]?.click(),
  x: () => tick(false),
  X: () => tick(true),
  a: () => onCurrent(() => (find("#looked:not(:checked)") ?? find("#approve"))?.focus({ preventScroll: true })),
  A: () => focusOn(find("#approve-selected")),
  r: () => onCurrent(openReject),
  "/": () => focusOn(find("[data-search]")),
  "?": () => find("#shortcut-sheet")?.showModal(),
  Escape: closeTopmost,
};
const places = { q: "/queue", h: "/", n: "/payments/new", m: "/mine", p: "/payments" };
const reachable = (place) => find(`nav.primary a[href="${place}"]`);
let leader = 0;

const inText = (element) =>
  element.isContentEditable ||
  element.matches("textarea, select, input:not([type=radio], [type=checkbox])");

document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (document.body.dataset.shortcuts !== "on" || find("dialog[open], :popover-open")) return;
  // The first Escape empties the search, the browser's own; the next one leaves it.
  if (event.key === "Escape" && event.target.matches?.("[data-search]") && event.target.value === "") backToRow();
  // Who begins to write a reason before the field has the focus must not approve with an "a" and Enter.
  const rejecting = event.target.closest?.("#reject-panel form");
  if ((inText(event.target) || rejecting) && !(event.key === "Escape" && rejecting)) return;
  if (event.key === "g") return (leader = event.timeStamp);
  const place = leader && event.timeStamp - leader < 1500 && places[event.key];
  leader = 0;
  if (place) return reachable(place) && location.assign(place);
  const action = Object.hasOwn(actions, event.key) && actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

// Ctrl+K opens the palette: Enter goes to the first place that has the text, else it searches the payments.
const palette = find("#palette");
if (palette) {
  const input = find("input", palette);
  const door = find("[data-palette]");
  const narrow = () => {
    for (const place of findAll("a", palette)) place.hidden = !place.textContent.toLowerCase().includes(input.value.trim().toLowerCase());
  };
  const open = (event) => {
    event.preventDefault();
    input.value = "";
    palette.showModal();
    if (find("a", palette)) narrow();
    else htmx.ajax("GET", door.href, { target: palette, swap: "beforeend", select: "#places" }).then(narrow);
  };
  document.addEventListener("keydown", (event) => event.key === "k" && (event.ctrlKey || event.metaKey) && open(event));
  door.addEventListener("click", open);
  input.addEventListener("input", narrow);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") location.assign(`${door.href}?text=${encodeURIComponent(input.value)}`);
  });
}

// Ctrl+Enter sends the form one is writing in, by its first button, or the one form that a page is for.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.repeat) return;
  const form = event.target.form ?? find("form[data-send]");
  if (!form) return;
  event.preventDefault();
  form.requestSubmit(find("[type=submit]", form));
});
