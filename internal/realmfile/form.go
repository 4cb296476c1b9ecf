package realmfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// Form is a realm as the file has it.
type Form struct {
	Realm  string  `yaml:"realm"`
	Name   string  `yaml:"name"`
	Mark   string  `yaml:"mark"`
	Tokens *Tokens `yaml:"tokens,omitempty"`
	// SecondFactor names the roles of which a second factor is asked at sign-in: none of them is an empty list; left out, it stays as it is.
	SecondFactor []string `yaml:"secondFactor,omitempty,flow"`
	// NoticeDetails lets e-mails name amounts and creditors; left out, it stays as it is.
	NoticeDetails *bool `yaml:"noticeDetails,omitempty"`
	// IdentityProvider stays as it is when omitted.
	IdentityProvider *IdentityProvider `yaml:"identityProvider,omitempty"`
	People           []Person          `yaml:"people,omitempty"`
	Clients          []Client          `yaml:"clients,omitempty"`
	Policies         []Policy          `yaml:"policies"`
	Accounts         []Account         `yaml:"accounts,omitempty"`
	// Limits bind people, clients and accounts that stand here too.
	Limits []SpendingLimit `yaml:"limits,omitempty"`
}

// entry is one subject in a form.
type entry interface {
	// read checks the entry at a pointer, and adds its subject to the realm that the form describes.
	read(d *definer, at string, wanted *store.RealmDefinition)
	// each calls look with the parts that are compared, under their names among the differences.
	each(look func(key string, value any))
}

// section are the entries of one noun.
type section struct {
	name    string
	entries []entry
}

const policies = "policies"

// sections lists the entries of the form by noun. Limits come last: they bind entries of the sections before.
func (f Form) sections() []section {
	return []section{
		{"people", entries(f.People)},
		{"clients", entries(f.Clients)},
		{policies, entries(f.Policies)},
		{"accounts", entries(f.Accounts)},
		{"limits", entries(f.Limits)},
	}
}

func entries[E entry](list []E) []entry {
	all := make([]entry, len(list))
	for i, one := range list {
		all[i] = one
	}
	return all
}

// Tokens are the lives of the API's tokens, such as "5m"; an empty field leaves one as it is.
type Tokens struct {
	Access   string `yaml:"access,omitempty"`
	Refresh  string `yaml:"refresh,omitempty"`
	Absolute string `yaml:"absolute,omitempty"`
}

// Person is a human being with at least one user account.
type Person struct {
	Name  string `yaml:"name"`
	Users []User `yaml:"users"`
}

func (p Person) each(look func(key string, value any)) {
	for _, user := range p.Users {
		look("user "+user.User, Person{Name: p.Name, Users: []User{user}})
	}
}

// User is a user account.
type User struct {
	User       string   `yaml:"user"`
	Roles      []string `yaml:"roles,flow"`
	Suppressed Flag     `yaml:"suppressed,omitempty"`
	// OuterSubject is the subject of the account at the identity provider, its claim sub; when omitted, the link stays.
	OuterSubject string `yaml:"outerSubject,omitempty"`
	// Email is the address for notices; when omitted, the address stays.
	Email string `yaml:"email,omitempty"`
}

// Client is a client of the API; the portal's own is not named.
type Client struct {
	Client       string `yaml:"client" field:"clientId"`
	Kind         string `yaml:"kind" field:"kind"`
	MayDecideOwn Flag   `yaml:"mayDecideOwn,omitempty" field:"mayDecideOwn"`
	PayeeWaived  Flag   `yaml:"payeeWaived,omitempty" field:"payeeWaived"`
	// Roles are those of the program itself.
	Roles []identity.Role `yaml:"roles,omitempty,flow" field:"roles"`
}

func (c Client) each(look func(key string, value any)) { look("client "+c.Client, c) }

