//go:build !linux

// Package slack lets the system wake the program a little late, where that can be said to it.
package slack
