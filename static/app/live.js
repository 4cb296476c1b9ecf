// One queue page of a browser follows the queue, the one that was shown last: over HTTP/1.1 a browser has six connections to a server, and a
// stream takes one. A page that is hidden lets go. A page that begins to follow catches up with what it missed.
const queues = new BroadcastChannel("queue");
let stream, again;

function letGo() {
  clearTimeout(again);
  stream?.close();
  stream = undefined;
}

function followQueue() {
  const place = find(".live");
  if (!place || document.hidden || (stream && stream.place === place)) return;
  letGo();
  queues.postMessage("mine");
  stream = Object.assign(new EventSource(place.dataset.events), { place });
  stream.addEventListener("live", ({ data }) => {
    if (ticked().length) return (missed = true);
    htmx.swap(place, data, { swapStyle: "innerHTML", swapDelay: 0, settleDelay: 0 });
    told();
  });
  // The browser connects again by itself, but not after an answer that is no stream.
  stream.onerror = () => stream?.readyState === EventSource.CLOSED && (again = setTimeout(() => (letGo(), followQueue()), 30000));
}

queues.onmessage = ({ data }) => {
  if (data === "mine") letGo();
  else if (!stream) again = setTimeout(followQueue, Math.random() * 1000);
};
function hide() {
  if (!stream) return;
  letGo();
  queues.postMessage("free");
}
document.addEventListener("visibilitychange", () => (document.hidden ? hide() : followQueue()));
addEventListener("pagehide", hide);
addEventListener("pageshow", followQueue);
addEventListener("focus", followQueue);
document.addEventListener("htmx:afterSettle", followQueue);
document.addEventListener("DOMContentLoaded", followQueue);
