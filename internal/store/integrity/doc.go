// Package integrity seals the audit trail into hash trees and checks the whole database. The signer makes checkpoints in the background;
// `countersign check` reads every row in one snapshot and names each row that does not fit its seal, its constraint or the domain.
package integrity
