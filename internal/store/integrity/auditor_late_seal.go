package integrity

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// LateRun is a call of countersign seal: rows that were sealed after they were stored, by somebody who answers for them.
type LateRun struct {
	ID         uuid.UUID
	By, Reason string
	Before, At time.Time
	Rows       int
}

// lateSeals holds the note of each row that was sealed afterwards against its seal, and the notes against what the audit trails tell of
// them.
func (a *audit) lateSeals(ctx context.Context) error {
	a.answered = make(map[Violation]bool)
	if !a.sealed() {
		a.skip("I29", lateSealed, releaseKeys)
		return nil
	}
	notes, told, err := a.snapshot.LateSeals(ctx)
	if err != nil {
		return err
	}
	var found []Violation
	counted := make(map[[2]string]int) // by run and realm
	for _, n := range notes {
		err := a.cfg.Seal.CheckLate(n.Note, n.Seal)
		if err != nil {
			found = append(found, Violation{
				Realm: n.Note.Realm, Table: "late_seal", Key: n.Note.Relation + " " + n.Note.Key,
				What: sealUnfit(err, "which row it is about, who sealed it, why or when"),
			})
			continue
		}
		a.answered[Violation{Realm: n.Note.Realm, Table: n.Note.Relation, Key: n.Note.Key}] = true
		counted[[2]string{n.Note.RunID.String(), n.Note.Realm}]++
		a.countRun(n)
	}
	for _, t := range told {
		place := [2]string{t.Run, t.Realm}
		if t.Rows != counted[place] {
			found = append(found, Violation{
				Realm: t.Realm, Table: "audit_event", Key: t.EventID,
				What: fmt.Sprintf("tells of %d rows that were sealed afterwards by run %s, and %d are noted", t.Rows, t.Run, counted[place]),
			})
		}
		delete(counted, place)
	}
	for place, rows := range counted {
		if place[1] != "" {
			found = append(found, Violation{
				Realm: place[1], Table: "late_seal", Key: place[0],
				What: fmt.Sprintf("%d rows were sealed afterwards, and no audit row tells of it", rows),
			})
		}
	}
	a.conclude("I29", lateSealed, found)
	return nil
}

// countRun adds a note to the run it belongs to; notes come run by run.
func (a *audit) countRun(n LateSeal) {
	last := len(a.report.Late) - 1
	if last < 0 || a.report.Late[last].ID != n.Note.RunID {
		a.report.Late = append(a.report.Late, LateRun{
			ID: n.Note.RunID, By: n.Note.By, Reason: n.Note.Reason, Before: n.Note.Before, At: n.Note.At,
		})
		last++
	}
	a.report.Late[last].Rows++
}

// answeredFor reports whether an operator answers for a row.
func (a *audit) answeredFor(v Violation) bool {
	return a.answered[Violation{Realm: v.Realm, Table: v.Table, Key: v.Key}]
}

// Unproven are the rows that an operator may answer for, and how many others break an invariant.
func (r Report) Unproven() (rows []Violation, others int) {
	for _, i := range r.Invariants {
		for _, v := range i.Violations {
			if v.Unproven {
				rows = append(rows, v)
			} else {
				others++
			}
		}
	}
	return rows, others
}
