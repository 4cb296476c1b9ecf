package administration

import "regexp"

// Client is a program that acts for users.
type Client struct {
	ClientID     string
	Kind         string // "confidential", "public"; "portal" is every realm's own
	MayDecideOwn bool   // it may decide what it created
	PayeeWaived  bool   // payees of what it sends by the API are not verified
	Status       string
}

// The kinds of clients.
const (
	ClientConfidential = "confidential"
	ClientPublic       = "public"
	ClientPortal       = "portal"
)

var clientPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Values are the fields of the client.
func (c Client) Values() Values {
	return Values{
		"clientId": c.ClientID, "kind": c.Kind, "mayDecideOwn": yes(c.MayDecideOwn), "payeeWaived": yes(c.PayeeWaived), "status": c.Status,
	}.Compact()
}

// ClientOf reads a client from its fields. Error: payment.FieldError.
func ClientOf(values Values, prefix string) (Client, error) {
	f := &findings{prefix: prefix}
	c := Client{
		ClientID: values["clientId"], Kind: values["kind"], MayDecideOwn: f.yesNo("mayDecideOwn", values["mayDecideOwn"]),
		PayeeWaived: f.yesNo("payeeWaived", values["payeeWaived"]),
		Status:      values["status"],
	}
	if !clientPattern.MatchString(c.ClientID) {
		f.add("clientId", codeFormat, "Name the client with letters, digits, full stops, hyphens and underscores, at most 64.")
	}
	if c.Kind == "" {
		f.add("kind", codeMissing, "Say whether the client is confidential or public.")
	}
	f.oneOf("kind", c.Kind, ClientConfidential, ClientPublic)
	return c, f.err()
}
