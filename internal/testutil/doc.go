// Package testutil holds helpers for tests: skip rules for machines that lack a program, logs that tests read, and a RabbitMQ broker that
// tests start and kill.
package testutil
