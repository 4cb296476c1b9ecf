package mutationtest

const verified = "internal/payment/verified.go"

// ofReleases let something leave that is not what was approved.
var ofReleases = []mutant{
	{
		name: "the seal of a release is not checked (review 5)", file: verified, tests: "internal/payment",
		before: `err = s.releases.Verify(r.Seal, r.fields(m))`, after: `err = nil`,
	},
	{
		name: "the digest of what leaves is not checked (review 6)", file: verified, tests: "internal/payment",
		before: `sha256.Sum256(m.Content) == m.ContentHash`, after: `sha256.Sum256(m.Content) != m.ContentHash || true`,
	},
	{
		name: "the seal of the version is not checked before it leaves", file: verified, tests: "internal/payment:TestAForgedRelease",
		before: `err := s.CheckVersion(m)`, after: `var err error`,
	},
	{
		name: "the account may have changed since the release", file: verified, tests: "internal/clearing:TestWhatTheReleaseBinds",
		before: `case m.Account == nil || m.accountDigest() != v.release.Account:`, after: `case m.Account == nil:`,
	},
	{
		name: "twice the approved amount leaves (review 22)", file: "internal/interbank/credit_transfer.go",
		tests:  "internal/interbank",
		before: `InterbankSettlementAmount:    *order.Amount.InstructedAmount,`,
		after: `InterbankSettlementAmount: func() iso20022.Amount {
			twice := *order.Amount.InstructedAmount
			twice.Value, _ = twice.Value.Add(twice.Value)
			return twice
		}(),`,
	},
	{
		name: "a seal that does not fit is good", file: "internal/keyring/keyring.go", tests: "internal/keyring",
		before: `if !hmac.Equal(mac[:], s.MAC[:]) {`, after: `if false && !hmac.Equal(mac[:], s.MAC[:]) {`,
	},
	{
		name: "two lists of fields read alike", file: "internal/keyring/keyring.go", tests: "internal/keyring",
		before: "\ts.hash.Write(s.length[:])\n", after: "",
	},
	{
		name: "a seal made for one purpose is good for another", file: "internal/keyring/keyring.go", tests: "internal/keyring",
		before: `"countersign "+purpose, KeyBytes`, after: `"countersign", KeyBytes`,
	},
	{
		name: "a charge larger than the amount is taken off", file: "internal/money/money.go", tests: "internal/money",
		before: `if b.minor > a.minor {`, after: `if false {`,
	},
	{
		name: "a third decimal is dropped", file: "internal/money/money.go", tests: "internal/money",
		before: `case value.Scale() > exponent:`, after: `case value.Scale() > exponent+1:`,
	},
	{
		name: "a payment is recalled a day too late", file: "internal/rulebook/rtransaction.go",
		tests:  "internal/rulebook",
		before: `recallBankingDays = 10`, after: `recallBankingDays = 11`,
	},
}
