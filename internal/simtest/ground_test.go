package simtest

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/account"
	"countersign/internal/demo"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// ground is a database on which schedules are played one after the other.
type ground struct {
	t      *testing.T
	db     *storetest.DB
	conn   *pgx.Conn // of the owner, past the wire
	clock  *servicetest.Clock
	wire   *wire
	url    string
	people people
	start  time.Time
}

func newGround(t *testing.T) *ground {
	t.Helper()
	db := storetest.New(t)
	realm, by := demo.Realms()[0], db.Provisioner(t)
	var err error
	realm.Directories, err = directories(by.At)
	must(t, err)
	must(t, store.ApplyRealm(ctx, by, realm))
	h := servicetest.On(t, db, servicetest.Options{})
	s := &ground{t: t, db: h.DB, clock: servicetest.ClockAt(h.Clock.Now()), start: h.Clock.Now(), people: newPeople(t, h), conn: db.Connect(t)}
	s.wire, s.url = newWire(t, h.DB)
	return s
}

// directories know the banks of these schedules, and no more: each gateway reads them when it starts.
func directories(at time.Time) (made []store.DirectoryImport, err error) {
	for scheme, banks := range map[rulebook.Scheme]string{
		rulebook.SchemeSIC: "CH21966;;One bank;yes\nCH21977;;Another bank;yes\n",
		rulebook.SchemeSCT: "CH21966;BBBBCHZZXXX;One bank;yes\nDE00762011;AAAADEFFXXX;Our bank;yes\nFR20041;BBBBFRPPXXX;Another bank;yes\n",
	} {
		read, err := account.ParseDirectory([]byte("edition;" + at.Format(time.DateOnly) + "\nprefix;bic;name;instant\n" + banks))
		if err != nil {
			return nil, err
		}
		made = append(made, store.DirectoryImport{Scheme: scheme, Directory: read, Source: "made for the schedules"})
	}
	return made, nil
}
