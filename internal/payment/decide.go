package payment

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// MaxReason is the longest reason of a rejection or withdrawal, in characters.
const MaxReason = 512

// Verdict is a checker's input for a decision.
type Verdict struct {
	By identity.Principal
	At time.Time
	// ContentHash is the digest of the content that the checker saw; nil if the caller did not send it. An amended
	// message cannot be approved without it.
	ContentHash *Digest
	// Version the checker saw; 0 means the caller did not say. A digest names the content, a version alone does not.
	Version int
	// StepUp is the second factor the checker showed for this content; nil for none.
	StepUp *identity.StepUp
	// Remark is the checker's optional comment on an approval, at most MaxReason characters.
	Remark string
}

// ApprovalContext are the inputs of an approval beside the verdict: the policy in force for the content, the scheme rules of
// the day, the bank directory, and the keys that seal the release.
type ApprovalContext struct {
	Policy Policy
	// StepUp: the policy in force, or the one the message was made under, asks for a second factor.
	StepUp bool
	Rules  rulebook.Settings
	// Limits are the limits of the message, its makers and its approvers.
	Limits []rulebook.SpendingLimit
	// Directory is as InstructionInput has it.
	Directory *account.Directory
	Today     time.Time // the day of the verdict in the scheme's time zone
	Seal      Sealer
}

// Approve records an approval. The last one needed releases the message under seal, or schedules a payment for a later execution day (see
// Release). It checks the rules first, so that no message that breaks one is released.
//
// Errors in order of precedence: ForbiddenError, FourEyesError, StateError, FourEyesError when this person approved before (either of these
// two is a RepeatError for the same approval), ContentError, WithheldError, ContentError when the verdict names no content although the
// message was amended, or the policy in force requires the content or a second factor, FieldError for the remark, RefusalError when the
// policy now in force requires more approvals than the message has, a rule of the scheme is broken, or a limit would be passed, StepUpError
// when a required second factor was not shown for this content.
func (m Message) Approve(v Verdict, on ApprovalContext) (Transition, error) {
	err := m.checkVerdict(v, ActionApprove)
	if err != nil {
		return Transition{}, m.orRepeat(err, v, Decision{Action: ActionApprove, Remark: v.Remark})
	}
	if (m.Version > 1 || on.Policy.ContentHashRequired || on.StepUp) && v.ContentHash == nil {
		return Transition{}, &ContentError{Message: m, Unnamed: true}
	}
	remark, err := checkRemark(v.Remark)
	if err != nil {
		return Transition{}, err
	}
	err = m.MeetsPolicy(on.Policy)
	if err == nil {
		err = m.StillHolds(on, v.At)
	}
	later := err == nil && m.waitsFor(on.Today)
	if later {
		on.Limits = rulebook.Unused(on.Limits)
	}
	if err == nil {
		err = m.withinLimits(on.Limits)
	}
	if err == nil && on.StepUp {
		err = m.shown(v)
	}
	if err != nil {
		return Transition{}, err
	}
	decision := m.decision(ActionApprove, v)
	if v.StepUp != nil {
		decision.FactorUse, decision.FactorKind = v.StepUp.UseID, v.StepUp.Kind
	}
	to := StateApprovalPending
	switch {
	case decision.Ordinal < m.ApprovalsRequired:
	case later:
		to = StateScheduled
	default:
		to = StateApproved
	}
	t, err := m.transition(ActionApprove, to, v.By.Actor(), v.At)
	if err != nil {
		return Transition{}, err
	}
	decision.Remark, t.reason = remark, i18n.Data(remark)
	t.decision = &decision
	if to == StateApproved {
		t.releaseBy(append(m.Decisions[:len(m.Decisions):len(m.Decisions)], decision), on)
	}
	return t, nil
}

// Reject records a rejection, which ends the message. The reason is required, at most MaxReason characters.
//
// Errors in order of precedence: those of Approve down to WithheldError, FieldError for the reason. No rule of the scheme, no limit and no
// second factor is checked; a message with an open question can be rejected.
func (m Message) Reject(v Verdict, reason string) (Transition, error) {
	err := m.checkVerdict(v, ActionReject)
	if err != nil {
		return Transition{}, m.orRepeat(err, v, Decision{Action: ActionReject, Reason: reason})
	}
	err = checkReasonAt(reason, rejectReasonPointer)
	if err != nil {
		return Transition{}, err
	}
	t, err := m.transition(ActionReject, StateRejected, v.By.Actor(), v.At)
	if err != nil {
		return Transition{}, err
	}
	decision := m.decision(ActionReject, v)
	decision.Reason = reason
	t.decision = &decision
	t.reason = i18n.Data(reason)
	return t, nil
}

