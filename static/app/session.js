// Two minutes before the session ends one is told, wherever one is. Every answer of the server begins the time anew, in all tabs, but for
// what a page asks by itself.
const notice = find("#stay");
const born = Date.now();
const tabs = new BroadcastChannel("session");
let used = born, ending, before;
const endOfLife = () => born + Number(notice.dataset.life) * 1000;
const endOfSession = () => Math.min(used + Number(notice.dataset.idle) * 1000, endOfLife());

function say(sentence, link) {
  const line = document.createElement("p");
  line.textContent = sentence;
  if (link) {
    const sign = document.createElement("a");
    Object.assign(sign, { href: "/signin", target: "_blank", textContent: text("signIn") });
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
    const clock = new Date(endOfSession()).toLocaleTimeString("de-CH", { timeZone: "Europe/Zurich", timeStyle: "short" });
    if (notice.hidden) say(text("ends", clock), last);
    ending = setTimeout(watchSession, left + 500);
  } else {
    find("button", notice).hidden = true;
    say(text("ended"), true);
  }
}

function sessionUsed(told) {
  used = Date.now();
  watchSession();
  if (!told) tabs.postMessage("used");
}

if (notice) {
  tabs.addEventListener("message", sessionUsed);
  sessionUsed();
  notice.addEventListener("focusin", (event) => (before = event.relatedTarget ?? before));
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (detail.xhr.status && detail.xhr.status !== 401 && !detail.elt.matches(".flight")) sessionUsed();
  });
  document.addEventListener("visibilitychange", watchSession);
}
