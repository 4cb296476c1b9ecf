//go:build !long

package testutil

const long = false
