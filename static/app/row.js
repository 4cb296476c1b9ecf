// Rows are ticked to be approved together; with shift all from the one ticked before to the current one.
const ticks = () => findAll("#queue-list td.cell-select input");
const ticked = () => ticks().filter((tick) => tick.checked);
let tickedLast;

function tick(range) {
  const box = rowLinks()[currentRow()]?.closest("[data-row]").querySelector("td.cell-select input");
  if (!box) return;
  const all = ticks(), from = all.indexOf(tickedLast), to = all.indexOf(box);
  if (range && from >= 0) all.slice(Math.min(from, to), Math.max(from, to) + 1).forEach((each) => (each.checked = true));
  else box.checked = !box.checked;
  tickedLast = box;
  announce(text("selected", ticked().length));
  catchUp();
}

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-select-all]")) ticks().forEach((each) => (each.checked = event.target.checked));
  if (event.target.closest(".cell-select")) {
    tickedLast = event.target;
    catchUp();
  }
});

// Nothing moves while rows are ticked: what came meanwhile is shown when none is any more.
let missed = false;

// Rows that changed, and parts of the pane, come along in templates; the page may show some of them.
function changeRows() {
  for (const changed of findAll(".live > template, #pane > template")) {
    const row = changed.content.firstElementChild, shown = document.getElementById(row.id);
    changed.remove();
    if (!shown) continue;
    // The cursor stays where it is, also where what had the focus is there no more: the box of a row that can no longer be ticked, a button.
    const held = shown.contains(document.activeElement), name = document.activeElement.id, was = shown.offsetHeight;
    if (shown.hasAttribute("aria-current")) row.setAttribute("aria-current", "true");
    shown.replaceWith(row);
    // The rows below stay where they are.
    row.style.setProperty("--was", `${was}px`);
    htmx.process(row);
    if (held) (document.getElementById(name) ?? find("a[data-open]", row) ?? find("#detail-title")).focus({ preventScroll: true });
  }
}

// What the live line says: rows that changed, and who else has which message open.
function told() {
  changeRows();
  const present = Object.fromEntries(findAll("[data-present]").map((one) => [one.dataset.present, one.textContent]));
  for (const place of findAll("[data-looked]")) place.textContent = present[place.dataset.looked] ?? "";
  // What is open is not any more as it is shown: it is told beside the decision, and what is being typed stays.
  for (const one of findAll("[data-changed]")) {
    const open = find(`[data-shown="${one.dataset.changed}"]:not([data-as="${one.dataset.as}"]) span`);
    if (open) open.textContent = one.textContent;
  }
}

function catchUp() {
  if (!missed || ticked().length) return;
  missed = false;
  const place = new URL(location.href);
  htmx.ajax("GET", `/queue${place.search}`, { target: "#queue-list", swap: "outerHTML", headers: { "X-Follows": "cursor" } });
}
