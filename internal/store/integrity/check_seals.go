package integrity

import (
	"context"
	"errors"
	"strings"

	"countersign/internal/keyring"
	"countersign/internal/payment"
)

// bySeal checks the seals of the rows of one kind; each reports the rows that do not fit.
func (a *audit) bySeal(invariant, statement string, each func(unfit func(Violation)) error) error {
	if !a.sealed() {
		a.skip(invariant, statement, releaseKeys)
		return nil
	}
	var found []Violation
	err := each(func(v Violation) { found = append(found, v) })
	if err != nil {
		return err
	}
	a.conclude(invariant, statement, found)
	return nil
}

// waiting compares the rows that no tree has yet with their seals.
func (a *audit) waiting(ctx context.Context) error {
	if a.snapshot.trail == nil {
		a.skip("I21", waitingSealed, releaseKeys+" and "+tokenKeys)
		return nil
	}
	rows, err := a.snapshot.Unsealed(ctx, a.sealedBelow)
	if err != nil {
		return err
	}
	var found []Violation
	for _, row := range rows {
		if row.Forged {
			found = append(found, Violation{
				Realm: row.Realm, Table: row.Table, Key: row.ID.String(), What: "does not fit its seal: the gateway did not write it",
			})
		}
	}
	a.conclude("I21", waitingSealed, found)
	return nil
}

// documents compares each document with its seal.
func (a *audit) documents(ctx context.Context) error {
	return a.bySeal("I18", documentSealed, func(unfit func(Violation)) error {
		return a.snapshot.EachDocument(ctx, func(d AuditedDocument) {
			a.report.Documents++
			err := a.cfg.Seal.CheckStored(d.Facts, d.Seal)
			if err != nil {
				unfit(Violation{
					Realm: d.Facts.Realm, Table: "document", Key: d.ID.String(),
					What: string(d.Facts.Name) + " " + d.Facts.Reference + " of message " + d.Facts.MessageID.String() + ": " +
						sealUnfit(err, "its content, its source, its message, its name or its reference"),
				})
			}
		})
	})
}

// answers compares each row of the outbox with its seals.
func (a *audit) answers(ctx context.Context) error {
	return a.bySeal("I19", answerSealed, func(unfit func(Violation)) error {
		return a.snapshot.EachAnswer(ctx, func(o AuditedAnswer) {
			a.report.Answers++
			what := a.answerUnfit(o)
			if what != "" {
				unfit(Violation{Table: "outbox", Key: o.Facts.Scheme + " " + o.Facts.Reference, What: what})
			}
		})
	})
}

// answerUnfit returns the difference between a row of the outbox and its seals, "" when both fit.
func (a *audit) answerUnfit(o AuditedAnswer) string {
	err := a.cfg.Seal.CheckAnswer(o.Facts, o.Seal)
	switch {
	case err != nil:
		return sealUnfit(err, "its content, its name or its reference")
	case o.Facts.Answers != "" && payment.CheckRefusal(o.Answered, o.Facts.Content) != nil:
		return "refuses another document than the received one, or has more than that one"
	case o.Astray:
		return "the document that it sends again is not there, or is another one"
	case o.Refused:
		return "is marked as refused, though it matches its seal: clearing does not get it"
	case o.Delivery == nil && o.DeliverySeal != (keyring.Seal{}):
		return "the time of its delivery is gone, and its mark is there: it is sent once more"
	case o.Delivery == nil:
		return ""
	}
	err = a.cfg.Seal.CheckDelivery(*o.Delivery, o.DeliverySeal)
	if err != nil {
		return "clearing may never have had it: the mark of its delivery " + strings.TrimPrefix(sealUnfit(err, "its time"), "its seal ")
	}
	return ""
}

// requests compares each key of a request with its seal.
func (a *audit) requests(ctx context.Context) error {
	return a.bySeal("I28", requestSealed, func(unfit func(Violation)) error {
		return a.snapshot.EachRequestKey(ctx, func(k AuditedRequestKey) {
			a.report.Requests++
			err := a.cfg.Seal.CheckRequestKey(k.Key, k.Seal)
			if err != nil {
				unfit(Violation{
					Realm: k.Key.Realm, Table: "creation_key", Key: k.Key.ClientID + " " + string(k.Key.Scope) + " " + k.Key.Key,
					What: "of message " + k.Key.MessageID.String() + ": " + sealUnfit(err, "its request, its message, its client or its time"),
				})
			}
		})
	})
}

// coreBookings compares each record of a payment at core banking with its seal and its version.
func (a *audit) coreBookings(ctx context.Context) error {
	return a.bySeal("I35", coreSealed, func(unfit func(Violation)) error {
		return a.snapshot.eachCoreBooking(ctx, func(b payment.CoreBooking) {
			err := a.cfg.Seal.CheckCore(b)
			if err != nil {
				unfit(Violation{
					Realm: b.Realm, Table: "core_booking", Key: b.MessageID.String(),
					What: sealUnfit(err, "its answer, its version, its times or its report to core banking"),
				})
			}
		})
	})
}

// tokens compares each token and each session with its seal.
func (a *audit) tokens(ctx context.Context) error {
	if a.cfg.Tokens.Empty() {
		a.skip("I26", tokenSealed, tokenKeys)
		return nil
	}
	unfit, looked, err := a.snapshot.Tokens(ctx, a.cfg.Tokens)
	if err != nil {
		return err
	}
	sessions, open, err := a.snapshot.Sessions(ctx, a.cfg.Tokens, a.cfg.Now)
	if err != nil {
		return err
	}
	a.report.Tokens = looked + open
	found := make([]Violation, 0, len(unfit)+len(sessions))
	for _, row := range sessions {
		what := sealUnfit(row.Err, "its life, its name, or its person")
		if errors.Is(row.Err, ErrEnded) {
			what = "is open again, and the audit trail has its end"
		}
		found = append(found, Violation{Table: "sessions", Key: row.Name, What: what})
	}
	for _, row := range unfit {
		found = append(found, Violation{
			Realm: row.Realm, Table: row.Table, Key: row.Key,
			What: sealUnfit(row.Err, "its life, its use, or the sign-in "+row.FamilyID.String()+" it belongs to"),
		})
	}
	a.conclude("I26", tokenSealed, found)
	return nil
}

// masterData compares each row of administered data with its seal.
func (a *audit) masterData(ctx context.Context) error {
	if a.cfg.Tokens.Empty() {
		a.skip("I20", masterSealed, tokenKeys)
		return nil
	}
	rows, err := a.snapshot.MasterData(ctx, a.cfg.Tokens)
	if err != nil {
		return err
	}
	found := make([]Violation, 0, len(rows))
	for _, row := range rows {
		found = append(found, Violation{Realm: row.Realm, Table: row.Table, Key: row.Key, What: sealUnfit(row.Err, "a field of it")})
	}
	a.conclude("I20", masterSealed, found)
	return nil
}
