// Package message stores messages and reads them. Each change of a message writes its state, history row and audit row in one transaction.
// The Reader serves lists, searches and reports, and never writes.

package store
