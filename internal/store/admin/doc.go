// Package admin stores the master data of realms: people, credentials, clients, accounts, policies, limits and providers. Changes of a
// running realm need two administrators; the operator provisions a realm by command.
package admin
