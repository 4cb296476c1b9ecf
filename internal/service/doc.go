// Package service holds the use cases. The API and the portal call the same functions.
//
//   - Payments creates, validates, amends and withdraws messages.
//   - Approvals approves and rejects them; it never calls clearing.
//   - Administration requests and decides changes of a realm.
//   - PayeeLookup answers verification of payee for other banks.
//   - Service wires these to the store, to clearing and to sign-in for one gateway.
//
// Each use case makes one transaction. A crash before its commit leaves nothing, a crash after it loses nothing.
package service
