package auditlog

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"countersign/internal/i18n"
)

// EventOf names the event of a step of a message's life, for example "instruction.approve" or "instruction.time-out".
func EventOf(kind, action string) string {
	return kind + "." + strings.ReplaceAll(action, " ", "-")
}

// Detail is the canonical text of a step: one JSON object with the keys from, to and, if there is one, reason and text, in this order.
func Detail(from, to string, reason i18n.Text) string {
	return detailOf(struct {
		From   string `json:"from"`
		To     string `json:"to"`
		Reason string `json:"reason,omitempty"`
		Text   string `json:"text,omitempty"` // the reason as i18n.Kept reads it, "" where a person or another bank gave it
	}{from, to, reason.String(), reason.Stored()})
}

// SplitText takes the text of its reason out of a detail; "" for none.
func SplitText(detail string) (rest string, reason i18n.Text) {
	before, after, found := strings.Cut(detail, `,"text":`)
	if !found {
		return detail, ""
	}
	var text string
	decoder := json.NewDecoder(strings.NewReader(after))
	err := decoder.Decode(&text)
	if err != nil {
		return detail, ""
	}
	return before + after[decoder.InputOffset():], i18n.Kept(text)
}

// Opening is a message's first step.
type Opening struct {
	To, Reason string
	RequestKey string // the Idempotency-Key of the request; "" for none
}

// OpeningDetail is the canonical text of a message's first step: one JSON object with the keys from, to, reason ("" for none) and, for a
// request with an Idempotency-Key, requestKey, its SHA-256 in hexadecimal digits, in this order.
func OpeningDetail(o Opening) string {
	digest := ""
	if o.RequestKey != "" {
		sum := sha256.Sum256([]byte(o.RequestKey))
		digest = hex.EncodeToString(sum[:])
	}
	return detailOf(struct {
		From       string `json:"from"`
		To         string `json:"to"`
		Reason     string `json:"reason"`
		RequestKey string `json:"requestKey,omitempty"`
	}{"None", o.To, o.Reason, digest})
}

// PayeeNameHash is the digest of the name of a payee's account: HMAC-SHA256 under the content of the version, which hides the name from
// everybody who lacks the content. "" for no name.
func PayeeNameHash(content []byte, name string) string {
	if name == "" {
		return ""
	}
	digest := hmac.New(sha256.New, content)
	digest.Write([]byte(name))
	return hex.EncodeToString(digest.Sum(nil))
}

// WithPayee adds the result of the verification of payee to the detail of a step: the keys payee (its result) and, with a close match,
// payeeNameHash. Without a result it returns the detail unchanged.
func WithPayee(detail, result, matchedName string, content []byte) string {
	if result == "" {
		return detail
	}
	text, err := json.Marshal(struct {
		Payee string `json:"payee"`
		Name  string `json:"payeeNameHash,omitempty"`
	}{result, PayeeNameHash(content, matchedName)})
	if err != nil {
		return detail // strings always encode
	}
	return strings.TrimSuffix(detail, "}") + "," + strings.TrimPrefix(string(text), "{")
}

// LimitUse is the use of a daily limit by a release: the amount used before it, and the amount allowed, in minor units.
type LimitUse struct {
	Limit   string `json:"limit"` // its id
	Day     string `json:"day"`
	Before  int64  `json:"before"`
	Amount  int64  `json:"amount"`
	Allowed int64  `json:"allowed"`
}

// Head is the head of a realm's master data: its number, the number of rows, and the root of the tree of their digests.
type Head struct {
	Number int64 `json:"number"`
	Rows   int64 `json:"rows"`
	Root   Text  `json:"root"`
}

// WithHead adds the head under which a right was used to the detail of a step, under the key head.
func WithHead(detail string, h Head) string {
	return strings.TrimSuffix(detail, "}") + `,"head":` + detailOf(h) + "}"
}

// WithLimits adds the amounts of daily limits that a release uses to the detail of a step, under the key limits. Without any the detail
// stays unchanged.
func WithLimits(detail string, uses []LimitUse) string {
	if len(uses) == 0 {
		return detail
	}
	text, err := json.Marshal(uses)
	if err != nil {
		return detail // strings and numbers always encode
	}
	return strings.TrimSuffix(detail, "}") + `,"limits":` + string(text) + "}"
}

// UseBegins is the beginning of a use of a limit on a day in the text of a detail, before the number.
func UseBegins(limit, day string) string {
	return `"limit":"` + limit + `","day":"` + day + `","before":`
}

