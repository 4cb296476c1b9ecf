package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// MaxTemplates is the largest number of templates per user.
const MaxTemplates = 50

// Template is a payment that is entered repeatedly, under a name. It only fills the form.
type Template struct {
	ID      uuid.UUID
	Name    string // 1 to 60 characters
	Scheme  rulebook.Scheme
	Answers []byte // as a draft keeps them
	Shared  bool   // every maker of the realm sees it
	Own     bool   // of the person who asks
	Owner   string
	SavedAt time.Time
}

var (
	// ErrTooManyTemplates: the person has MaxTemplates already.
	ErrTooManyTemplates = errors.New("too many templates")
	// ErrTemplateNameTaken: another template of the person has this name.
	ErrTemplateNameTaken = errors.New("the name of the template is taken")
)

func (d *Drafts) hiddenTemplate(realm string, id uuid.UUID) hidden {
	return hidden{keys: d.db.answers, table: "payment_template", realm: realm, row: id, strict: true}
}

// SaveTemplate stores a template of the person (ID, Name, Scheme, Answers, Shared, SavedAt). A template of the same name is replaced.
// Error: ErrTooManyTemplates.
func (d *Drafts) SaveTemplate(ctx context.Context, by identity.Principal, t Template) error {
	answers, err := d.hiddenTemplate(by.Realm, t.ID).hide("answers", t.Answers)
	if err != nil {
		return err
	}
	return d.named(by).change(ErrTooManyTemplates, func(q *dbsqlc.Queries) (int64, error) {
		return q.TemplateInsert(ctx, dbsqlc.TemplateInsertParams{
			Realm: by.Realm, TemplateID: t.ID, UserID: by.UserID, Name: t.Name, Scheme: string(t.Scheme), Answers: answers, Shared: t.Shared,
			Now: t.SavedAt, Most: MaxTemplates,
		})
	})
}

// ChangeTemplate renames a template of the person, and shares or unshares it. Errors: payment.ErrNotFound, ErrTemplateNameTaken.
func (d *Drafts) ChangeTemplate(ctx context.Context, by identity.Principal, t Template) error {
	return d.named(by).change(payment.ErrNotFound, func(q *dbsqlc.Queries) (int64, error) {
		return q.TemplateUpdate(ctx, dbsqlc.TemplateUpdateParams{
			Name: t.Name, Shared: t.Shared, Realm: by.Realm, TemplateID: t.ID, UserID: by.UserID,
		})
	})
}

// RemoveTemplate removes a template of the person. Error: payment.ErrNotFound.
func (d *Drafts) RemoveTemplate(ctx context.Context, by identity.Principal, id uuid.UUID) error {
	return d.named(by).change(payment.ErrNotFound, func(q *dbsqlc.Queries) (int64, error) {
		return q.TemplateDelete(ctx, by.Realm, id, by.UserID)
	})
}

// Template returns a template of the user or a shared one. Errors: payment.ErrNotFound, ErrUnreadable.
func (d *Drafts) Template(ctx context.Context, by identity.Principal, id uuid.UUID) (Template, error) {
	row, err := d.db.In(by.Realm, Reading).TemplateGet(ctx, by.Realm, id, by.UserID)
	if err != nil {
		return Template{}, wrapped(missing(err), "load a template")
	}
	return d.templateOf(row)
}

// Templates lists the user's templates and the shared ones of the realm, by name. An unreadable one has no answers.
func (d *Drafts) Templates(ctx context.Context, by identity.Principal) ([]Template, error) {
	rows, err := d.db.In(by.Realm, Reading).TemplateList(ctx, by.UserID, by.Realm)
	var list []Template
	for _, row := range rows {
		one, _ := d.templateOf(row.PaymentTemplate)
		one.Own, one.Owner = row.Own, row.Owner
		list = append(list, one)
	}
	return list, wrapped(err, "list templates")
}

func (d *Drafts) templateOf(row dbsqlc.PaymentTemplate) (Template, error) {
	answers, err := d.hiddenTemplate(row.Realm, row.TemplateID).reveal("answers", row.Answers)
	return Template{
		ID: row.TemplateID, Name: row.Name, Scheme: rulebook.Scheme(row.Scheme), Answers: answers, Shared: row.Shared,
		SavedAt: row.SavedAt.UTC(),
	}, err
}

func (d *Drafts) named(by identity.Principal) named {
	return named{db: d.db, realm: by.Realm, what: "template", taken: ErrTemplateNameTaken}
}
