package administration

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/identity"
)

// Factors are the settings of a realm that administrators change: the roles that need a second factor, and the content of e-mails. A user
// with such a role and without a factor enrols one at the next sign-in, before anything else: nobody is locked out.
type Factors struct {
	Realm string          `field:"realm"`
	Roles []identity.Role `field:"secondFactorRoles"`
	// NoticeDetails: e-mails may name amounts and creditors.
	NoticeDetails bool `field:"noticeDetails"`
	// RetentionMonths is the retention in force where it was looked up; "" for none.
	RetentionMonths string `field:"retentionMonths"`
}

// KindRealmReconciled confirms that the payments of the realm were compared with clearing after the database lost rows; they then continue.
const KindRealmReconciled Kind = "realm.reconciled"

// KindRealmDifference explains a difference between a statement of clearing and the payments here. It moves nothing.
const KindRealmDifference Kind = "realm.difference"

// KindRealmRetention sets how many months an ended payment stays in the database before it may leave with an archive. Without one nothing
// leaves.
const KindRealmRetention Kind = "realm.retention"

// KindRealmArchived approves that the rows of an archive leave the database.
const KindRealmArchived Kind = "realm.archived"

// KindRealmErased erases the contents of payments in all archives: names, accounts, purposes and documents. Decisions, amounts and
// digests stay proven.
const KindRealmErased Kind = "realm.erased"

// ArchivedPayment is the state of a payment as Facts.Own has it, by its id, for an erasure.
type ArchivedPayment struct {
	Left, Erased bool
	// LeavesAt is the day from which a payment in the database may leave; zero for one that has not ended or a realm without retention.
	LeavesAt time.Time
}

// maxErased limits the payments of one erasure.
const maxErased = 100

// The limits of the retention, in months. A payment may be recalled, returned and asked about for 13 months.
const (
	minRetention = 13
	maxRetention = 600
)

// KindRealmFactors sets the roles that need a second factor.
const KindRealmFactors Kind = "realm.factors"

// KindRealmNotices sets what e-mails contain.
const KindRealmNotices Kind = "realm.notices"

