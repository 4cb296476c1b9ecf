// Package testutil holds helpers for tests: skip rules for machines that lack a program, logs that tests read, and a RabbitMQ broker that
// tests start and kill, and a sampler of random documents that match the schemas of ISO 20022.
package testutil
