// Package auditlog holds the pure part of the proof: audit events, leaves of the hash tree, checkpoints, bundles and their verification,
// and the seals of outbound documents. It reads no database, so a verifier needs nothing of the gateway.
package auditlog
