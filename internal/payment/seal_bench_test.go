package payment_test

import (
	"testing"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// BenchmarkCreateAndApprove makes an instruction from an order and approves it, with and without the seals, in one run: the difference is
// what sealing costs.
func BenchmarkCreateAndApprove(b *testing.B) {
	order := benchmarkOrder(b, rulebook.SchemeSIC)
	sealed := sealer(b, 'k')
	for _, c := range []struct {
		name string
		seal payment.Sealer
		on   bool
	}{{"unsealed", payment.Sealer{}, false}, {"sealed", sealed, true}} {
		b.Run(c.name, func(b *testing.B) {
			in := benchmarkInput(rulebook.SchemeSIC, order)
			in.Policy, in.Seal = payment.Policy{ID: uuid.New(), ApprovalsRequired: 1, PendingFor: 1 << 40}, c.seal
			in.InternalID, in.DocumentID, in.GlobalID = uuid.New(), uuid.New(), payment.New("DM", noon, [4]byte{})
			b.ReportAllocs()
			reportCPU(b, func() {
				for b.Loop() {
					created, err := payment.NewInstruction(in)
					if err != nil {
						b.Fatal(err)
					}
					m := created.Message.WithContent(created.Message.Content)
					if c.on { // as the store does: sealed when it is written, checked when it is loaded for the approval
						m.Seal = c.seal.SealVersion(m)
						c.seal.SealKept(auditlog.Kept{Outbound: auditlog.Outbound{Realm: m.Realm, Hash: m.ContentHash}, Direction: "in"})
						m.Withheld = payment.WithheldBy(c.seal.CheckVersion(m))
					}
					_, err = m.Approve(by(checker), payment.ApprovalContext{Today: noon, Seal: c.seal})
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// BenchmarkListed holds a message against its seal, as lists do, and against its content, as pages and decisions do besides.
func BenchmarkListed(b *testing.B) {
	seal := sealer(b, 'k')
	in := benchmarkInput(rulebook.SchemeSIC, benchmarkOrder(b, rulebook.SchemeSIC))
	in.Policy, in.Seal = payment.Policy{ID: uuid.New(), ApprovalsRequired: 1, PendingFor: 1 << 40}, seal
	in.InternalID, in.DocumentID, in.GlobalID = uuid.New(), uuid.New(), payment.New("DM", noon, [4]byte{})
	created, err := payment.NewInstruction(in)
	if err != nil {
		b.Fatal(err)
	}
	m := created.Message.WithContent(created.Message.Content)
	m.Seal = seal.SealVersion(m)
	b.Run("seal", func(b *testing.B) {
		for b.Loop() {
			if seal.CheckVersion(m) != nil {
				b.Fatal("the seal does not fit")
			}
		}
	})
	b.Run("content", func(b *testing.B) {
		for b.Loop() {
			if m.WithContent(m.Content).Difference() != "" {
				b.Fatal("the content does not fit")
			}
		}
	})
}

// BenchmarkVerify holds a released message against its seals and makes its document, as before it is sent.
func BenchmarkVerify(b *testing.B) {
	seal := sealer(b, 'k')
	in := benchmarkInput(rulebook.SchemeSIC, benchmarkOrder(b, rulebook.SchemeSIC))
	in.Policy, in.Seal = payment.Policy{ID: uuid.New()}, seal // released at once
	in.InternalID, in.DocumentID, in.GlobalID = uuid.New(), uuid.New(), payment.New("DM", noon, [4]byte{})
	created, err := payment.NewInstruction(in)
	if err != nil {
		b.Fatal(err)
	}
	released, release := created.Message, *created.Release
	released.Seal = seal.SealVersion(released)
	b.ReportAllocs()
	for b.Loop() {
		_, err := seal.Verify(release, released)
		if err != nil {
			b.Fatal(err)
		}
	}
}
