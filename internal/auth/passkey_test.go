package auth_test

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"testing"

	"countersign/internal/auth"
	"countersign/internal/identity"
)

const ownOrigin = "https://portal.bank.example"

// securityKey is a device that has one passkey, and counts how often it was shown.
type securityKey struct {
	key   *ecdsa.PrivateKey
	id    string
	count uint32
	// page is where the browser says it was asked; ownOrigin where nothing stands here.
	page string
	// careless: somebody touched it, and did not prove who.
	careless bool
}

// flags of what a device says: somebody touched it, and it knows who; the passkey comes with it.
const touched, verified, withKey = 0x01, 0x04, 0x40

// says is the data of the device about itself (WebAuthn, authenticator data).
func (k *securityKey) says(flags byte) []byte {
	party := sha256.Sum256([]byte("portal.bank.example"))
	if !k.careless {
		flags |= verified
	}
	return binary.BigEndian.AppendUint32(append(party[:], touched|flags), k.count)
}

// client is what the browser says of where it was asked, and for what.
func (k *securityKey) client(what, challenge string) []byte {
	page := cmp.Or(k.page, ownOrigin)
	text, err := json.Marshal(map[string]any{"type": "webauthn." + what, "challenge": challenge, "origin": page})
	if err != nil {
		panic(err)
	}
	return text
}

func (k *securityKey) response(t *testing.T, parts map[string][]byte) string {
	t.Helper()
	encoded := map[string]string{}
	for name, part := range parts {
		encoded[name] = base64.RawURLEncoding.EncodeToString(part)
	}
	id := base64.RawURLEncoding.EncodeToString([]byte(k.id))
	text, err := json.Marshal(map[string]any{
		"id": id, "rawId": id, "type": "public-key", "clientExtensionResults": struct{}{}, "response": encoded,
	})
	check(t, err)
	return string(text)
}

// made is the answer to the question for a new passkey: an attestation of no format, in CBOR.
func (k *securityKey) made(t *testing.T, ask auth.PasskeyAsk) *auth.PasskeyAnswer {
	t.Helper()
	point, err := k.key.PublicKey.Bytes()
	check(t, err)
	cose := append([]byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 32}, point[1:33]...) // EC2, ES256, P-256, x
	cose = append(append(cose, 0x22, 0x58, 32), point[33:]...)                                       // y
	data := append(k.says(withKey), make([]byte, 16)...)                                             // of no make
	data = append(append(binary.BigEndian.AppendUint16(data, uint16(len(k.id))), k.id...), cose...)
	object := append([]byte{0xa3}, "\x63fmt\x64none\x67attStmt\xa0\x68authData\x59"...)
	object = append(binary.BigEndian.AppendUint16(object, uint16(len(data))), data...)
	return &auth.PasskeyAnswer{Ticket: ask.Ticket, Origin: ownOrigin, Response: k.response(t, map[string][]byte{
		"clientDataJSON": k.client("create", ask.Challenge), "attestationObject": object,
	})}
}

// shown is the answer to a question for the passkey.
func (k *securityKey) shown(t *testing.T, ask auth.PasskeyAsk) *auth.PasskeyAnswer {
	t.Helper()
	data, said := k.says(0), k.client("get", ask.Challenge)
	about := sha256.Sum256(said)
	digest := sha256.Sum256(append(data[:len(data):len(data)], about[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, k.key, digest[:])
	check(t, err)
	return &auth.PasskeyAnswer{Ticket: ask.Ticket, Origin: ownOrigin, Response: k.response(t, map[string][]byte{
		"clientDataJSON": said, "authenticatorData": data, "signature": signature,
	})}
}

// TestAPasskeyThatDoesNotCountOnIsACopy: what counts up signs in; what counts less, or the same again, is a copy, also when the row of the
// passkey itself was never told how far it had counted.
func TestAPasskeyThatDoesNotCountOnIsACopy(t *testing.T) {
	t.Parallel()
	b := setup(t)
	signIn := auth.SignInInput{Realm: "alpha", Name: "checker", Password: password}
	by, err := b.SignIn(t.Context(), signIn)
	check(t, err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	k := &securityKey{key: key, id: "the passkey of the checker", count: 3}
	question := func(purpose identity.FactorPurpose) auth.PasskeyAsk {
		ask, ok, err := b.FactorQuestion(t.Context(), auth.PasskeyInput{By: by, Purpose: purpose, Origin: ownOrigin})
		if err != nil || !ok {
			t.Fatalf("a question for a passkey: %t %v", ok, err)
		}
		return ask
	}
	_, err = b.Enrol(t.Context(), auth.EnrolInput{
		FactorChange: auth.FactorChange{By: by, Password: password}, Name: "Key", Passkey: k.made(t, question(identity.PurposeEnrol)),
	})
	check(t, err)
	for _, shown := range []struct {
		count uint32
		want  error
	}{{4, nil}, {7, nil}, {7, auth.ErrFactor}, {5, auth.ErrFactor}, {0, auth.ErrFactor}, {8, nil}} {
		_, err = b.SignIn(t.Context(), signIn)
		var needed *auth.FactorNeededError
		if !errors.As(err, &needed) {
			t.Fatalf("the portal: %v, want a factor to be asked for", err)
		}
		k.count = shown.count
		session := auth.PortalSession{Realm: "alpha", UserID: by.UserID, Since: b.clock.Now()}
		answer := auth.FactorAnswer{Passkey: k.shown(t, question(identity.PurposeSignIn))}
		_, err = b.SecondSignIn(t.Context(), auth.SecondSignInInput{Session: session, Answer: answer})
		if !errors.Is(err, shown.want) {
			t.Errorf("a passkey that counts %d: %v, want %v", shown.count, err, shown.want)
		}
		if shown.want == nil {
			_, err = b.SecondSignIn(t.Context(), auth.SecondSignInInput{Session: session, Answer: answer})
			if !errors.Is(err, auth.ErrFactor) {
				t.Errorf("the same answer again: %v, want it refused", err)
			}
		}
	}
	copies := "SELECT count(*) FROM audit_event WHERE event = 'second-factor.refused' AND detail::jsonb ->> 'refused' = 'counter'"
	if n := b.count(t, copies); n != 6 { // three answers that were shown again do not count on either
		t.Errorf("the audit trail tells of %d copies, want 6", n)
	}
}
