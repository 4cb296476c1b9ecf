// Package profile renders the documents of a scheme for one clearing and reads them back: XML namespaces, the naming of banks, the places
// of elements. Makers and rules use one form of each message, the ISO one. The differences between clearings are data: profiles.yaml, and a
// file of the operator's own in the same form.
package profile

import (
	"fmt"
	"slices"
	"strings"

	"countersign/internal/account"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// Profile holds the form of documents for one clearing of a scheme. An omitted field leaves the document in the ISO form.
type Profile struct {
	Name   string `yaml:"name"`
	Scheme string `yaml:"scheme"` // sic-inst or sct-inst
	About  string `yaml:"about"`  // for people
	Source string `yaml:"source"` // where its facts are from
	// Messages are the messages that leave in another version or namespace than the ISO one they are made in.
	Messages map[iso20022.MessageName]Message `yaml:"messages"`
	Banks    Banks                            `yaml:"banks"`
	// SettlementDay, PaymentType and InstructingBank stand in the header or with the transaction.
	SettlementDay   Place `yaml:"settlementDay"`
	PaymentType     Place `yaml:"paymentType"`
	InstructingBank Place `yaml:"instructingBank"`
	// InstructedBank stands there too, or nowhere.
	InstructedBank Place `yaml:"instructedBank"`
	// NoInstructionID leaves InstrId of a payment out.
	NoInstructionID bool   `yaml:"noInstructionId"`
	ChargeBearer    string `yaml:"chargeBearer"`
	ClearingSystem  string `yaml:"clearingSystem"` // ClrSys/Cd
	// LocalInstrument is LclInstrm: a code of ISO, or one of the clearing's own.
	LocalInstrument Choice `yaml:"localInstrument"`
	// OriginalNames selects the form of message names in OrgnlMsgNmId.
	OriginalNames Names `yaml:"originalNames"`
	// ReturnChain repeats the parties of a return in RtrChain, in their new roles.
	ReturnChain bool `yaml:"returnChain"`
	// Terms are the limit, calendar, codes and reasons of the clearing.
	Terms Terms `yaml:"terms"`
	// Envelope puts a business application header before each document; nil sends the document alone.
	Envelope *Envelope `yaml:"envelope"`
}

// Message is a message as it travels.
type Message struct {
	Version   iso20022.MessageName `yaml:"version"`   // its ISO version; "" is the one it is made in
	Namespace string               `yaml:"namespace"` // "" is the ISO namespace of the version
}

// Choice is a code of ISO or one of the clearing's own.
type Choice struct {
	Code        string `yaml:"code"`
	Proprietary string `yaml:"proprietary"`
}

// Envelope is the root element that holds header and document, with the two ends named in the header.
type Envelope struct {
	Root      string `yaml:"root"`
	Namespace string `yaml:"namespace"` // of Root; "" for none
	Service   string `yaml:"service"`   // BizSvc, "" for none
	Sender    string `yaml:"sender"`    // BIC of this side of the connection
	Receiver  string `yaml:"receiver"`  // BIC of the clearing
}

// Place is the place of an element: in the header or with the transaction.
type Place string

// The places.
const (
	PlaceHeader      Place = "header"
	PlaceTransaction Place = "transaction"
	PlaceNone        Place = "none"
)

// Banks is the way in which documents name banks.
type Banks string

// The ways to name a bank.
const (
	BanksByCode   Banks = "bank-code"  // Swiss banks by bank code (CHBCC) without leading zeros
	BanksByNumber Banks = "sic-number" // Swiss banks by their number in SIC (CHSIC): six digits, the last a check digit
	BanksByBIC    Banks = "bic"        // all banks by BIC, where one is known
)

// Names is the way in which a document names the message it is about.
type Names string

// The ways to name a message.
const (
	NamesFull  Names = "full"  // pacs.008.001.08
	NamesShort Names = "short" // pacs.008
	NamesSent  Names = "sent"  // as in the namespace it is sent in: pacs.008.001.08.ch.02
)

// The lengths of texts in a profile.
const (
	maxName  = 40
	maxAbout = 200
)

// check refuses a profile that no document could be written by.
func (p *Profile) check() error {
	switch {
	case !isName(p.Name) || len(p.Name) > maxName:
		return fmt.Errorf("name %q: write a name of letters, digits and hyphens, at most %d", p.Name, maxName)
	case !slices.Contains(rulebook.Schemes(), rulebook.Scheme(p.Scheme)):
		return fmt.Errorf("scheme %q: write %s or %s", p.Scheme, rulebook.SchemeSIC, rulebook.SchemeSCT)
	case len(p.About) > maxAbout || len(p.Source) > maxAbout:
		return fmt.Errorf("about and source: write at most %d characters", maxAbout)
	}
	for _, place := range []Place{p.SettlementDay, p.PaymentType, p.InstructingBank} {
		if !slices.Contains([]Place{"", PlaceHeader, PlaceTransaction}, place) {
			return fmt.Errorf("settlementDay, paymentType, instructingBank: write %s or %s, not %q", PlaceHeader, PlaceTransaction, place)
		}
	}
	switch {
	case !slices.Contains([]Place{"", PlaceHeader, PlaceTransaction, PlaceNone}, p.InstructedBank):
		return fmt.Errorf("instructedBank: write %s, %s or %s, not %q", PlaceHeader, PlaceTransaction, PlaceNone, p.InstructedBank)
	case !slices.Contains([]Banks{"", BanksByCode, BanksByNumber, BanksByBIC}, p.Banks):
		return fmt.Errorf("banks: write %s, %s or %s, not %q", BanksByCode, BanksByNumber, BanksByBIC, p.Banks)
	case !slices.Contains([]Names{"", NamesFull, NamesShort, NamesSent}, p.OriginalNames):
		return fmt.Errorf("originalNames: write %s, %s or %s, not %q", NamesFull, NamesShort, NamesSent, p.OriginalNames)
	case p.LocalInstrument.Code != "" && p.LocalInstrument.Proprietary != "":
		return fmt.Errorf("localInstrument: write code or proprietary, not both")
	case !slices.Contains([]string{"", "SLEV", "SHAR", "DEBT", "CRED"}, p.ChargeBearer):
		return fmt.Errorf("chargeBearer: write SLEV, SHAR, DEBT or CRED, not %q", p.ChargeBearer)
	}
	err := p.Terms.read(rulebook.Scheme(p.Scheme))
	if err != nil {
		return fmt.Errorf("terms: %w", err)
	}
	err = p.checkMessages()
	if err == nil && p.Envelope != nil {
		err = p.Envelope.check()
	}
	return err
}

// checkMessages refuses a version or namespace that Read would not know again.
func (p *Profile) checkMessages() error {
	for name, message := range p.Messages {
		if iso20022.DefinitionNamed(name) == nil || strings.HasPrefix(string(name), "pain.") {
			return fmt.Errorf("messages: no message %q goes to clearing", name)
		}
		version := p.version(name)
		if iso20022.DefinitionNamed(version) == nil || Family(string(version)) != Family(string(name)) {
			return fmt.Errorf("messages: %s: this program has no version %q of it", name, version)
		}
		if message.Namespace == "" {
			continue
		}
		known := iso20022.DefinitionOfNamespace(message.Namespace)
		if known == nil || known.Name != version {
			return fmt.Errorf(
				"messages: %s: %q is no namespace of %s: write the ISO one, or the one of SIX (%s%s.ch.NN)", name, message.Namespace, version,
				iso20022.NamespaceOfSIX, version,
			)
		}
	}
	return nil
}

// check refuses an envelope that would tell nobody who sends.
func (e *Envelope) check() error {
	if !isName(e.Root) || e.Root == "Document" {
		return fmt.Errorf("envelope: root: write the name of the element that holds header and document, not %q", e.Root)
	}
	for field, bic := range map[string]string{"sender": e.Sender, "receiver": e.Receiver} {
		if bic == "" {
			continue // Registry.Choose asks for it
		}
		_, err := account.ParseBIC(bic)
		if err != nil {
			return fmt.Errorf("envelope: %s %q: %w", field, bic, err)
		}
	}
	return nil
}

func isName(text string) bool {
	for i := range len(text) {
		c := text[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return text != ""
}

// version is the ISO version a message travels in.
func (p *Profile) version(name iso20022.MessageName) iso20022.MessageName {
	if version := p.Messages[name].Version; version != "" {
		return version
	}
	return name
}

// namespace is the XML namespace a message travels in.
func (p *Profile) namespace(name iso20022.MessageName) string {
	if namespace := p.Messages[name].Namespace; namespace != "" {
		return namespace
	}
	return p.version(name).Namespace()
}

// sentName returns the name under which a message is sent: the end of its namespace.
func (p *Profile) sentName(name iso20022.MessageName) string {
	sent := p.namespace(name)
	sent = sent[strings.LastIndexAny(sent, ":/")+1:]
	return strings.TrimSuffix(sent, ".xsd")
}

const familyLength = len("pacs.008")

// currentName is the version of a message that makers and rules use, "" for a message that this program does not have.
func currentName(name string) iso20022.MessageName {
	for _, known := range iso20022.Definitions() { // the versions in use come first
		if Family(string(known.Name)) == Family(name) {
			return known.Name
		}
	}
	return ""
}

// Family is the message definition a name stands for: pacs.008 for pacs.008.001.08.ch.02.
func Family(name string) string { return name[:min(len(name), familyLength)] }