var realmNoun = Noun{
	Name: "realm", Plural: "realms", Key: "realm",
	Fields: []Field{
		{Key: "realm", Label: "Realm"},
		{
			Key: "secondFactorRoles", Label: "Roles that need a second factor", Type: TypeWords,
			Hint: "If you do not select a role, nobody is asked for a second factor.",
			More: "Roles that now need a second factor: %s", Less: "Roles that no longer need a second factor: %s",
		},
		{
			Key: "noticeDetails", Label: "Amounts and names in e-mails", Type: TypeYesNo,
			More: "E-mails contain amounts and names", Less: "E-mails no longer contain amounts and names",
		},
		{Key: "comparison", Label: "Comparison with clearing"},
		{Key: "difference", Label: "Difference from the clearing statement", Min: 1, Max: maxDifference, Required: true},
		{
			Key: "retentionMonths", Label: "Months before a payment can be archived", Type: TypeNumber, Min: minRetention, Max: maxRetention,
			Hint: "Leave empty to keep payments indefinitely.",
			More: "Longer retention of payments: from %s to %s months", Less: "Shorter retention of payments: from %s to %s months",
		},
		{Key: "archivedMonth", Label: "Archived month", Min: 7, Max: 7, Required: true, Hint: "Year and month, such as 2026-03."},
		{Key: "archiveDigest", Label: "SHA-256 of the archive", Min: 64, Max: 64, Required: true, Hint: "As printed by the command " +
			"“countersign archive”."},
		{
			Key: "erasedPayments", Label: "Internal IDs of the payments", Type: TypeList, Required: true,
			Hint: "Enter up to 100 IDs, separated by commas. Supervisors can find the IDs on the page of a payment and in earlier exports.",
		},
	},
	Actions: []Action{{
		Kind: KindRealmFactors, Fields: []string{"secondFactorRoles"}, Filled: true,
		Label: "Second factors", Heading: "Choose which roles need a second factor",
		Words: "When this change is approved, users with one of these roles and no second factor are signed out. They must set up a second " +
			"factor when they next sign in to the portal. Programs that sign in as one of these users must then send a code each time.",
	}, {
		Kind: KindRealmNotices, Fields: []string{"noticeDetails"}, Filled: true,
		Label: "E-mails", Heading: "Change the content of e-mails",
		Words: "E-mails leave the bank's systems. Without amounts and names, they contain only the reference of the payment and a link.",
	}, {
		Kind: KindRealmReconciled, Label: "Resume payments", Heading: "Confirm that the payments now match the clearing records",
		Words: "Payments are stopped because data was lost from the database. First compare the stored payments with the statement from " +
			"clearing. Then request that payments resume, and state in the note which records you compared. After the request is approved, " +
			"payments can be entered and approved again.",
		NoteMissing: "State which records you compared, such as the clearing statements and their dates.",
	}, {
		Kind: KindRealmDifference, Fields: []string{"difference"}, Label: "Explain the difference",
		Heading: "Explain a difference from the clearing statement",
		Words: "Explain in the note what you found and what you did. After approval, the difference counts as explained. No payment is " +
			"changed.",
		NoteMissing: "Explain in the note what you found and what you did about the difference.",
	}, {
		Kind: KindRealmRetention, Fields: []string{"retentionMonths"}, Clears: []string{"retentionMonths"}, Filled: true,
		Label: "Retention", Heading: "Set how long payments stay in the database",
		Words: "Payments that ended at least this many months ago can be moved from the database to an archive. After this change is " +
			"approved, an operator creates an archive for one month with “countersign archive” and gives you the month and the SHA-256. Two " +
			"administrators then approve the archive. The law may require you to keep payments, or the archives, for longer.",
	}, {
		Kind: KindRealmArchived, Fields: []string{"archivedMonth", "archiveDigest"},
		Label: "Archive", Heading: "Remove archived payments from the database",
		Words: "First, an operator creates the archive with “countersign archive”, verifies it with “countersign audit verify”, stores " +
			"copies in two places, and gives you the month and the SHA-256. After approval, the operator runs “countersign archive --detach”. " +
			"This permanently removes the payments from the database.",
	}, {
		Kind: KindRealmErased, Fields: []string{"erasedPayments"},
		Label: "Erase", Heading: "Erase personal data in archives",
		Words: "You can erase personal data only in payments that were moved to an archive. The data is erased as soon as this change is " +
			"approved. After that, nobody can read the names, accounts, purposes and documents of these payments in any archive. The " +
			"decisions and amounts are kept, and their integrity can still be verified. State in the note which request or law requires the " +
			"erasure. The law might forbid you to erase records before their retention period ends.",
		NoteMissing: "Enter the request or law that requires the personal data to be erased.",
	}},
}

// maxDifference is the longest text of a difference, in characters.
const maxDifference = 400

// The states of the comparison.
const (
	notCompared = "not made since rows were lost"
	compared    = "made"
)

// Values are the fields of the factors.
func (f Factors) Values() Values { return ValuesOf(f) }

// FactorsOf reads the roles from their field. Error: iso20022.FieldError.
func FactorsOf(values Values, prefix string) (Factors, error) {
	f, wanted := &findings{prefix: prefix}, Factors{}
	Fill(&wanted, values)
	if slices.ContainsFunc(wanted.Roles, func(role identity.Role) bool { return !slices.Contains(identity.Roles(), role) }) {
		f.add("secondFactorRoles", codeUnknown, "Choose one or more roles: maker, checker, supervisor or administrator.")
	}
	return wanted, f.err()
}

// Uncompared are the fields of a realm whose payments were not compared with clearing since it lost rows.
func (f Factors) Uncompared() Values { return f.Values().with(Values{"comparison": notCompared}) }