// checkRemark returns the remark to store, "" for a blank one. It fails with FieldError for an invalid remark.
func checkRemark(remark string) (string, error) {
	remark = strings.TrimSpace(remark)
	if remark == "" {
		return "", nil
	}
	return remark, checkReasonAt(remark, rejectReasonPointer)
}

// rejectReasonPointer is the JSON pointer of the reason in a decision.
const rejectReasonPointer = "/ApprovalDetails/rejectReason"

// checkReasonAt is CheckReason for the words at a place of the request. Error: FieldError.
func checkReasonAt(reason, pointer string) error {
	return refusedAt(CheckReason(reason), pointer)
}

// refusedAt is the FieldError of a finding about the words at a place of the request; nil for none.
func refusedAt(finding *Finding, pointer string) error {
	if finding == nil {
		return nil
	}
	finding.Pointer = pointer
	return &FieldError{Findings: []Finding{*finding}}
}

// checkNote is checkReasonAt for words that may be left out.
func checkNote(note, pointer string) error {
	if note == "" {
		return nil
	}
	return checkReasonAt(note, pointer)
}

// CheckReason returns the finding about the reason of a rejection, or nil. The reason must not be blank and has at
// most MaxReason characters. The maker's status report repeats it, so only XML characters are allowed (XML 1.0, 2.2):
// tabs and line breaks, but no other control characters.
func CheckReason(reason string) *Finding {
	return checkText(reason, textSentences{
		"Enter a reason for the rejection. The maker will see your reason.", "Shorten the reason to %d characters.",
		"Remove the control characters from the reason.",
	})
}

// textSentences are the sentences about a text that is blank, too long or contains control characters.
type textSentences struct{ blank, long, control i18n.Text }

func checkText(text string, say textSentences) *Finding {
	_, forbidden := iso20022.ForbiddenCharacter(text)
	switch {
	case !forbidden && !strings.ContainsFunc(text, visible):
		return &Finding{Code: "CH21", Text: say.blank}
	case utf8.RuneCountInString(text) > MaxReason:
		return &Finding{Code: "FF01", Text: say.long.With(MaxReason)}
	case forbidden:
		return &Finding{Code: "FF01", Text: say.control}
	}
	return nil
}

// visible reports whether a character can be seen: no space, and none that only joins, parts or turns others (category Cf of Unicode).
func visible(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }

func (m Message) checkVerdict(v Verdict, action Action) error {
	err := m.MayDecide(v.By)
	if err != nil {
		return err
	}
	if !m.State.Pending() || m.State == StateQuestion && action != ActionReject {
		return &StateError{Message: m, Wanted: StateApprovalPending}
	}
	if !m.ExpiresAt.IsZero() && !v.At.Before(m.ExpiresAt) {
		return &StateError{Message: m, Wanted: m.State}
	}
	if m.decidedBy(v.By) {
		return &FourEyesError{Text: "You have already approved this payment or request. Another person must give the next approval."}
	}
	if v.ContentHash != nil && *v.ContentHash != m.ContentHash {
		return &ContentError{Message: m}
	}
	if v.Version != 0 && v.Version != m.Version {
		return &ContentError{Message: m}
	}
	return m.Trusted()
}

func (m Message) decision(action Action, v Verdict) Decision {
	grant, _ := v.By.Grant(identity.RoleChecker)
	return Decision{
		Ordinal: len(m.Decisions) + 1, Action: action, UserID: v.By.UserID, PersonID: v.By.PersonID, Name: v.By.DisplayName, Login: v.By.UserName,
		ClientID: v.By.ClientID, Channel: v.By.Channel, DecidedAt: v.At, ForVersion: m.Version, Grant: grant,
	}
}

// Approval returns the content that a second factor must confirm: the current content of the message.
func (m Message) Approval() identity.Approval {
	return identity.Approval{MessageID: m.InternalID, Version: m.Version, ContentHash: m.ContentHash}
}

// shown refuses an approval without a second factor that this person showed for the present content. Error: StepUpError.
func (m Message) shown(v Verdict) error {
	if v.StepUp == nil || v.StepUp.UserID != v.By.UserID || v.StepUp.For != m.Approval() {
		return &StepUpError{Message: m}
	}
	return nil
}

// Barred returns the reason why another person, a checker, may not decide this message; "" when allowed.
func (m Message) Barred(checker identity.Principal) i18n.Text {
	grant, _ := checker.Grant(identity.RoleChecker)
	switch {
	case m.MadeBy(checker.PersonID):
		return "entered or changed this payment or request"
	case m.decidedBy(checker):
		return "has already approved this payment or request"
	case grant.GrantedAt.After(m.CreatedAt):
		return "became a checker only after this payment or request was entered"
	}
	return ""
}

func (m Message) decidedBy(checker identity.Principal) bool {
	return slices.ContainsFunc(m.Decisions, func(d Decision) bool { return d.PersonID == checker.PersonID })
}
