package service_test

import (
	"testing"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// BenchmarkCreateAndApprove makes and approves payments through both services on a real database. "seals" is what the seals of one such
// payment cost by themselves, in the same run: made with the version and the release, checked when the message is loaded.
func BenchmarkCreateAndApprove(b *testing.B) {
	h := servicetest.New(b)
	maker, checker := h.Person(b, "maker1"), h.Person(b, "checker1")
	var m payment.Message
	b.Run("all", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m = h.Create(b, maker, rulebook.SchemeSIC)
			_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: m.InternalID})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	out, err := h.Messages.Outgoing(ctx, m.Realm, m.InternalID)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("seals", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			seal := h.Seal.SealVersion(out.Message)
			err := h.Seal.CheckVersion(out.Message)
			if err != nil || seal != out.Message.Seal {
				b.Fatal(err)
			}
			_ = h.Seal.SealVersion(out.Message) // as much as the seal of the release
		}
	})
}
