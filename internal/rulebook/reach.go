package rulebook

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
)

// codeAgent: the bank is the wrong one, or is not reached (ISO ExternalStatusReason1Code).
const codeAgent = "AGNT"

// RouteOf returns the creditor's bank for an order that names none: from the directory in SEPA, else from the IBAN;
// "" for none. In SIC the IBAN holds the bank's code.
func RouteOf(scheme Scheme, iban string, known *account.Directory) string {
	parsed, err := account.Parse(iban)
	if err != nil {
		return ""
	}
	if scheme == SchemeSCT && known != nil && known.Loaded() {
		bank, _ := known.BankOf(parsed)
		return bank.BIC
	}
	return agentOf(scheme, parsed)
}

// agentOf is the bank that an IBAN tells without a directory: its code in SIC, its BIC by the list of the program in SEPA.
func agentOf(scheme Scheme, iban account.IBAN) string {
	if iid, found := iban.IID(); found && scheme == SchemeSIC {
		return iid.Short()
	}
	bank, _ := account.BankOf(iban)
	return bank.BIC.String()
}

// ReachInput is an order and the data to check it with.
type ReachInput struct {
	Scheme   Scheme
	Document *iso20022.CustomerCreditTransferInitiation
	Today    time.Time
	// Directory is that in force; nil asks nothing, as where no database is at hand.
	Directory *account.Directory
	// Found holds earlier findings. Accounts and banks with such findings get no further ones.
	Found []iso20022.Finding
}

// CheckReach asks the directory about the creditor's bank of each payment of an order.
func CheckReach(in ReachInput) []iso20022.Finding {
	if in.Directory == nil || in.Document == nil {
		return nil
	}
	var findings []iso20022.Finding
	for i := range in.Document.PaymentInformation {
		for j, tx := range in.Document.PaymentInformation[i].CreditTransferTransactionInformation {
			place := "/Document/CstmrCdtTrfInitn/PmtInf/" + strconv.Itoa(i) + "/CdtTrfTxInf/" + strconv.Itoa(j)
			told := slices.ContainsFunc(in.Found, func(f iso20022.Finding) bool {
				return strings.HasPrefix(f.Pointer, place+"/CdtrAcct") || strings.HasPrefix(f.Pointer, place+"/CdtrAgt")
			})
			q := question{scheme: in.Scheme, today: in.Today, directory: in.Directory, place: place}
			if tx.CreditorAccount != nil {
				q.iban, _ = account.Parse(tx.CreditorAccount.ID.IBAN)
			}
			if tx.CreditorAgent != nil {
				q.named = tx.CreditorAgent.FinancialInstitutionID.BICFI
			}
			if f, refused := q.finding(); refused && !told {
				findings = append(findings, f)
			}
		}
	}
	return findings
}

// ReachEntered is a payment that was taken before, and the bank it was routed to then.
type ReachEntered struct {
	Scheme  Scheme
	IBAN    string // of the creditor
	Agent   string // as its pacs.008 will name it
	Today   time.Time
	Against *account.Directory
}

// RecheckReach asks the directory of the moment of an approval about the bank that a payment was routed to when it was entered.
func RecheckReach(e ReachEntered) []iso20022.Finding {
	if e.Against == nil {
		return nil
	}
	q := question{
		scheme: e.Scheme, directory: e.Against, today: e.Today, named: e.Agent,
		place: "/Document/CstmrCdtTrfInitn/PmtInf/0/CdtTrfTxInf/0",
	}
	q.iban, _ = account.Parse(e.IBAN)
	if e.Scheme == SchemeSCT && e.Agent == "" && !e.Against.IsBroken() {
		return []iso20022.Finding{q.refuse("This payment was entered without the creditor's bank. Withdraw the payment and enter it "+
			"again.", "/CdtrAgt")}
	}
	f, refused := q.finding()
	if !refused {
		return nil
	}
	if strings.HasSuffix(f.Pointer, "/BICFI") {
		bank, _ := e.Against.BankOf(q.iban)
		f.Text = i18n.Text("The payment was entered for the bank %s, but the bank directory dated %s shows that the account is at the bank "+
			"%s. Withdraw the payment and enter it again.").With(e.Agent, q.edition(), bank.BIC)
	}
	return []iso20022.Finding{f}
}

// question is about one payment.
type question struct {
	scheme    Scheme
	today     time.Time
	directory *account.Directory
	iban      account.IBAN // zero when it cannot be read
	named     string       // BIC of the creditor's bank, "" when none is named
	place     string       // of the payment in its document
}

const iban = "/CdtrAcct/Id/IBAN"

// finding says why the payment cannot be routed, or false.
func (q question) finding() (iso20022.Finding, bool) {
	switch {
	case q.iban.IsZero() || !q.ofScheme():
		return iso20022.Finding{}, false
	case q.directory.IsBroken():
		return q.refuse(
			"The stored bank directory cannot be used because it differs from the imported directory. Ask an operator to run “countersign "+
				"check”.", iban,
		), true
	case !q.directory.Loaded():
		return q.withoutDirectory()
	}
	bank, known := q.directory.BankOf(q.iban)
	if q.scheme == SchemeSCT && q.named != "" {
		if known && !account.SameBank(bank.BIC, q.named) {
			return q.refuse(
				i18n.Text("Leave out the creditor's bank, or enter the bank that holds the account: %s.").With(bank.BIC),
				"/CdtrAgt/FinInstnId/BICFI",
			), true
		}
		if !known {
			bank, known = q.directory.ByBIC(q.named)
		}
	}
	switch {
	case !known:
		return q.refuse(i18n.Text("The bank directory of %s has no bank for this account. Check the IBAN with the creditor.").
			With(q.edition()), iban), true
	case !bank.Instant:
		return q.refuse(
			i18n.Text("According to the bank directory dated %s, %s does not accept instant payments. Pay the creditor in another way.").
				With(q.edition(), bank.Name),
			iban,
		), true
	}
	return iso20022.Finding{}, false
}

// ofScheme reports whether the account is in one of the scheme's countries, and no QR-IBAN in SEPA; other rules refuse the rest.
func (q question) ofScheme() bool {
	if q.scheme == SchemeSIC {
		return q.iban.InSwissClearing()
	}
	return !q.iban.IsQR() && account.InSEPA(q.iban.Country(), q.today)
}

// withoutDirectory checks an order while no directory is imported. In SIC the code in the IBAN routes the payment; in
// SEPA only a BIC does.
func (q question) withoutDirectory() (iso20022.Finding, bool) {
	if q.scheme == SchemeSIC || q.named != "" || agentOf(q.scheme, q.iban) != "" {
		return iso20022.Finding{}, false
	}
	return q.refuse("Enter the BIC of the creditor's bank. Without a bank directory, the bank cannot be found from the "+
		"IBAN.", "/CdtrAgt"), true
}

func (q question) refuse(text i18n.Text, below string) iso20022.Finding {
	return iso20022.Finding{Rule: RuleCreditorBankReached, Pointer: q.place + below, Code: codeAgent, Text: text}
}

func (q question) edition() i18n.Day { return i18n.Day(q.directory.Edition()) }
