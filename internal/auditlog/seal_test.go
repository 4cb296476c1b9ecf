package auditlog_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/iso20022"
	"countersign/internal/keyring"
)

// filled returns a value of T whose fields, at any depth, are all set.
func filled[T any]() T {
	var value T
	set(reflect.ValueOf(&value).Elem())
	return value
}

func set(value reflect.Value) {
	switch value.Interface().(type) {
	case time.Time:
		value.Set(reflect.ValueOf(time.Date(2026, 3, 2, 11, 0, 0, 123456000, time.UTC)))
		return
	case uuid.UUID:
		value.Set(reflect.ValueOf(uuid.UUID{1, 2, 3}))
		return
	}
	switch value.Kind() {
	case reflect.Struct:
		for i := range value.NumField() {
			set(value.Field(i))
		}
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		set(value.Elem())
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 2, 2))
		set(value.Index(0))
		set(value.Index(1))
	case reflect.Array:
		set(value.Index(0))
	case reflect.String:
		value.SetString("text")
	case reflect.Int, reflect.Int64:
		value.SetInt(7)
	case reflect.Uint8:
		value.SetUint(7)
	}
}

// changes calls with for each single change of each field of a value, at any depth, and takes the change back afterwards. The name of the
// field Layout is left out: Leaf sets it.
func changes(value reflect.Value, name string, with func(name string)) {
	try := func(how string, other reflect.Value) {
		before := reflect.New(value.Type()).Elem()
		before.Set(value)
		value.Set(other.Convert(value.Type()))
		with(name + how)
		value.Set(before)
	}
	try(" emptied", reflect.Zero(value.Type()))
	switch v := value.Interface().(type) {
	case time.Time:
		try(" later", reflect.ValueOf(v.Add(time.Microsecond)))
		return
	case uuid.UUID:
		try(" changed", reflect.ValueOf(uuid.UUID{15: 1}))
		return
	}
	switch value.Kind() {
	case reflect.Struct:
		for i := range value.NumField() {
			field := value.Type().Field(i)
			if field.Name != "Layout" {
				changes(value.Field(i), name+"."+field.Name, with)
			}
		}
		shifts(value, name, with)
	case reflect.Pointer:
		changes(value.Elem(), name, with)
	case reflect.Slice:
		try(" shortened", value.Slice(0, 1))
		try(" lengthened", reflect.Append(value, value.Index(0)))
		changes(value.Index(1), name+"[1]", with)
	case reflect.Array:
		changes(value.Index(0), name+"[0]", with)
	case reflect.String:
		try(" changed", reflect.ValueOf(value.String()+"x"))
	case reflect.Int, reflect.Int64:
		try(" changed", reflect.ValueOf(value.Int()+1))
	case reflect.Uint8:
		try(" changed", reflect.ValueOf(value.Uint()^1))
	}
}

// shifts moves the last character of each text to the front of the next text, so that both read the same one after the other.
func shifts(value reflect.Value, name string, with func(name string)) {
	last := -1
	for i := range value.NumField() {
		if value.Field(i).Kind() != reflect.String || value.Type().Field(i).Name == "Layout" {
			continue
		}
		if last >= 0 {
			one, next := value.Field(last), value.Field(i)
			first, second := one.String(), next.String()
			one.SetString(first[:len(first)-1])
			next.SetString(first[len(first)-1:] + second)
			with(name + "." + value.Type().Field(last).Name + " shifted into " + value.Type().Field(i).Name)
			one.SetString(first)
			next.SetString(second)
		}
		last = i
	}
}

// TestALeafCoversEachField changes each field of a row of the trail, its move, its version, its decision, and of a document, one at a time:
// each change gives the leaf another hash.
func TestALeafCoversEachField(t *testing.T) {
	t.Parallel()
	event, document := filled[auditlog.Event](), filled[auditlog.Document]()
	tried := coversEachField(t, &event, func() any { return must(t, event.Leaf, auditlog.KindEvent).Hash() }) +
		coversEachField(t, &document, func() any { return must(t, document.Leaf, auditlog.KindDocument).Hash() })
	if tried < 150 {
		t.Errorf("%d changes were tried, want those of all fields", tried)
	}
}

