package payment

import (
	"countersign/internal/i18n"
	"countersign/internal/identity"
)

// MayRead returns the reason why the principal may not read payments, or nil: administrators look after users, not payments.
func MayRead(by identity.Principal) error {
	if by.Has(identity.RoleMaker) || by.Has(identity.RoleChecker) || by.Has(identity.RoleSupervisor) {
		return nil
	}
	return &ForbiddenError{Text: "You need the role of maker, checker or supervisor to view payments."}
}

// MayAudit returns the reason why the person may not read the whole audit trail of the realm, or nil. Error: ForbiddenError.
func MayAudit(by identity.Principal) error {
	if by.Has(identity.RoleSupervisor) || by.Has(identity.RoleAdministrator) {
		return nil
	}
	return &ForbiddenError{Text: "You need the role of supervisor or administrator to view the audit trail."}
}

// MayChange returns the reason why the principal may not change payments, or nil. It checks the role only; Withdraw and Amend check the
// rest.
func (m Message) MayChange(by identity.Principal) error {
	if !by.Has(identity.RoleMaker) {
		return &ForbiddenError{Text: "You need the maker role to change payments."}
	}
	return nil
}

// mayWithdraw returns the reason why the principal may not withdraw the message, or nil. A checker may withdraw a message that is not
// pending, because checkers reject pending ones; after a lost race the error is about the state.
func (m Message) mayWithdraw(by identity.Principal) error {
	if by.Has(identity.RoleChecker) && !m.State.Pending() {
		return nil
	}
	err := m.MayChange(by)
	if err == nil && !m.MadeBy(by.PersonID) {
		err = &ForbiddenError{Text: "Only the maker can withdraw this payment. As a checker, you can reject it instead."}
		if !m.State.Pending() {
			err = &ForbiddenError{Text: "Only the maker or a checker can withdraw this payment."}
		}
	}
	return err
}

// MayDecide returns the reason why the principal may not decide this message, or nil. Pages, handlers, Approve and
// Reject share it.
//
// Errors: ForbiddenError without the role or with a role granted after the message was made; FourEyesError for an
// unknown maker, for its maker or an editor, and for a client that sent a version.
func (m Message) MayDecide(by identity.Principal) error {
	if !by.Has(identity.RoleChecker) {
		return &ForbiddenError{Text: "You need the checker role to approve or reject payments."}
	}
	if len(m.Makers) == 0 || m.MadeBy([16]byte{}) {
		return &FourEyesError{Text: "The maker of this payment or request is unknown, so nobody may approve or reject it."}
	}
	if m.MadeBy(by.PersonID) {
		return &FourEyesError{Text: i18n.Text("You %s this payment or request on %s. Another person must approve or reject it.").
			With(m.part(by), i18n.Minute(m.CreatedAt))}
	}
	if by.Channel == identity.ChannelAPI && m.CameThrough(by.ClientID) && !by.ClientMayDecideOwn {
		return &FourEyesError{Text: i18n.Text("The client %s %s this payment or request. Another client, or a person in the portal, must "+
			"approve or reject it.").With(by.ClientID, m.partOfClient(by.ClientID))}
	}
	return m.checkGrant(by)
}

// checkGrant refuses a checker whose role was granted after the message was made. Otherwise an administrator could
// add a checker for a pending message. The database enforces the same rule and refuses a decision without a grant.
func (m Message) checkGrant(by identity.Principal) error {
	grant, known := by.Grant(identity.RoleChecker)
	if known && grant.GrantedAt.After(m.CreatedAt) {
		return &ForbiddenError{Text: i18n.Text("You became a checker on %s, but this payment or request was entered earlier, on %s. A "+
			"person who was already a checker at that time must approve or reject it.").With(i18n.Moment(grant.GrantedAt), i18n.Moment(m.CreatedAt))}
	}
	return nil
}

// part returns the person's part in the message: the first maker submitted it, later makers changed it.
func (m Message) part(by identity.Principal) i18n.Text {
	if m.Makers[0] == by.PersonID {
		return "submitted"
	}
	return "changed"
}

// partOfClient returns the client's part in the message: it sent the first version or a later one.
func (m Message) partOfClient(client string) i18n.Text {
	if m.ClientID == client {
		return "created"
	}
	return "changed"
}