// Policy is a policy in force; empty fields match everything.
type Policy struct {
	Rank                *Whole `yaml:"rank,omitempty" field:"rank"`
	Client              string `yaml:"client,omitempty" field:"clientId"`
	Channel             string `yaml:"channel,omitempty" field:"channel"`
	Scheme              string `yaml:"scheme,omitempty" field:"scheme"`
	Kind                string `yaml:"kind,omitempty" field:"kind"`
	AmountFrom          string `yaml:"amountFrom,omitempty" field:"amountFrom"`
	AmountTo            string `yaml:"amountTo,omitempty" field:"amountTo"`
	Approvals           *Whole `yaml:"approvals" field:"approvals"`
	ContentHashRequired Flag   `yaml:"contentHashRequired,omitempty" field:"contentHashRequired"`
	StepUp              Flag   `yaml:"stepUp,omitempty" field:"stepUp"`
	Funds               string `yaml:"funds,omitempty" field:"funds"`
	ExpiresAfter        string `yaml:"expiresAfter,omitempty" field:"expiresAfter"`
}

func (p Policy) read(d *definer, at string, wanted *store.RealmDefinition) {
	read, err := administration.PolicyOf(administration.ValuesOf(p), at)
	d.note(err)
	wanted.Policies = append(wanted.Policies, read)
}

func (Policy) each(func(key string, value any)) {} // policies have no names: difference.policies compares them

// Account is a debtor account.
type Account struct {
	IBAN     string `yaml:"iban" field:"iban"`
	Scheme   string `yaml:"scheme" field:"scheme"`
	Currency string `yaml:"currency,omitempty" field:"currency"`
	Holder   Holder `yaml:"holder"`
	Agent    Agent  `yaml:"agent"`
	Receives Flag   `yaml:"receives,omitempty" field:"receives"`
	QRIBAN   string `yaml:"qrIban,omitempty" field:"qrIban"`
	Closed   Flag   `yaml:"closed,omitempty"`
}

func (a Account) read(d *definer, at string, wanted *store.RealmDefinition) {
	read, err := administration.AccountOf(administration.ValuesOf(a), at)
	d.note(err)
	d.note(read.Check(at))
	read.Status = administration.StatusOpen
	if a.Closed {
		read.Status = administration.StatusClosed
	}
	d.once("/accounts", read.IBAN)
	wanted.DebtorAccounts = append(wanted.DebtorAccounts, read)
}

func (a Account) each(look func(key string, value any)) { look("account "+a.IBAN, a) }

// Holder is whom an account belongs to.
type Holder struct {
	Name     string `yaml:"name" field:"holderName"`
	Street   string `yaml:"street,omitempty" field:"holderStreet"`
	Building string `yaml:"building,omitempty" field:"holderBuilding"`
	Postcode string `yaml:"postcode,omitempty" field:"holderPostcode"`
	Town     string `yaml:"town" field:"holderTown"`
	Country  string `yaml:"country" field:"holderCountry"`
}

// Agent is the bank that keeps an account.
type Agent struct {
	BIC string `yaml:"bic" field:"agentBic"`
	IID string `yaml:"iid,omitempty" field:"agentIid"`
}

// SpendingLimit limits the payments of a person (named by a user account), a client or an account.
type SpendingLimit struct {
	LimitOf    string `yaml:"limitOf" field:"limitOf"`
	Holder     string `yaml:"holder" field:"holder"`
	Currency   string `yaml:"currency" field:"currency"`
	PerPayment string `yaml:"perPayment,omitempty" field:"perPayment"`
	PerDay     string `yaml:"perDay,omitempty" field:"perDay"`
}

func (l SpendingLimit) each(look func(key string, value any)) {
	look("limit of "+l.LimitOf+" "+l.Holder+" in "+l.Currency, l)
}

func (l SpendingLimit) read(d *definer, at string, wanted *store.RealmDefinition) {
	values := administration.ValuesOf(l)
	read, err := administration.LimitOf(values, at, holderIn(administration.LimitKeyOf(values), wanted))
	d.note(err)
	d.once("/limits", string(read.Of)+" "+read.Holder+" "+read.Currency)
	wanted.Limits = append(wanted.Limits, read)
}

// holderIn finds the holder of a limit in the realm that the file describes.
func holderIn(key administration.LimitKey, wanted *store.RealmDefinition) administration.LimitHolder {
	holder := administration.LimitHolder{Key: key.Holder}
	switch key.Of {
	case rulebook.OfPerson:
		for _, person := range wanted.People {
			for _, account := range person.Accounts {
				holder.Found = holder.Found || account.Name == key.Holder
			}
		}
	case rulebook.OfClient:
		for _, client := range wanted.Clients {
			holder.Found = holder.Found || client.ClientID == key.Holder
		}
	case rulebook.OfAccount:
		for _, account := range wanted.DebtorAccounts {
			if account.IBAN == key.Holder {
				holder.Found, holder.Currency = true, account.Currency
			}
		}
	}
	return holder
}

