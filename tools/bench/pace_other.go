//go:build !linux

package main

import "time"

var started = time.Now()

// threadTime is the time that has passed: what is measured here is refused elsewhere for want of /proc.
func threadTime() time.Duration { return time.Since(started) }
