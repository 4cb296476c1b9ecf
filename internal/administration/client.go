package administration

import (
	"regexp"

	"countersign/internal/identity"
)

// Client is a program that acts for users.
type Client struct {
	ClientID     string `field:"clientId"`
	Kind         string `field:"kind"`         // "confidential", "public"; "portal" is every realm's own
	MayDecideOwn bool   `field:"mayDecideOwn"` // it may decide what it created
	PayeeWaived  bool   `field:"payeeWaived"`  // payees of what it sends by the API are not verified
	// Roles are those of the program itself, which then acts without a user; see identity.MayActAlone.
	Roles      []identity.Role `field:"roles"`
	Status     string          `field:"status"`
	SecretHash []byte          // SHA-256 of the secret; nil unless confidential, or where it is not read
}

// The kinds of clients.
const (
	ClientConfidential = "confidential"
	ClientPublic       = "public"
	ClientPortal       = "portal"
)

// The kinds of changes of clients.
const (
	KindClientCreate   Kind = "client.create"
	KindClientSecret   Kind = "client.secret"
	KindClientSuppress Kind = "client.suppress"
	KindClientPayee    Kind = "client.payee" // whether payees of what it sends are verified
	KindClientRoles    Kind = "client.roles" // of the program itself
)

var clientNoun = Noun{
	Name: "client", Plural: "clients", Key: "clientId",
	Fields: []Field{
		{Key: "clientId", Label: "Client ID", Required: true},
		{Key: "kind", Label: "Kind", Options: []string{ClientConfidential, ClientPublic}},
		{
			Key: "mayDecideOwn", Label: "Approval through the maker's client", Type: TypeYesNo,
			Hint: "The checker is always a different person from the maker. If you choose “No”, the checker must also use a different client.",
			More: "Approval through the maker's client is allowed", Less: "Approval through the maker's client is no longer allowed",
		},
		{
			Key: "payeeWaived", Label: "Exemption from verification of payee", Type: TypeYesNo,
			More: "Creditors are no longer verified", Less: "Creditors are verified again",
		},
		{
			Key: "roles", Label: "Roles", Type: TypeWords, Options: []string{string(identity.RoleSupervisor)},
			Hint: "These roles belong to the client itself, not to its users. A client with a role signs in with its own secret, without a " +
				"user, and can then only read data.",
			More: rolesGranted, Less: rolesWithdrawn,
		},
		{Key: "secret", Label: "Secret"},
		statusField,
	},
	Actions: []Action{
		{
			Kind: KindClientCreate, Fields: []string{"clientId", "kind", "mayDecideOwn", "payeeWaived", "roles"},
			Label: "New client", Heading: "Create a client", Words: "The secret is shown only once, to the administrator who approves the change.",
		},
		{
			Kind: KindClientSecret, Label: "New secret", Heading: "Create a new secret for %s",
			Words: "The old secret stops working as soon as the change is approved. The new secret is shown only once, to the administrator who " +
				"approves the change.",
		},
		{
			Kind: KindClientSuppress, Status: StatusSuppressed, Label: "Block", Heading: "Block the client %s",
			Words: "The client can never be used again.",
		},
		{
			Kind: KindClientPayee, Fields: []string{"payeeWaived"},
			Label: "Verification of payee", Heading: "Choose whether to verify creditors for payments from the client %s",
			Words: "You may waive verification of payee only if this client submits files with many payments for payers who are not consumers.",
		},
		{
			Kind: KindClientRoles, Fields: []string{"roles"}, Filled: true,
			Label: "Roles", Heading: "Change the roles of the client %s",
			Words: "With its own role, the program can read payments, the audit trail and events without a user. It can never enter or approve " +
				"payments.",
		},
	},
}

var clientPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Values are the fields of the client.
func (c Client) Values() Values { return ValuesOf(c) }

// ClientOf reads a client from its fields. Error: iso20022.FieldError.
func ClientOf(values Values, prefix string) (Client, error) {
	f, c := &findings{prefix: prefix}, Client{}
	Fill(&c, values)
	f.check(&clientNoun, values)
	if !clientPattern.MatchString(c.ClientID) {
		f.add("clientId", codeFormat, "Enter a client ID of up to 64 characters. Use only letters, digits, full stops, hyphens and underscores.")
	}
	if c.Kind == "" {
		f.add("kind", codeMissing, "Choose whether the client is confidential or public.")
	}
	f.clientRoles(c)
	return c, f.err()
}

// clientRoles checks that a program which acts by itself can prove who it is.
func (f *findings) clientRoles(c Client) {
	if len(c.Roles) > 0 && c.Kind != ClientConfidential {
		f.add("roles", codeFormat, "Give roles only to confidential clients. A public client has no secret to authenticate with.")
	}
}

func (r Request) afterClient(known Facts) (Values, error) {
	f := &findings{prefix: valuesPrefix}
	switch {
	case r.Kind == KindClientCreate:
		if known.Found {
			f.add("clientId", "AM05", "Choose another client ID. This client ID is already in use.")
		}
		c, err := ClientOf(r.Values, valuesPrefix)
		f.join(err)
		c.Status = StatusActive
		after := c.Values()
		if c.Kind == ClientConfidential {
			after["secret"] = SecretAnew
		}
		return after, f.err()
	case r.Kind == KindClientPayee:
		waived := yes(f.yesNo("payeeWaived", r.Values["payeeWaived"]))
		return known.Before.with(Values{"payeeWaived": waived}), f.err()
	case r.Kind == KindClientRoles:
		c := Client{Kind: known.Before["kind"], Roles: WordsOf[identity.Role](r.Values["roles"])}
		f.oneOf("roles", Words(c.Roles), clientNoun.Field("roles").Options)
		f.clientRoles(c)
		return known.Before.with(Values{"roles": Words(c.Roles)}), f.err()
	case known.Before["kind"] != ClientConfidential:
		return nil, refuse("/subject", codeFormat, "Choose a confidential client. A public client has no secret.")
	}
	return known.Before.with(Values{"secret": SecretAnew}), nil
}