// Limit is the longest file taken, in bytes.
const Limit = 1 << 20

// Parse reads a file: one YAML document, in which every word is known.
func Parse(content []byte) (Form, error) {
	if len(content) > Limit {
		return Form{}, fmt.Errorf("the file has %d bytes: at most %d are taken", len(content), Limit)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	var form Form
	err := decoder.Decode(&form)
	if errors.Is(err, io.EOF) {
		return Form{}, errors.New("the file is empty: write the realm as countersign realm show prints one")
	}
	if err != nil {
		return Form{}, fmt.Errorf("read the YAML: %w", err)
	}
	err = decoder.Decode(&Form{})
	if !errors.Is(err, io.EOF) {
		return Form{}, errors.New("write one realm in a file: there is more than one YAML document")
	}
	return form, nil
}

// Write writes a realm as a file.
func Write(form Form) ([]byte, error) {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	err := encoder.Encode(form)
	if err != nil {
		return nil, fmt.Errorf("write the YAML: %w", err)
	}
	return text.Bytes(), nil
}

// Of is the form of a realm as it is.
func Of(realm store.RealmDefinition) Form {
	form := Form{Realm: realm.Realm, Name: realm.Name, Mark: realm.Mark, Tokens: &Tokens{
		Access: administration.Wait(realm.Life.Access), Refresh: administration.Wait(realm.Life.Refresh),
		Absolute: administration.Wait(realm.Life.Absolute),
	}, SecondFactor: names(realm.SecondFactor), NoticeDetails: &realm.NoticeDetails, IdentityProvider: providerForm(realm.Provider)}
	for _, person := range realm.People {
		shown := Person{Name: person.DisplayName}
		for _, account := range person.Accounts {
			shown.Users = append(shown.Users, User{
				User: account.Name, Roles: names(account.Roles), Suppressed: Flag(account.Status == administration.StatusSuppressed),
				OuterSubject: account.OuterSubject, Email: account.Email,
			})
		}
		form.People = append(form.People, shown)
	}
	form.Clients = forms[Client](slices.DeleteFunc(slices.Clone(realm.Clients), func(c administration.Client) bool {
		return c.Kind == administration.ClientPortal
	}))
	form.Policies, form.Accounts = forms[Policy](realm.Policies), forms[Account](realm.DebtorAccounts)
	for i, account := range realm.DebtorAccounts {
		form.Accounts[i].Closed = account.Status == administration.StatusClosed
	}
	form.Limits = forms[SpendingLimit](realm.Limits)
	return form
}

// forms fills the form of each subject with its fields.
func forms[Form any, Subject administration.Subject](subjects []Subject) []Form {
	var list []Form
	for _, subject := range subjects {
		var form Form
		administration.Fill(&form, subject.Values())
		list = append(list, form)
	}
	return list
}

func names(roles []identity.Role) []string {
	list := make([]string, len(roles))
	for i, role := range roles {
		list[i] = string(role)
	}
	return list
}

// Whole is a whole number, written as one: a reader of YAML would cut 0.9 to 0, and a policy would ask for no approval.
type Whole int

// UnmarshalYAML reads the number. Error: yaml.TypeError.
func (w *Whole) UnmarshalYAML(node *yaml.Node) error {
	number, err := strconv.Atoi(node.Value)
	if err != nil || node.Tag != "!!int" || strconv.Itoa(number) != node.Value {
		return notWritten(node, "a whole number")
	}
	*w = Whole(number)
	return nil
}

// Flag is true or false, written so: a reader of YAML would take "yes" and on for true too.
type Flag bool

// UnmarshalYAML reads the word. Error: yaml.TypeError.
func (f *Flag) UnmarshalYAML(node *yaml.Node) error {
	if node.Tag != "!!bool" || node.Value != "true" && node.Value != "false" {
		return notWritten(node, "true or false")
	}
	*f = node.Value == "true"
	return nil
}

// notWritten is an error that is told with the others of a file, each by its line.
func notWritten(node *yaml.Node, wanted string) error {
	return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: write %s instead of %q", node.Line, wanted, node.Value)}}
}
