package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/account"
	"countersign/internal/administration"
	"countersign/internal/identity"
)

// facts reads the facts on which a change is decided: its subject, and the rows its values refer to.
func (s changeStep) facts(ctx context.Context, kind administration.Kind, subject string,
	values administration.Values,
) (administration.Facts, error) {
	var known administration.Facts
	var err error
	switch kind.Noun() {
	case "user":
		err = s.userFacts(ctx, &known, kind, userAsked{name: subjectName(kind, subject, values["name"]), values: values})
	case "client":
		err = s.clientFacts(ctx, &known, subjectName(kind, subject, values["clientId"]))
	case "account":
		err = s.accountFacts(ctx, &known, subjectName(kind, subject, values["iban"]), values["qrIban"])
	case "policy":
		err = s.policyFacts(ctx, &known, subject, values["clientId"])
	case "webhook":
		err = s.webhookFacts(ctx, &known, subject)
	case "provider":
		err = s.providerFacts(ctx, &known, subject)
	case "limit":
		err = s.limitFacts(ctx, &known, subject, values)
	case "message":
		err = s.messageFacts(ctx, &known, subject)
	case "realm":
		err = s.factorsFacts(ctx, &known, kind, subject)
	case "beneficiary":
		err = s.beneficiaryFacts(ctx, &known, subject, values)
	}
	if err != nil {
		return administration.Facts{}, fmt.Errorf("read the subject of the change: %w", err)
	}
	return known, nil
}

// subjectName returns the subject of a change; for a new one that is its future name.
func subjectName(kind administration.Kind, subject, fresh string) string {
	if kind.Creates() {
		return fresh
	}
	return subject
}

// userAsked is the account of a change, with the values of the change.
type userAsked struct {
	name   string
	values administration.Values
}

func (s changeStep) userFacts(ctx context.Context, known *administration.Facts, kind administration.Kind, of userAsked) error {
	name, values := of.name, of.values
	users, err := s.users(ctx, identity.NormaliseName(name))
	if err != nil {
		return err
	}
	if len(users) == 1 {
		known.Found, known.Before, known.Beneficiary = true, users[0].Values(), users[0].Person
	}
	if kind == administration.KindUserLink {
		err = s.linkFacts(ctx, known, linkedAccount{name: identity.NormaliseName(name), subject: values["outerSubject"]})
		if err != nil {
			return err
		}
	}
	id, err := uuid.Parse(values["personId"])
	if err == nil {
		person, err := s.q.PersonGet(ctx, s.realm, id)
		switch {
		case err == nil:
			known.Person = &administration.Person{ID: id, DisplayName: person.DisplayName, Duty: administration.Duty(person.Duty)}
		case !errors.Is(err, pgx.ErrNoRows):
			return err
		}
	}
	if kind == administration.KindUserCreate && values["personId"] == "" {
		known.NameTaken, err = NameTaken(ctx, s.q, s.realm, values["displayName"])
		if err != nil {
			return err
		}
	}
	holders, err := s.q.RoleHolderList(ctx, s.realm)
	for _, holder := range holders {
		known.Holders = append(known.Holders, administration.Holder{
			User: holder.Name, Person: holder.PersonID, Roles: Roles(holder.Roles),
		})
	}
	return err
}

func (s changeStep) clientFacts(ctx context.Context, known *administration.Facts, clientID string) error {
	clients, err := s.clients(ctx, clientID)
	if err == nil && len(clients) == 1 {
		known.Found, known.Before = true, clients[0].Values()
	}
	return err
}

func (s changeStep) accountFacts(ctx context.Context, known *administration.Facts, text, qrText string) error {
	iban, err := account.ParseInput(text)
	if err != nil {
		return nil // the rules say what is wrong with it
	}
	accounts, err := s.accounts(ctx, iban.String())
	if err != nil {
		return err
	}
	if len(accounts) == 1 {
		known.Found, known.Before = true, accounts[0].Values()
	}
	known.ReceivedElsewhere, err = s.q.IncomingAccountTaken(ctx, iban.String(), s.realm)
	qr, unread := account.ParseInput(qrText)
	if err != nil || unread != nil || qr.String() == known.Before["qrIban"] {
		return err
	}
	_, err = s.q.IncomingAccountGet(ctx, qr.String())
	if errors.Is(err, pgx.ErrNoRows) { // not of this realm
		known.QRTaken, err = s.q.IncomingAccountTaken(ctx, qr.String(), s.realm)
		return err
	}
	known.QRTaken = err == nil
	return err
}

func (s changeStep) policyFacts(ctx context.Context, known *administration.Facts, subject, clientID string) error {
	policies, err := s.policies(ctx)
	if err != nil {
		return err
	}
	for _, p := range policies {
		if p.Status == administration.StatusInForce && p.MatchesEverything() {
			known.CoverAll++
		}
		if p.ID == subject {
			known.Found, known.Before = true, p.Values()
		}
	}
	clients, err := s.clients(ctx, clientID)
	known.ClientKnown = clientID != "" && len(clients) == 1 && clients[0].Status == administration.StatusActive
	return err
}

// apply carries out an approved change. A change about a message is read when the message is
// sent, and a comparison with clearing when the tree is sealed.
func (s changeStep) apply(ctx context.Context, c administration.Change) error {
	var err error
	switch c.Kind.Noun() {
	case "user":
		err = s.applyUser(ctx, c)
	case "client":
		err = s.applyClient(ctx, c)
	case "account":
		err = s.applyAccount(ctx, c)
	case "policy":
		err = s.applyPolicy(ctx, c)
	case "webhook":
		err = s.applyWebhook(ctx, c)
	case "provider":
		err = s.applyProvider(ctx, c)
	case "beneficiary":
		err = s.applyBeneficiary(ctx, c)
	case "limit":
		err = s.applyLimit(ctx, c)
	}
	if c.Kind == administration.KindRealmFactors || c.Kind == administration.KindRealmNotices {
		err = s.applyFactors(ctx, c)
	}
	if err != nil {
		return fmt.Errorf("bring about %s: %w", c.Kind, err)
	}
	return nil
}
