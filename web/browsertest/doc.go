// Package browsertest drives the whole program with a real Chromium: the demo with its database and clearing simulator, and the people
// of the demo in front of the portal. It holds tests only; a package of its own because a browser, its driver and a built program are
// more than any other package's tests need.
//
// The tests run when COUNTERSIGN_BROWSER=1 (`make test` sets it) or CI=true, and then a missing browser, driver or accessibility checker is
// a failure; otherwise they are skipped. COUNTERSIGN_PICTURES=folder (`make pictures` sets it) also takes pictures of the gallery, those of
// the README among them. What a failed test saw is kept in artefacts/: a picture of each page, and with COUNTERSIGN_BROWSER_TRACE=1 a trace
// for `npx playwright show-trace`.
package browsertest
