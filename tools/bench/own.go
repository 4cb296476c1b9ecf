package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"countersign/internal/auth"
	"countersign/internal/demo"
	"countersign/internal/identity"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/keyring"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/store"
)

// own is a loop of the gateway's own statements: the services in this process, on the database of a gateway that rests, without HTTP, JSON
// and sign-ins. What HTTP costs is the difference.
type own struct {
	database       *store.Database
	parts          *service.Service
	maker, checker identity.Principal
}

// openOwn opens it with the keys that the gateway made in its folder.
func (cfg Config) openOwn(ctx context.Context, o gatewayOptions) (*own, error) {
	release, err := readKeys(filepath.Join(cfg.Folder, o.Name, "release.key"), demoReleaseKey)
	if err != nil {
		return nil, err
	}
	token, err := readKeys(filepath.Join(cfg.Folder, o.Name, "token.key"), demoTokenKey)
	if err != nil {
		return nil, err
	}
	seal, err := payment.NewSealer(release)
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.DiscardHandler)
	database, err := store.Open(ctx, store.Config{URL: o.Database, Seal: seal, TokenKeys: token, Log: log})
	if err != nil {
		return nil, err
	}
	w := &own{database: database}
	w.parts, err = service.New(service.Config{Database: database, Seal: seal, TokenKeys: token, Now: time.Now, Log: log})
	if err == nil {
		w.maker, err = w.signIn(ctx, "maker1")
	}
	if err == nil {
		w.checker, err = w.signIn(ctx, "checker1")
	}
	if err != nil {
		database.Close()
		return nil, fmt.Errorf("open the stations beside the gateway: %w", err)
	}
	return w, nil
}

// The ids of the keys that a new demo makes.
const (
	demoReleaseKey = "release-1"
	demoTokenKey   = "token-1"
)

func readKeys(path, id string) (keyring.Ring, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return keyring.Ring{}, err
	}
	return keyring.Parse(text, id)
}

func (w *own) signIn(ctx context.Context, user string) (identity.Principal, error) {
	tokens, err := w.parts.Auth.Login(ctx, auth.LoginInput{
		Realm: demo.Realm, Client: auth.ClientCredentials{ClientID: demo.Backoffice, ClientSecret: demo.ClientSecret}, Name: user,
		Password: demo.UserPassword, SourceAddress: "127.0.0.1",
	})
	if err != nil {
		return identity.Principal{}, err
	}
	return w.parts.Auth.Authenticate(ctx, tokens.AccessToken)
}

// work makes pairs until the time is over.
func (w *own) work(ctx context.Context, o loadOptions) (loaded, error) {
	var pairs atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	began := time.Now()
	for range o.clients {
		group.Go(func() error {
			for time.Since(began) < o.length && ctx.Err() == nil {
				err := w.pair(ctx)
				if err != nil {
					return err
				}
				pairs.Add(1)
			}
			return nil
		})
	}
	err := group.Wait()
	return loaded{pairs: int(pairs.Load()), took: time.Since(began)}, err
}

func (w *own) pair(ctx context.Context) error {
	externalID, text := demo.SampleOrder(numbers.Add(1), time.Now().In(w.parts.Zone))
	read, findings := codec.DecodeJSON([]byte(text), "", iso20022.Pain001V09)
	document, ok := read.(*iso20022.CustomerCreditTransferInitiation)
	if !ok || len(findings) > 0 {
		return errors.New("the order of the measurement is not understood")
	}
	made, err := w.parts.Submission.Create(ctx, w.maker, payment.Order{
		Scheme: rulebook.SchemeSIC, ExternalID: externalID, Document: document, Source: []byte(text), SourceType: "application/json",
	})
	if err != nil {
		return err
	}
	_, err = w.parts.Approval.Approve(ctx, w.checker, service.Input{InternalID: made.Message.InternalID})
	return err
}
