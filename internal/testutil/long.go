//go:build long

package testutil

// InLongTier says whether the tests are built with -tags long.
const InLongTier = true
