package payment

import (
	"crypto/sha256"
	"time"

	"github.com/google/uuid"

	"countersign/internal/keyring"
)

// Release hands the approved content to clearing. There is at most one for a message.
type Release struct {
	Realm       string
	InternalID  uuid.UUID
	Version     int
	Makers      []uuid.UUID
	Approvers   []uuid.UUID // people, in the order of their approvals; empty when none was needed
	ContentHash Digest
	// Account is the digest of the debtor account as it was at the release; zero for an R-transaction, which debits none.
	Account    Digest
	AcceptedAt time.Time // microseconds count; the database keeps no more
	Seal       keyring.Seal
}

// fields returns the fields of a release's seal: the release, and the identity of its message.
func (r Release) fields(m Message) keyring.Fields {
	f := make(keyring.Fields, 0, 512)
	f.Text("countersign release 2", r.Realm)
	f.ID(r.InternalID)
	f.Text(string(m.GlobalID), string(m.Kind), string(m.Scheme))
	f.Number(int64(r.Version))
	f.List(r.Makers)
	f.List(r.Approvers)
	f.Bytes(r.ContentHash[:])
	f.Bytes(r.Account[:])
	f.Moment(m.CreatedAt)
	f.Moment(r.AcceptedAt)
	return f
}

// release makes the release of the current version from the approvals it has.
func (m Message) release(approvals []Decision, at time.Time, seal Sealer) Release {
	approvers := make([]uuid.UUID, len(approvals))
	for i, d := range approvals {
		approvers[i] = d.PersonID
	}
	r := Release{
		Realm: m.Realm, InternalID: m.InternalID, Version: m.Version, Makers: m.Makers, Approvers: approvers,
		ContentHash: m.ContentHash, Account: m.accountDigest(), AcceptedAt: at,
	}
	r.Seal = seal.releases.Seal(r.fields(m))
	return r
}

// accountDigest returns the digest of the debited account of an instruction, over everything that its pacs.008 says of it; zero for other
// kinds.
func (m Message) accountDigest() Digest {
	if m.Kind != KindInstruction || m.Account == nil {
		return Digest{}
	}
	a := m.Account
	return sha256.Sum256(
		joined("countersign account 1", a.IBAN, string(a.Scheme), a.Currency, a.Holder.Name, a.Holder.Street, a.Holder.Building,
			a.Holder.Postcode, a.Holder.Town, a.Holder.Country, a.AgentBIC, a.AgentIID),
	)
}