// Events of refusals. Refused steps of a message have the event of RefusedEventOf.
const (
	// EventSignInRefused: a wrong name or password, or an account that may not sign in.
	EventSignInRefused = "sign-in.refused"
	// EventSignInLocked: a try while too many wrong ones had locked the name.
	EventSignInLocked = "sign-in.locked"
	// EventDocumentQuarantined: a document of clearing that matches no message, or contradicts its message.
	EventDocumentQuarantined = "document.quarantined"
	// EventAnswerRefused: a row of the outbox that this gateway did not write.
	EventAnswerRefused = "answer.refused"
)

// Events of a realm rather than a message.
const (
	// EventRealmCreate, EventRealmAdministrator and EventRealmApply: the operator made a realm, added an administrator, or applied a file to
	// it.
	EventRealmCreate        = "realm.create"
	EventRealmAdministrator = "realm.administrator"
	EventRealmApply         = "realm.apply"
	// EventRealmBreakGlass: the operator brought an administrator into a realm that has two already, or gave somebody there a password.
	EventRealmBreakGlass = "realm.break-glass"
	// EventRealmRows: a change of master data wrote rows. The newest event of a row has the digest that the row must have.
	EventRealmRows = "realm.rows"
	// EventChangeRequest, EventChangeApprove and EventChangeReject: an administrator asked for a change, and another one decided it; of a
	// beneficiary a maker asks and a checker decides.
	EventChangeRequest = "change.request"
	EventChangeApprove = "change.approve"
	EventChangeReject  = "change.reject"
	// EventListExport: somebody took a list of messages out of the portal as a table.
	EventListExport = "list.export"
	// EventAccessReview: a supervisor confirmed the rights of all accounts. The detail holds the accounts as they were shown.
	EventAccessReview = "access.review"
	// EventUserSetUp: somebody set the password of an account with its link and code.
	EventUserSetUp = "user.set-up"
	// EventSignInEnded: a sign-in of the API was ended before its time, by its client or because a spent token came again.
	EventSignInEnded = "sign-in.ended"
	// EventSessionStarted: somebody signed in to the portal, with the second factor if one is needed.
	EventSessionStarted = "session.started"
	// EventSessionEnded: a session of the portal was ended: by signing out, by another sign-in, or by its owner from another session.
	EventSessionEnded = "session.ended"
	// EventSessionsEnded: somebody ended everything their account was signed in with.
	EventSessionsEnded = "session.ended-all"
	// EventFactorEnrol, EventFactorUse and EventFactorRemove: somebody took up a second factor, showed one that was right, or gave one up.
	EventFactorEnrol  = "second-factor.enrol"
	EventFactorUse    = "second-factor.use"
	EventFactorRemove = "second-factor.remove"
	// EventFactorRefused: a second factor was shown that was wrong, used before, or locked by too many wrong ones.
	EventFactorRefused = "second-factor.refused"
	// EventTryAgain: an operator started a retry before its time.
	EventTryAgain = "operation.try-again"
	// EventWebhookSend: an administrator sent an event to a webhook again, or a test.
	EventWebhookSend = "webhook.send"
	// EventSignInProvider: somebody signed in to the portal through the identity provider of their realm.
	EventSignInProvider = "sign-in.provider"
	// EventSignInProviderRefused: somebody came back from the provider and was not let in.
	EventSignInProviderRefused = "sign-in.provider-refused"
	// EventSignInBreakGlass: an administrator signed in by password in a realm whose people use its identity provider.
	EventSignInBreakGlass = "sign-in.break-glass"
	// EventUserRights: an account was given roles, or roles were taken from it, by a change or by the operator.
	EventUserRights = "user.rights"
	// EventUserPassword: a password was changed, by its owner or by the operator.
	EventUserPassword = "user.password"
)

