package payee

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Path is appended to the address that the directory of the scheme gives for a bank.
const Path = "/vop/v1/payee-verifications"

// The headers of the API. A request id is a UUID, a timestamp the time of the message in UTC with milliseconds.
const (
	RequestID         = "X-Request-ID"
	RequestTimestamp  = "X-Request-Timestamp"
	ResponseTimestamp = "X-Response-Timestamp"
)

// MaxBody is the largest body, in bytes, of a question and of an answer: both hold a name and some identifiers.
const MaxBody = 16 << 10

// Timestamp writes a time as the headers do.
func Timestamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// Request asks about one payee.
type Request struct {
	Party           Party   `json:"party"`
	PartyAccount    Account `json:"partyAccount"`
	PartyAgent      Agent   `json:"partyAgent"`
	RequestingAgent Agent   `json:"requestingAgent"`
}

// Party is the payee: its name, or an identification in the place of it.
type Party struct {
	Name           string          `json:"name,omitempty"`
	Identification json.RawMessage `json:"identification,omitempty"`
}

// Account is the account of the payee.
type Account struct {
	IBAN string `json:"iban"`
}

// Agent is a bank.
type Agent struct {
	FinancialInstitution FinancialInstitution `json:"financialInstitutionId"`
}

// FinancialInstitution names a bank by its BIC.
type FinancialInstitution struct {
	BIC string `json:"bicfi"`
}

// Response answers one request: by name, or by identification.
type Response struct {
	NameMatch   string `json:"partyNameMatch,omitempty"`
	IDMatch     string `json:"partyIdMatch,omitempty"`
	MatchedName string `json:"matchedName,omitempty"`
}

// Problem is the body of an error answer (RFC 9457, with the codes of the API).
type Problem struct {
	Type   string `json:"type"`
	Code   string `json:"code"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
}

// The codes of problems.
const (
	CodeFormat       = "FORMAT_ERROR"
	CodeClient       = "CLIENT_INVALID"
	CodeInconsistent = "CLIENT_INCONSISTENT"
	CodeTimestamp    = "TIMESTAMP_INVALID"
)

// NewRequest writes a question.
func NewRequest(q Question) Request {
	return Request{Party: Party{Name: q.Name}, PartyAccount: Account{IBAN: q.IBAN}, PartyAgent: bank(q.Bank), RequestingAgent: bank(q.Asker)}
}

func bank(bic string) Agent { return Agent{FinancialInstitution: FinancialInstitution{BIC: bic}} }

// ReadRequest reads a question. Its error is a sentence for the asking bank. A question with an identification alone has no name.
func ReadRequest(body []byte) (Question, error) {
	var r Request
	err := json.Unmarshal(body, &r)
	if err == nil {
		err = checkMembers(json.NewDecoder(bytes.NewReader(body)))
	}
	if errors.Is(err, errMembers) {
		return Question{}, err
	}
	if err != nil {
		return Question{}, errors.New("send one JSON object with party, partyAccount, partyAgent and requestingAgent")
	}
	q := Question{
		Name: strings.TrimSpace(r.Party.Name), IBAN: r.PartyAccount.IBAN, Bank: r.PartyAgent.FinancialInstitution.BIC,
		Asker: r.RequestingAgent.FinancialInstitution.BIC,
	}
	switch {
	case q.Name == "" && len(r.Party.Identification) == 0:
		return q, errors.New("party: give the name of the payee")
	case !printable(q.Name):
		return q, fmt.Errorf("party.name: give at most %d characters, no control characters among them", MaxName)
	case q.IBAN == "":
		return q, errors.New("partyAccount.iban: give the account of the payee")
	case q.Bank == "":
		return q, errors.New("partyAgent.financialInstitutionId.bicfi: give the bank that keeps the account")
	case q.Asker == "":
		return q, errors.New("requestingAgent.financialInstitutionId.bicfi: give the bank that asks")
	}
	return q, nil
}

// errMembers refuses a question of which two readers could understand different things (VOP API 1.1.1: no empty fields).
var errMembers = errors.New("name each member once, and leave out empty texts, arrays and objects")

// checkMembers reads one JSON value. It fails with errMembers when an object in it has a member twice, or a member is empty.
func checkMembers(d *json.Decoder) error {
	opened, err := d.Token()
	if err != nil {
		return err
	}
	if opened == "" {
		return errMembers
	}
	delimiter, group := opened.(json.Delim)
	if !group {
		return nil
	}
	seen, count := map[any]bool{}, 0
	for ; d.More(); count++ {
		if delimiter == '{' {
			name, err := d.Token()
			if err != nil {
				return err
			}
			if seen[name] {
				return errMembers
			}
			seen[name] = true
		}
		err = checkMembers(d)
		if err != nil {
			return err
		}
	}
	if count == 0 {
		return errMembers
	}
	_, err = d.Token()
	return err
}

// NewResponse writes an answer to a question with a name, or with an identification alone.
func NewResponse(a Answer, named bool) Response {
	if !named {
		return Response{IDMatch: string(a.Result)}
	}
	return Response{NameMatch: string(a.Result), MatchedName: a.MatchedName}
}

// ReadResponse reads an answer. It fails when the answer is none of the scheme: a close match has to tell the name, and nothing else may
// stand for one.
func ReadResponse(body []byte) (Answer, error) {
	var r Response
	err := json.Unmarshal(body, &r)
	if err != nil {
		return Answer{}, fmt.Errorf("read the answer: %w", err)
	}
	answer := Answer{Result: Result(r.NameMatch)}
	switch answer.Result {
	case Match, NoMatch, NotPossible:
		return answer, nil
	case CloseMatch:
		answer.MatchedName = strings.TrimSpace(r.MatchedName)
		if answer.MatchedName == "" || !printable(answer.MatchedName) {
			return Answer{}, errors.New("the answer is a close match without a name that can be shown")
		}
		return answer, nil
	default: // what this side alone says of an answer that never came is no answer
	}
	return Answer{}, fmt.Errorf("the answer is %.20q, which the scheme does not know", r.NameMatch)
}

// printable reports whether a name is no longer than names may be and can be shown.
func printable(name string) bool {
	return utf8.ValidString(name) && utf8.RuneCountInString(name) <= MaxName && !strings.ContainsFunc(name, unicode.IsControl)
}