func must(t *testing.T, leaf func(auditlog.Kind) (auditlog.Leaf, error), kind auditlog.Kind) auditlog.Leaf {
	t.Helper()
	made, err := leaf(kind)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// coversEachField calls digest after each single change of the value and expects another digest than that of the unchanged value.
func coversEachField[T any](t *testing.T, value *T, digest func() any) (tried int) {
	t.Helper()
	kind := reflect.TypeFor[T]()
	unchanged := digest()
	for i := range kind.NumField() {
		if kind.Field(i).Name == "Layout" {
			continue
		}
		changes(reflect.ValueOf(value).Elem().Field(i), kind.Name()+"."+kind.Field(i).Name, func(name string) {
			tried++
			if digest() == unchanged {
				t.Errorf("%s: the digest is the same", name)
			}
		})
	}
	shifts(reflect.ValueOf(value).Elem(), kind.Name(), func(name string) {
		tried++
		if digest() == unchanged {
			t.Errorf("%s: the digest is the same", name)
		}
	})
	if digest() != unchanged {
		t.Errorf("%s: a change was not taken back", kind.Name())
	}
	return tried
}

func documentSealer(t *testing.T) auditlog.Sealer {
	t.Helper()
	ring, err := keyring.Parse([]byte("release-1 "+strings.Repeat("5f", keyring.KeyBytes)), "")
	if err != nil {
		t.Fatal(err)
	}
	seals, err := auditlog.New(ring)
	if err != nil {
		t.Fatal(err)
	}
	return seals
}

// TestASealCoversEachField changes each field under each seal of documents, of the outbox and of leaves, one at a time: the new seal is
// another one, and the seal of the unchanged value is refused.
func TestASealCoversEachField(t *testing.T) {
	t.Parallel()
	seals, leaves := documentSealer(t), signer(t, newKey)
	outbound, kept, delivery := filled[auditlog.Outbound](), filled[auditlog.Kept](), filled[auditlog.Delivery]()
	answer, place := filled[auditlog.Answer](), filled[auditlog.Place]()
	answer.Name = iso20022.Pacs002V10
	for _, one := range []struct {
		value any
		seal  func() keyring.Seal
		check func(keyring.Seal) error
	}{
		{
			&outbound, func() keyring.Seal { return seals.SealDocument(outbound) },
			func(seal keyring.Seal) error { return seals.CheckDocument(outbound, seal) },
		},
		{&kept, func() keyring.Seal { return seals.SealKept(kept) }, func(seal keyring.Seal) error { return seals.CheckKept(kept, seal) }},
		{
			&answer, func() keyring.Seal { return seals.SealAnswer(answer) },
			func(seal keyring.Seal) error { return seals.CheckAnswer(answer, seal) },
		},
		{
			&delivery, func() keyring.Seal { return seals.SealDelivery(delivery) },
			func(seal keyring.Seal) error { return seals.CheckDelivery(delivery, seal) },
		},
		{
			&place, func() keyring.Seal { return leaves.Seal(place) },
			func(seal keyring.Seal) error { return leaves.Check(place, place.Leaf.Hash(), seal) },
		},
	} {
		value := reflect.ValueOf(one.value).Elem()
		unchanged := one.seal()
		if err := one.check(unchanged); err != nil {
			t.Errorf("%s: %v", value.Type().Name(), err)
		}
		if err := one.check(keyring.Seal{}); !errors.Is(err, keyring.ErrForged) {
			t.Errorf("%s without a seal: %v", value.Type().Name(), err)
		}
		tried := 0
		changes(value, value.Type().Name(), func(name string) {
			tried++
			if one.seal() == unchanged {
				t.Errorf("%s: the seal is the same", name)
			}
			if err := one.check(unchanged); !errors.Is(err, keyring.ErrForged) {
				t.Errorf("%s: %v, want ErrForged", name, err)
			}
		})
		if tried < value.NumField() {
			t.Errorf("%s: %d changes were tried", value.Type().Name(), tried)
		}
	}
}

// TestASealOfADocumentServesOnePurpose: the seal of one kind of row is refused on each other kind, also where both cover the same fields.
func TestASealOfADocumentServesOnePurpose(t *testing.T) {
	t.Parallel()
	seals := documentSealer(t)
	out := filled[auditlog.Outbound]()
	kept := auditlog.Kept{Outbound: out}
	answer := auditlog.Answer{Scheme: out.Scheme, Reference: out.Reference, Name: iso20022.Pacs002V10, Content: []byte("x")}
	delivery := auditlog.Delivery{Scheme: out.Scheme, Reference: out.Reference}
	checks := []func(keyring.Seal) error{
		func(seal keyring.Seal) error { return seals.CheckDocument(out, seal) },
		func(seal keyring.Seal) error { return seals.CheckKept(kept, seal) },
		func(seal keyring.Seal) error { return seals.CheckAnswer(answer, seal) },
		func(seal keyring.Seal) error { return seals.CheckDelivery(delivery, seal) },
	}
	for i, seal := range []keyring.Seal{
		seals.SealDocument(out), seals.SealKept(kept), seals.SealAnswer(answer), seals.SealDelivery(delivery),
	} {
		for j, check := range checks {
			if err := check(seal); (err == nil) != (i == j) {
				t.Errorf("seal %d at check %d: %v", i, j, err)
			}
		}
	}
}

// TestOnlyAnswersLeaveTheOutbox: a payment is refused under its own seal, with a content and as a stored document, and a camt.029 with a
// content unless it names the received document that it refuses.
func TestOnlyAnswersLeaveTheOutbox(t *testing.T) {
	t.Parallel()
	seals := documentSealer(t)
	for name, sent := range map[iso20022.MessageName][3]bool{ // with a content of its own, as a stored document, as an automatic refusal
		iso20022.Pacs002V10: {true, false, true}, iso20022.Camt025V05: {true, false, false},
		iso20022.Pacs004V09: {false, true, false}, iso20022.Camt029V09: {false, true, true},
		iso20022.Pacs008V08: {false, false, false}, iso20022.Camt056V08: {false, false, false},
	} {
		for i, content := range [][]byte{[]byte("x"), nil, []byte("x")} {
			answer := auditlog.Answer{Scheme: "sic-inst", Reference: "R", Name: name, Content: content, Realm: "demo", DocumentID: uuid.UUID{1}}
			if i == 2 {
				answer.Answers = "RE1"
			}
			if err := seals.CheckAnswer(answer, seals.SealAnswer(answer)); (err == nil) != sent[i] {
				t.Errorf("%s, content %q: %v", name, content, err)
			}
		}
	}
}

// TestWithheldByNamesTheReason: a document that fits its seal has no reason, an unknown key asks for the key, all else for an operator.
func TestWithheldByNamesTheReason(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]string{
		nil: "", keyring.ErrUnknownKey: "restore the key", keyring.ErrForged: "was not stored by this gateway",
	} {
		got := auditlog.WithheldBy(err)
		if (got == "") != (err == nil) || !strings.Contains(got.String(), want) {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}