// afterFactors returns the settings of a realm after a change.
func (r Request) afterFactors(known Facts) (Values, error) {
	if r.Kind == KindRealmReconciled {
		return known.Before.with(Values{"comparison": compared}), nil
	}
	if r.Kind == KindRealmDifference {
		f := &findings{prefix: valuesPrefix}
		f.text("difference", r.Values["difference"], 1, maxDifference)
		return known.Before.with(Values{"difference": r.Values["difference"]}), f.err()
	}
	if r.Kind == KindRealmNotices {
		f := &findings{prefix: valuesPrefix}
		details := yes(f.yesNo("noticeDetails", r.Values["noticeDetails"]))
		return known.Before.with(Values{"noticeDetails": details}), f.err()
	}
	if r.Kind == KindRealmRetention || r.Kind == KindRealmArchived {
		return r.afterRetention(known)
	}
	if r.Kind == KindRealmErased {
		return r.afterErased(known)
	}
	asked, err := FactorsOf(r.Values, valuesPrefix)
	return known.Before.with(Values{"secondFactorRoles": Words(asked.Roles)}), err
}

var (
	monthPattern  = regexp.MustCompile(`^2[0-9]{3}-(0[1-9]|1[0-2])$`)
	digestPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// afterRetention returns a realm with another retention, or with an archive that may replace its payments.
func (r Request) afterRetention(known Facts) (Values, error) {
	f := &findings{prefix: valuesPrefix}
	if r.Kind == KindRealmRetention {
		if r.Values["retentionMonths"] != "" {
			f.number("retentionMonths", r.Values["retentionMonths"], minRetention, maxRetention)
		}
		return known.Before.with(Values{"retentionMonths": r.Values["retentionMonths"]}), f.err()
	}
	month, digest := r.Values["archivedMonth"], r.Values["archiveDigest"]
	if !monthPattern.MatchString(month) {
		f.add("archivedMonth", codeFormat, "Enter the year and month, such as 2026-03.")
	} else if month >= r.At.In(i18n.Zone()).Format("2006-01") {
		f.add("archivedMonth", codeFormat, "Enter a month that has ended. In Swiss time, %s has not ended yet.", month)
	}
	if !digestPattern.MatchString(digest) {
		f.add("archiveDigest", codeFormat, "Enter the 64 hexadecimal digits printed by the command “countersign archive”.")
	}
	return known.Before.with(Values{"archivedMonth": month, "archiveDigest": digest}), f.err()
}

// afterErased returns a realm with payments whose contents two administrators have erased. Each left the database and is not erased yet.
func (r Request) afterErased(known Facts) (Values, error) {
	f := &findings{prefix: valuesPrefix}
	payments, _ := known.Own.(map[string]ArchivedPayment)
	ids := WordsOf[string](strings.ToLower(r.Values["erasedPayments"]))
	if len(ids) == 0 || len(ids) > maxErased {
		f.add("erasedPayments", codeFormat, "Enter the internal IDs of 1 to %d payments.", maxErased)
		return nil, f.err()
	}
	for _, id := range ids {
		is, found := payments[id]
		switch {
		case !found:
			f.add("erasedPayments", codeUnknown, "Correct the ID %s. No archived payment has this internal ID.", id)
		case is.Erased:
			f.add("erasedPayments", codeFormat, "Remove the ID %s from the list. The personal data in this payment has already been erased.", id)
		case is.Left:
		case !is.LeavesAt.IsZero():
			f.add("erasedPayments", codeFormat, "Remove the ID %s from the list. This payment is still in the database and cannot be archived "+
				"before %s.", id,
				i18n.Day(is.LeavesAt))
		default:
			f.add("erasedPayments", codeFormat, "Remove the ID %s from the list. This payment is still in the database, either because it has "+
				"not ended or because the realm has no retention period.", id)
		}
	}
	return known.Before.with(Values{"erasedPayments": Words(ids)}), f.err()
}
