// One cursor: the current row. The pane shows its message, and keys act on it alone.
function markRow(message, intoView) {
  for (const row of findAll("[data-row]")) {
    if (row.dataset.row !== message) row.removeAttribute("aria-current");
    else {
      row.setAttribute("aria-current", "true");
      if (intoView) row.scrollIntoView({ block: "nearest" });
    }
  }
}

const beside = () => find(".queue-columns") && getComputedStyle(find(".queue-columns")).display === "grid";
const shown = () => find("#pane [data-message]")?.dataset.message;
let following;

// Whether the cursor is ahead of the pane, which is on its way to it.
const ahead = () => following || arriving.row;

// The pane follows the cursor; reading stays in the list. One row is asked for after the other, and none that was left meanwhile.
let arriving = { row: "", done: Promise.resolve() };

function follow(link) {
  following = clearTimeout(following);
  const address = link.getAttribute("href"), next = { row: link.closest("[data-row]").dataset.row };
  history.replaceState(history.state, "", address);
  const load = () => htmx.ajax("GET", address, { source: "#pane", target: "#pane", swap: "innerHTML", headers: { "X-Follows": "cursor" } });
  next.done = arriving.done
    .then(() => arriving === next && load())
    .catch(() => undefined)
    .then(() => (next.row = ""));
  arriving = next;
  return next.done;
}

function cursorTo(link) {
  const row = link.closest("[data-row]");
  markRow(row.dataset.row, true);
  link.focus({ preventScroll: true });
  following = clearTimeout(following);
  if (link.hasAttribute("hx-get") && beside() && shown() !== row.dataset.row) following = setTimeout(() => follow(link), 80);
}

// A list that was narrowed: the pane goes to its first row unless it shows one of them.
function followList() {
  const links = rowLinks();
  if (!beside()) return;
  if (links.some((link) => link.closest("[data-row]").dataset.row === shown())) markRow(shown());
  else if (links.length === 0) find("#pane").replaceChildren();
  else {
    markRow(links[0].closest("[data-row]").dataset.row);
    follow(links[0]);
  }
}

const rowLinks = () => findAll("[data-row] a[data-open]");

function currentRow() {
  const links = rowLinks();
  const focused = links.findIndex((link) => link.closest("[data-row]").contains(document.activeElement));
  if (focused >= 0) return focused;
  const current = links.findIndex((link) => link.closest("[data-row]").getAttribute("aria-current") === "true");
  if (current >= 0) return current;
  // A list that just arrived is marked a moment later: the row that the pane shows is the current one meanwhile.
  return links.findIndex((link) => link.closest("[data-row]").dataset.row === shown());
}

function moveRow(step) {
  const links = rowLinks();
  if (links.length === 0) return;
  cursorTo(links[Math.min(Math.max(currentRow() + step, 0), links.length - 1)]);
}

// What a key does is done to the message under the cursor, never to one that is still shown beside it.
async function onCurrent(act) {
  const link = rowLinks()[currentRow()], row = link?.closest("[data-row]").dataset.row;
  if (row && row !== shown() && beside()) await (arriving.row === row ? arriving.done : follow(link));
  if (!row || row === shown() || !beside()) act();
}

// Who went on to another row while a decision was on its way stays there: the answer changes the list and the counts, and leaves the pane,
// the focus and the address alone. A decision that was refused is shown all the same.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const { verb, elt, headers } = detail.requestConfig, decided = elt.closest("[data-message]")?.dataset.message;
  const current = (beside() && find('[data-row][aria-current="true"]')?.dataset.row) || shown();
  if (verb !== "post" || !decided || current === decided || detail.xhr.status !== 200) return;
  detail.swapOverride = "beforeend";
  detail.selectOverride = "template";
  headers["X-Follows"] = "cursor";
});
document.addEventListener("htmx:beforeHistoryUpdate", ({ detail }) => {
  if (detail.requestConfig.headers["X-Follows"]) detail.history.path = location.href;
});
