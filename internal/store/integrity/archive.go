package integrity

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"countersign/internal/auditlog"
	"countersign/internal/payment"
)

// final are the states of payment.Final as texts.
var final = func() []string {
	var states []string
	for _, state := range payment.Final() {
		states = append(states, string(state))
	}
	return states
}()

// ArchiveInput names what an archive holds.
type ArchiveInput struct {
	Realm   string
	Month   string // such as 2026-03; it must be over
	Now     time.Time
	Seal    payment.Sealer      // checks each message before it is archived
	Trusted auditlog.PublicKeys // verify the written bundles
}

// Archive writes the archive of a month: every payment that ended before the end of the month, with all messages about it, and is still in
// the database. It returns the number of messages.
//
// Errors: ErrNotSealed, ErrNotGenuine.
func (s *Snapshot) Archive(ctx context.Context, in ArchiveInput, file io.Writer) (int, error) {
	err := s.follow(ctx)
	if err != nil {
		return 0, err
	}
	newest, err := s.newest(ctx, in.Realm)
	if err != nil {
		return 0, err
	}
	header, err := auditlog.NewArchiveHeader(in.Realm, in.Month, newest.Note, in.Trusted)
	if err != nil {
		return 0, err
	}
	if in.Now.Before(header.Until) {
		return 0, fmt.Errorf("the month %s is not over", in.Month)
	}
	ended, err := s.q.EndedMessageList(ctx, in.Realm, header.Until, final)
	if err != nil {
		return 0, fmt.Errorf("read what ended: %w", err)
	}
	if len(ended) == 0 {
		return 0, errors.New("nothing that ended by the end of " + in.Month + " is in the database")
	}
	s.repeated = repeats{
		rights: map[string]shownRights{}, told: map[string][]auditlog.Hash{}, hashes: map[string][]auditlog.Hash{},
	}
	out, err := auditlog.NewArchiveWriter(file, header, in.Trusted)
	for _, m := range ended {
		var bundle auditlog.Bundle
		if err == nil {
			bundle, err = s.bundleUnder(ctx, in.Seal, newest, m.MessageID)
		}
		if err == nil {
			err = out.Add(m.Payment.String(), bundle)
		}
		if err != nil {
			return 0, fmt.Errorf("archive message %s: %w", m.MessageID, err)
		}
	}
	return out.Messages, out.Close()
}
