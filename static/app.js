// Countersign's own script. Everything here is an addition: each form and link
// of the portal works without it.
(() => {
  "use strict";

  const find = (selector, root = document) => root.querySelector(selector);
  const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];
  document.documentElement.classList.add("js");

  // What the script says stands in the page, in its language; %s is what the script puts in.
  const text = (name, value) => (find("#texts")?.dataset[name] ?? "").replace("%s", value);

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

  // Focus -------------------------------------------------------------------

  function focusOn(element) {
    if (!element) return;
    element.focus({ preventScroll: false });
  }

  // A failed form puts its error summary first; reading starts there.
  const named = find(`form [id="${CSS.escape(location.hash.slice(1))}"]:is(input, select, textarea)`);
  named?.closest("details")?.setAttribute("open", "");
  focusOn(find('[data-autofocus="page"]') || named);

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
    if (!follows) {
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

  // The pane follows the cursor; reading stays in the list. One row is asked for after the other, and none that was left meanwhile.
  let arriving = { row: "", done: Promise.resolve() };

  function follow(link) {
    clearTimeout(following);
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
    clearTimeout(following);
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

  // Shortcuts ---------------------------------------------------------------

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

  // Rows are ticked to be approved together; with shift all from the one ticked before to the current one.
  const ticks = () => findAll("#queue-list td.cell-select input");
  const ticked = () => ticks().filter((tick) => tick.checked);
  let tickedLast;

  function tick(range) {
    const row = rowLinks()[currentRow()]?.closest("[data-row]"), box = row && find("td.cell-select input", row);
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
  document.addEventListener("htmx:sseBeforeMessage", (event) => {
    if (ticked().length === 0) return;
    event.preventDefault();
    missed = true;
  });

  // Rows that changed come along in templates; the page may show some of them.
  function changeRows() {
    for (const changed of findAll(".live > template, #pane > template")) {
      const row = changed.content.firstElementChild, shown = document.getElementById(row.id);
      changed.remove();
      if (!shown) continue;
      // The cursor stays where it is, also where what had the focus is there no more: the box of a row that can no longer be ticked.
      const held = shown.contains(document.activeElement), name = document.activeElement.id, was = shown.offsetHeight;
      if (shown.hasAttribute("aria-current")) row.setAttribute("aria-current", "true");
      shown.replaceWith(row);
      row.style.setProperty("--was", `${was}px`); // the rows below stay where they are
      htmx.process(row);
      if (held) (find(`[id="${CSS.escape(name)}"]`, row) ?? find("a[data-open]", row))?.focus({ preventScroll: true });
    }
  }

  // What the live line says: rows that changed, and who else has which message open.
  document.addEventListener("htmx:sseMessage", () => {
    changeRows();
    const present = Object.fromEntries(findAll("[data-present]").map((one) => [one.dataset.present, one.textContent]));
    for (const place of findAll("[data-looked]")) place.textContent = present[place.dataset.looked] ?? "";
  });

  function catchUp() {
    if (!missed || ticked().length > 0) return;
    missed = false;
    const place = new URL(location.href);
    htmx.ajax("GET", `/queue${place.search}`, { target: "#queue-list", swap: "outerHTML", headers: { "X-Follows": "cursor" } });
  }

  function openReject() {
    const panel = find("#reject-panel");
    if (!panel) return;
    panel.open = true;
    focusOn(find("input[type=radio]:checked", panel) || find("input[type=radio]", panel));
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
    if (panel && panel.contains(document.activeElement)) {
      panel.open = false;
      focusOn(find("summary", panel));
      return;
    }
    if (!backToRow()) find("a[data-close]")?.click();
  }

  const actions = {
    j: () => moveRow(1),
    k: () => moveRow(-1),
    o: () => rowLinks()[Math.max(currentRow(), 0)]?.click(),
    x: () => tick(false),
    X: () => tick(true),
    a: () => (ticked().length > 0 ? focusOn(find("#approve-selected")) : onCurrent(() => focusOn(find("#approve")))),
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
    element.matches("textarea, select, input:not([type=radio], [type=checkbox], [type=submit], [type=button])");

  document.addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (document.body.dataset.shortcuts !== "on" || find("dialog[open], :popover-open")) return;
    // Who begins to write a reason before the field has the focus must not approve with an "a" and Enter.
    const rejecting = event.target.closest?.("#reject-panel form");
    if ((inText(event.target) || rejecting) && !(event.key === "Escape" && rejecting)) return;
    if (event.key === "g") {
      leader = event.timeStamp;
      return;
    }
    const place = leader && event.timeStamp - leader < 1500 ? places[event.key] : undefined;
    leader = 0;
    if (place) {
      if (reachable(place)) window.location.assign(place);
      return;
    }
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (!action) return;
    event.preventDefault();
    action();
  });

  // Ctrl+Enter sends the form one is writing in: the reject reason.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !event.target.matches("textarea")) return;
    event.target.form?.requestSubmit();
  });

  // Buttons -----------------------------------------------------------------

  async function copy(button) {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
    } catch {
      announce(text("refused"));
      return;
    }
    button.classList.add("is-done");
    announce(button.dataset.copySaid);
    setTimeout(() => button.classList.remove("is-done"), 1600);
  }

  document.addEventListener("click", (event) => {
    if (event.target.closest("a[data-close]") && !event.ctrlKey && backToRow()) event.preventDefault();
    const copyButton = event.target.closest("[data-copy]");
    if (copyButton) copy(copyButton);
    if (event.target.closest("[data-print]")) window.print();
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
        event.stopImmediatePropagation();
        return;
      }
      form.dataset.sent = "yes";
      const button = event.submitter;
      if (!button || !button.dataset.busy) return;
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
      Object.assign(button.style, { minHeight: "", minWidth: "" });
      button.removeAttribute("aria-disabled");
    }
  }

  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.target.matches?.("form")) release(event.target);
  });
  // What a page asks by itself may fail once a second; it is said once while it stands there.
  function tellOnce(sentence) {
    if (region?.textContent !== sentence) announce(sentence);
  }
  document.addEventListener("htmx:sendError", () => tellOnce(text("unreachable")));
  document.addEventListener("htmx:responseError", (event) =>
    tellOnce(text("failed", event.detail.xhr.status)),
  );
  // Coming back by the browser's back button must not find a dead form.
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) findAll("form[data-sent]").forEach(release);
  });

  // Session -----------------------------------------------------------------

  // Two minutes before the session ends one is told, wherever one is. Every answer of the server begins the time anew, in all tabs.
  const notice = find("#stay");
  const born = Date.now();
  const tabs = "BroadcastChannel" in window ? new BroadcastChannel("session") : undefined;
  let used = born, ending, before;
  const endOfLife = () => born + Number(notice.dataset.life) * 1000;
  const endOfSession = () => Math.min(used + Number(notice.dataset.idle) * 1000, endOfLife());

  function say(sentence, link) {
    const line = document.createElement("p");
    line.textContent = sentence;
    if (link) {
      const sign = document.createElement("a");
      Object.assign(sign, { href: "/signin", target: "_blank", rel: "noopener", textContent: text("signIn") });
      line.append(" ", sign);
    }
    find("#stay-says").replaceChildren(line);
    notice.hidden = false;
  }

  function watchSession() {
    clearTimeout(ending);
    const left = endOfSession() - Date.now(), last = endOfLife() <= used + Number(notice.dataset.idle) * 1000;
    if (left > 120000) {
      if (notice.contains(document.activeElement)) focusOn(before?.isConnected ? before : find("#main"));
      notice.hidden = true;
      ending = setTimeout(watchSession, left - 120000);
    } else if (left > 0) {
      find("button", notice).hidden = last;
      if (notice.hidden) say(text("ends", new Date(endOfSession()).toLocaleTimeString("de-CH", { timeStyle: "short" })), last);
      ending = setTimeout(watchSession, left + 500);
    } else {
      find("button", notice).hidden = true;
      say(text("ended"), true);
    }
  }

  function sessionUsed() {
    used = Date.now();
    watchSession();
  }

  if (notice) {
    tabs?.addEventListener("message", sessionUsed);
    tabs?.postMessage("used");
    notice.addEventListener("focusin", (event) => (before = event.relatedTarget ?? before));
    document.addEventListener("htmx:afterRequest", (event) => {
      if (event.detail.xhr.status === 0 || event.detail.xhr.status === 401 || event.detail.elt.matches(".flight")) return;
      sessionUsed();
      tabs?.postMessage("used");
    });
    document.addEventListener("visibilitychange", watchSession);
    watchSession();
  }

  // Fields ------------------------------------------------------------------

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
  fade();
})();
