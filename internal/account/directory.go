package account

import "time"

// The most a directory may hold, and the most its file may be: every bank code of SEPA is some 40,000 rows of 50 bytes.
const (
	MaxEntries = 200_000
	MaxBytes   = 16 << 20
	maxName    = 140
	maxPrefix  = 16
)

// Entry is a bank as one row of a directory names it.
type Entry struct {
	// Prefix is the beginning of the bank's IBANs, without their check digits: DE37040044. "" for a bank that is known by its BIC alone.
	Prefix string
	// BIC of 8 or 11 characters; "" where the bank has none and its prefix is Swiss or of Liechtenstein, where the bank code is enough.
	BIC  string
	Name string
	// Instant: instant payments of the scheme reach it.
	Instant bool
}

// Directory is an edition of the directory of one scheme. The zero Directory is none: nothing was loaded. It never changes, so that many
// may look things up at once.
type Directory struct {
	edition  time.Time
	entries  []Entry // in the order of Prefix and BIC
	byPrefix map[string]int
	byBIC    map[string]int // by the BIC in its long form
	byOffice map[string]int // by its first eight characters
	longest  int            // prefix
	broken   bool
}

// Broken returns a directory that must not be used, because the stored rows differ from the imported ones.
func Broken() *Directory { return &Directory{broken: true} }

// IsBroken reports whether the directory must not be believed.
func (d *Directory) IsBroken() bool { return d.broken }

// Loaded reports whether there is a directory at all.
func (d *Directory) Loaded() bool { return d.broken || len(d.entries) > 0 }

// Edition is the day the directory is of, midnight UTC; zero when none is loaded.
func (d *Directory) Edition() time.Time { return d.edition }

// Len returns the number of rows.
func (d *Directory) Len() int { return len(d.entries) }

// BankOf finds the bank that keeps an account: the row with the longest prefix that the IBAN begins with.
func (d *Directory) BankOf(iban IBAN) (Entry, bool) {
	text := iban.String()
	if len(text) <= 4 {
		return Entry{}, false
	}
	plain := withoutCheckLetter(text[:2] + text[4:])
	for length := min(d.longest, len(plain)); length >= 2; length-- {
		at, found := d.byPrefix[plain[:length]]
		if found {
			return d.entries[at], true
		}
	}
	return Entry{}, false
}

// withoutCheckLetter leaves out the check letter with which the BBAN of Italy and San Marino begins, before the bank code (ISO 13616, IBAN
// registry). A prefix may be written with or without it.
func withoutCheckLetter(text string) string {
	if len(text) > 2 && (text[:2] == "IT" || text[:2] == "SM") && text[2] >= 'A' && text[2] <= 'Z' {
		return text[:2] + text[3:]
	}
	return text
}

// ByBIC finds a bank by its BIC, else an office of the same bank: a directory need not list every branch.
func (d *Directory) ByBIC(bic string) (Entry, bool) {
	at, found := d.byBIC[LongBIC(bic)]
	if !found && len(bic) >= bankLength {
		at, found = d.byOffice[bic[:bankLength]]
	}
	if !found {
		return Entry{}, false
	}
	return d.entries[at], true
}

// index makes what lookups use. Of several rows with one BIC, a row that instant payments reach comes first, and one without a prefix
// before the others: it speaks of the bank itself.
func (d *Directory) index() {
	d.byPrefix, d.byBIC, d.byOffice = make(map[string]int, len(d.entries)), make(map[string]int), make(map[string]int)
	for at, e := range d.entries {
		if e.Prefix != "" {
			prefix := withoutCheckLetter(e.Prefix)
			d.byPrefix[prefix] = at
			d.longest = max(d.longest, len(prefix))
		}
		if e.BIC == "" {
			continue
		}
		for index, key := range map[*map[string]int]string{&d.byBIC: LongBIC(e.BIC), &d.byOffice: e.BIC[:bankLength]} {
			known, found := (*index)[key]
			if !found || d.entries[known].Prefix != "" && !d.entries[known].Instant && e.Instant {
				(*index)[key] = at
			}
		}
	}
}

// staleAfter is the age from which an edition is stale: banks join, merge and leave all the time, and lists are renewed at least quarterly.
const staleAfter = 92 * 24 * time.Hour

// Stale reports whether an edition is older than a quarter at the given time.
func Stale(edition, at time.Time) bool { return at.Sub(edition) > staleAfter }
