//go:build long

package testutil

const long = true
