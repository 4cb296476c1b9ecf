// Package browsertest drives the whole program with a real Chromium: the demo with its database and clearing simulator, and the demo's
// people in front of the portal. It holds tests only.
//
// The tests run when COUNTERSIGN_BROWSER=1 (`make test` sets it) or CI=true, and then a missing browser, driver or accessibility checker is
// a failure; otherwise they are skipped. COUNTERSIGN_PICTURES=folder (`make pictures` sets it) also takes pictures of the gallery,
// including those of the README. artefacts/ keeps a picture of each page of a failed test, and with COUNTERSIGN_BROWSER_TRACE=1 a trace for
// `npx playwright show-trace`.
package browsertest
