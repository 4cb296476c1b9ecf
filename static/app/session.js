// Two minutes before the session ends one is told, wherever one is. Every answer of the server begins the time anew, in all tabs, but for
// what a page asks by itself. New pages tell all tabs their person.
const notice = find("#stay");
const born = Date.now();
const tabs = new BroadcastChannel("person");
let used = born, ending, before, other;
const endOfLife = () => born + notice.dataset.life * 1000;
const endOfSession = () => Math.min(used + notice.dataset.idle * 1000, endOfLife());

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

// The end is told once, by this notice alone.
function sessionEnded() {
  clearTimeout(ending);
  find("button", notice).hidden = true;
  say(text("ended"), true);
}

function watchSession() {
  clearTimeout(ending);
  const left = endOfSession() - Date.now(), last = endOfSession() === endOfLife();
  find("button", notice).hidden = other || last || left <= 0;
  if (other || left <= 0) {
    say(other || text("ended"), !other);
  } else if (left > 120000) {
    if (notice.contains(document.activeElement)) focusOn(before?.isConnected ? before : find("#main"));
    notice.hidden = true;
    ending = setTimeout(watchSession, left - 120000);
  } else {
    const clock = new Date(endOfSession()).toLocaleTimeString("de-CH", { timeZone: "Europe/Zurich", timeStyle: "short" });
    if (notice.hidden) say(text("ends", clock), last);
    ending = setTimeout(watchSession, left + 500);
  }
}

function sessionUsed(told) {
  used = Date.now();
  watchSession();
  if (!told) tabs.postMessage("");
}

if (notice) {
  tabs.onmessage = ({ data }) => {
    if (data) other = data !== person && text("person", data);
    sessionUsed(true);
  };
  tabs.postMessage(person);
  notice.addEventListener("focusin", (event) => (before = event.relatedTarget ?? before));
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (detail.xhr.status === 401) sessionEnded();
    else if (detail.xhr.status && !detail.elt.matches(".flight")) sessionUsed();
  });
  document.addEventListener("visibilitychange", watchSession);
  watchSession();
}
