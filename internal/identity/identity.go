// Package identity names who acts: realms, people, their user accounts, the roles they hold and the clients they act through.
// It is pure: no database, no clock.
package identity

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
)

// Role is a permission to take part in the life of a payment.
type Role string

// The roles. An administrator holds no other role: the schema keeps the two duties apart.
const (
	RoleMaker         Role = "maker"
	RoleChecker       Role = "checker"
	RoleSupervisor    Role = "supervisor"
	RoleAdministrator Role = "administrator"
)

// Roles lists them.
func Roles() []Role { return []Role{RoleMaker, RoleChecker, RoleSupervisor, RoleAdministrator} }

// MayActAlone reports whether a client with these roles of its own may act without a user: it reads, and neither makes nor decides
// anything.
func MayActAlone(roles []Role) bool { return slices.Equal(roles, []Role{RoleSupervisor}) }

// Text is the name of the role for people.
func (r Role) Text() i18n.Text { return i18n.Kept(string(r)) }

// Channel is the channel of a request.
type Channel string

// The channels. Clearing and the clock move messages too, without a person; the operator changes realms.
const (
	ChannelAPI      Channel = "api"
	ChannelPortal   Channel = "portal"
	ChannelClearing Channel = "clearing"
	ChannelClock    Channel = "clock"
	ChannelOperator Channel = "operator" // the command line, with the login of the schema's owner
)

// PortalClient is the client every realm has for the people who work in the portal.
const PortalClient = "portal"

// Principal is the user and the client of one request, as authentication found them.
type Principal struct {
	Realm       string
	UserID      uuid.UUID // zero for a client that acts by itself
	PersonID    uuid.UUID // four-eyes compares this, not the account
	UserName    string    // normalised, unique in the realm
	DisplayName string
	Roles       []Role
	// Grants are the grants of the roles, one for each role.
	Grants   []Grant
	ClientID string
	// ClientMayDecideOwn lets this client decide messages that it created itself.
	ClientMayDecideOwn bool
	// ClientWaivesPayee skips the verification of payee for messages this client sends by the API: it unpacks files of many payments.
	ClientWaivesPayee bool
	Channel           Channel
	RequestID         string // of the caller, 1 to 140 characters; "" in the portal
	SourceAddress     string // the address the request came from
	// AsOf is the time at which the last sign-ins of the account were ended, the Unix epoch for never. A session or token carries it, and
	// is invalid when the account has a later one. The zero time means unknown.
	AsOf time.Time
}

// Has reports whether the principal holds the role.
func (p Principal) Has(role Role) bool {
	return slices.Contains(p.Roles, role)
}

// Grant is a role given to a user account at a time. A decision refers to the grant it was made under.
type Grant struct {
	ID        uuid.UUID
	Role      Role
	GrantedAt time.Time
}

// Grant returns the grant by which the principal holds the role, if there is one.
func (p Principal) Grant(role Role) (Grant, bool) {
	for _, grant := range p.Grants {
		if grant.Role == role {
			return grant, true
		}
	}
	return Grant{}, false
}

// Actor is the part of a principal that history and audit keep for ever. The zero Actor is the gateway itself.
type Actor struct {
	UserID        uuid.UUID
	PersonID      uuid.UUID
	Name          string // as shown to people
	ClientID      string
	Channel       Channel
	RequestID     string
	SourceAddress string
}

// Actor returns the principal as the doer of an act.
func (p Principal) Actor() Actor {
	return Actor{
		UserID: p.UserID, PersonID: p.PersonID, Name: p.DisplayName, ClientID: p.ClientID, Channel: p.Channel,
		RequestID: p.RequestID, SourceAddress: p.SourceAddress,
	}
}

// Gateway is the actor of moves that no person makes: an answer of clearing, the end of a time limit.
func Gateway(channel Channel) Actor {
	return Actor{Name: "gateway", Channel: channel}
}

// FourEyesError reports that the person made, edited or approved the message or the change, that the client sent a version of it,
// or that its maker is unknown. Another person must decide; with an unknown maker nobody may.
type FourEyesError struct {
	Text i18n.Text
}

func (e *FourEyesError) Error() string { return e.Text.String() }

func (e *FourEyesError) Sentence() i18n.Text { return e.Text }

// ForbiddenError says that the person lacks the role, or may not do this with this subject.
type ForbiddenError struct {
	Text i18n.Text
}

func (e *ForbiddenError) Error() string { return e.Text.String() }

func (e *ForbiddenError) Sentence() i18n.Text { return e.Text }

func (e *FourEyesError) Refused() string { return "four-eyes" }

func (e *ForbiddenError) Refused() string { return "role" }