// RealmEvents name the events that are no step of a message, for people.
var RealmEvents = map[string]i18n.Text{
	EventSignInRefused: "Sign-in refused", EventSignInLocked: "Sign-in refused, user name locked",
	EventDocumentQuarantined: "Message put in quarantine", EventAnswerRefused: "Answer not sent",
	EventRealmCreate: "Realm created", EventRealmAdministrator: "Administrator added by the operator",
	EventRealmApply: "Configuration applied by the operator", EventRealmBreakGlass: "Emergency access by the operator",
	EventRealmRows: "Master data saved", EventChangeRequest: "Change requested",
	EventChangeApprove: "Change approved", EventChangeReject: "Change rejected",
	EventListExport: "List exported", EventAccessReview: "Access review confirmed",
	EventUserSetUp: "User account set up", EventSignInEnded: "API session ended",
	EventSessionStarted: "Signed in", EventSessionEnded: "Session ended",
	EventSessionsEnded: "All sessions ended", EventFactorEnrol: "Second factor added",
	EventFactorUse: "Second factor used", EventFactorRemove: "Second factor removed",
	EventFactorRefused: "Second factor refused", EventTryAgain: "Retry started by an operator",
	EventSignInProvider:        "Signed in through the identity provider",
	EventSignInProviderRefused: "Sign-in through the identity provider refused",
	EventSignInBreakGlass:      "Signed in with the emergency password", EventUserRights: "Roles changed",
	EventUserPassword: "Password changed", EventWebhookSend: "Event sent to a webhook manually",
}

// Subject is the subject of an action, with the reason given for it.
type Subject struct {
	Name   string
	Reason string
}

// ChangeDetail is the canonical text of a step of a change of administration: one JSON object with the keys change (its id), kind, subject
// and, if there is one, reason, in this order.
func ChangeDetail(change, kind string, of Subject) string {
	return detailOf(struct {
		Change  string `json:"change"`
		Kind    string `json:"kind"`
		Subject string `json:"subject"`
		Reason  string `json:"reason,omitempty"`
	}{change, kind, of.Name, of.Reason})
}

// SubjectDetail returns the canonical detail of an action on a subject: one JSON object with the keys subject and, when a reason was given,
// reason, in this order.
func SubjectDetail(subject, reason string) string {
	return detailOf(struct {
		Subject string `json:"subject"`
		Reason  string `json:"reason,omitempty"`
	}{subject, reason})
}

// MasterRow is a row of master data that a change wrote.
type MasterRow struct {
	Table  string `json:"in"`
	Key    string `json:"key"`
	Digest string `json:"digest"` // hexadecimal
}

// RowsDetail is the canonical text of the rows that a change of master data wrote: one JSON object with the keys number (of the head that
// the change made), change (the approved change; left out when nobody decided it) and rows, in this order.
func RowsDetail(number int64, change string, rows []MasterRow) string {
	return detailOf(struct {
		Number int64       `json:"number"`
		Change string      `json:"change,omitempty"`
		Rows   []MasterRow `json:"rows"`
	}{number, change, rows})
}

// Factor is a second factor with the purpose of its use.
type Factor struct {
	Kind    string // totp, passkey or recovery
	Name    string // as its owner calls it
	Purpose string
	Message string // the internal id of what was approved with it; "" for other purposes
}

// FactorDetail returns the canonical detail of an event of a second factor: one JSON object with the keys factor (its kind), name and, when
// set, purpose and message, in this order.
func FactorDetail(f Factor) string {
	return detailOf(struct {
		Kind    string `json:"factor"`
		Name    string `json:"name"`
		Purpose string `json:"purpose,omitempty"`
		Message string `json:"message,omitempty"`
	}{f.Kind, f.Name, f.Purpose, f.Message})
}

// RefusedEventOf names a step of a message's life that was refused, for example "instruction.approve-refused".
func RefusedEventOf(kind, action string) string {
	return EventOf(kind, action) + "-refused"
}

// RefusalDetail is the canonical text of a refusal: one JSON object with the keys refused (a word, such as "four-eyes") and reason (the
// sentence for the caller) and text (of the sentence, as Detail has it), in this order.
func RefusalDetail(why, sentence string, text i18n.Text) string {
	return detailOf(struct {
		Refused string `json:"refused"`
		Reason  string `json:"reason,omitempty"`
		Text    string `json:"text,omitempty"`
	}{why, sentence, text.Stored()})
}

// EndDetail is the canonical text of the end of a sign-in or a session: one JSON object with the keys ended (its id or digest) and reason,
// in this order.
func EndDetail(ended, reason string) string {
	return detailOf(struct {
		Ended  string `json:"ended"`
		Reason string `json:"reason"`
	}{ended, reason})
}

// detailOf is the JSON of strings and numbers, which always encode.
func detailOf(fields any) string {
	text, err := json.Marshal(fields)
	if err != nil {
		return "{}"
	}
	return string(text)
}
