package integrity

import (
	"context"
	"errors"
	"fmt"

	"countersign/internal/payment"
)

// versions compares each version with its seal and its content, and each release with its seal and the documents sent. The content is
// compared without keys as well.
func (a *audit) versions(ctx context.Context) ([]Violation, error) {
	var found []Violation
	a.ofReleases = nil
	err := a.snapshot.EachVersion(ctx, func(v AuditedVersion) error {
		a.report.Versions++
		m := v.Message
		what := a.versionUnfit(m)
		if what == "" && !v.Found {
			what = "its search words are not those of its names, accounts and purpose"
		}
		if what != "" {
			found = append(found, Violation{
				Realm: m.Realm, Table: "message_version", Key: fmt.Sprintf("%s %d", m.InternalID, m.Version), What: what,
			})
		}
		if v.Release != nil && a.sealed() {
			what = a.releaseUnfit(v)
			if what != "" {
				a.ofReleases = append(a.ofReleases, Violation{Realm: m.Realm, Table: "release", Key: m.InternalID.String(), What: what})
			}
		}
		return nil
	})
	return found, err
}

// versionUnfit returns the defect of a version, "" when there is none. It checks the content also without keys.
func (a *audit) versionUnfit(m payment.Message) string {
	if a.sealed() {
		err := a.cfg.Seal.CheckVersion(m)
		if err != nil {
			return sealUnfit("", err, "the message, its columns, its makers or its digest")
		}
	}
	return m.Difference().String()
}

// releaseUnfit returns the difference between a release and its seal, or between the document that it makes and each stored document of it,
// "" when all fit. This version of the program makes the document: if it writes documents differently, it finds a difference in each that
// an earlier version sent.
func (a *audit) releaseUnfit(v AuditedVersion) string {
	verified, err := a.cfg.Seal.Verify(*v.Release, v.Message)
	if err != nil {
		return sealUnfit("", err, "the release, its approvers, its makers, its time or its message")
	}
	if len(v.Sent) == 0 {
		if !v.Message.DeliveredAt.IsZero() && v.Message.State != payment.StateFailed {
			return "its message was delivered, and no document was made for it"
		}
		return ""
	}
	made, err := verified.Outbound(verified.Message().AcceptedAt.In(a.cfg.Zone))
	switch {
	case errors.Is(err, payment.ErrForged): // the debtor account changed since
		a.report.AccountChanged++
		return ""
	case err != nil:
		return "its document cannot be made again: " + err.Error()
	}
	for _, sent := range v.Sent {
		if !a.cfg.Profiles.Wrote(string(v.Message.Scheme), made.Document(), sent) {
			return "the stored document for clearing differs from the one that is made of it now"
		}
	}
	return ""
}

// sealUnfit turns the error of a seal into a sentence about the fields it covers, after words that name the row; "" for no error.
func sealUnfit(row string, err error, covers string) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, payment.ErrForged):
		return row + "its seal does not fit: " + covers + " was changed, or somebody without the key made it"
	case errors.Is(err, payment.ErrUnknownKey):
		return row + "this seal cannot be checked because its key is missing from the key file, so restore the key and check again"
	}
	return row + err.Error()
}
