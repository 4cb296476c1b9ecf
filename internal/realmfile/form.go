package realmfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/internal/store/admin"
)

// Form is a realm as the file has it.
type Form struct {
	Realm  string  `yaml:"realm"`
	Name   string  `yaml:"name"`
	Mark   string  `yaml:"mark"`
	Tokens *Tokens `yaml:"tokens,omitempty"`
	// SecondFactor names the roles of which a second factor is asked at sign-in: none of them is an empty list; left out, it stays as it is.
	SecondFactor []string `yaml:"secondFactor,omitempty,flow"`
	// IdentityProvider stays as it is when omitted.
	IdentityProvider *IdentityProvider `yaml:"identityProvider,omitempty"`
	People           []Person          `yaml:"people,omitempty"`
	Clients          []Client          `yaml:"clients,omitempty"`
	Policies         []Policy          `yaml:"policies"`
	Accounts         []Account         `yaml:"accounts,omitempty"`
	// Limits bind people, clients and accounts that stand here too.
	Limits []SpendingLimit `yaml:"limits,omitempty"`
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

// User is a user account.
type User struct {
	User       string   `yaml:"user"`
	Roles      []string `yaml:"roles,flow"`
	Suppressed Flag     `yaml:"suppressed,omitempty"`
	// OuterSubject is the subject of the account at the identity provider, its claim sub; when omitted, the link stays.
	OuterSubject string `yaml:"outerSubject,omitempty"`
}

// Client is a client of the API; the portal's own is not named.
type Client struct {
	Client       string `yaml:"client"`
	Kind         string `yaml:"kind"`
	MayDecideOwn Flag   `yaml:"mayDecideOwn,omitempty"`
	PayeeWaived  Flag   `yaml:"payeeWaived,omitempty"`
}

// Policy is a policy in force; empty fields match everything.
type Policy struct {
	Rank                *Whole `yaml:"rank,omitempty"`
	Client              string `yaml:"client,omitempty"`
	Channel             string `yaml:"channel,omitempty"`
	Scheme              string `yaml:"scheme,omitempty"`
	Kind                string `yaml:"kind,omitempty"`
	AmountFrom          string `yaml:"amountFrom,omitempty"`
	AmountTo            string `yaml:"amountTo,omitempty"`
	Approvals           *Whole `yaml:"approvals"`
	ContentHashRequired Flag   `yaml:"contentHashRequired,omitempty"`
	StepUp              Flag   `yaml:"stepUp,omitempty"`
	ExpiresAfter        string `yaml:"expiresAfter,omitempty"`
}

// Account is a debtor account.
type Account struct {
	IBAN     string `yaml:"iban"`
	Scheme   string `yaml:"scheme"`
	Currency string `yaml:"currency,omitempty"`
	Holder   Holder `yaml:"holder"`
	Agent    Agent  `yaml:"agent"`
	Receives Flag   `yaml:"receives,omitempty"`
	Closed   Flag   `yaml:"closed,omitempty"`
}

// Holder is whom an account belongs to.
type Holder struct {
	Name     string `yaml:"name"`
	Street   string `yaml:"street,omitempty"`
	Building string `yaml:"building,omitempty"`
	Postcode string `yaml:"postcode,omitempty"`
	Town     string `yaml:"town"`
	Country  string `yaml:"country"`
}

// Agent is the bank that keeps an account.
type Agent struct {
	BIC string `yaml:"bic"`
	IID string `yaml:"iid,omitempty"`
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
func Of(realm admin.RealmDefinition) Form {
	form := Form{Realm: realm.Realm, Name: realm.Name, Mark: realm.Mark, Tokens: &Tokens{
		Access: administration.Wait(realm.Life.Access), Refresh: administration.Wait(realm.Life.Refresh),
		Absolute: administration.Wait(realm.Life.Absolute),
	}, SecondFactor: names(realm.SecondFactor), IdentityProvider: providerForm(realm.Provider)}
	for _, person := range realm.People {
		shown := Person{Name: person.DisplayName}
		for _, account := range person.Accounts {
			shown.Users = append(shown.Users, User{
				User: account.Name, Roles: names(account.Roles), Suppressed: Flag(account.Status == store.UserSuppressed),
				OuterSubject: account.OuterSubject,
			})
		}
		form.People = append(form.People, shown)
	}
	for _, client := range realm.Clients {
		if client.Kind != store.ClientPortal {
			form.Clients = append(form.Clients, Client{
				Client: client.ClientID, Kind: string(client.Kind), MayDecideOwn: Flag(client.MayDecideOwn),
				PayeeWaived: Flag(client.PayeeWaived),
			})
		}
	}
	for _, policy := range realm.Policies {
		form.Policies = append(form.Policies, policyForm(policy))
	}
	for _, a := range realm.DebtorAccounts {
		form.Accounts = append(form.Accounts, Account{
			IBAN: a.IBAN, Scheme: a.Scheme, Currency: a.Currency, Receives: Flag(a.Receives), Closed: Flag(a.Closed),
			Holder: Holder{
				Name: a.HolderName, Street: a.HolderStreet, Building: a.HolderBuilding, Postcode: a.HolderPostcode, Town: a.HolderTown,
				Country: a.HolderCountry,
			},
			Agent: Agent{BIC: a.AgentBIC, IID: a.AgentIID},
		})
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

func policyForm(p admin.PolicyDefinition) Policy {
	values := administration.Policy{AmountFrom: p.AmountFrom, AmountTo: p.AmountTo, ExpiresAfter: p.Pending}.Values()
	rank, approvals := Whole(p.Rank), Whole(p.ApprovalsRequired)
	return Policy{
		Rank: &rank, Client: p.ClientID, Channel: string(p.Channel), Scheme: p.Scheme, Kind: p.Kind, AmountFrom: values["amountFrom"],
		AmountTo: values["amountTo"], Approvals: &approvals, ContentHashRequired: Flag(p.ContentHashRequired), StepUp: Flag(p.StepUp),
		ExpiresAfter: values["expiresAfter"],
	}
}

func names(roles []identity.Role) []string {
	list := make([]string, len(roles))
	for i, role := range roles {
		list[i] = string(role)
	}
	return list
}
