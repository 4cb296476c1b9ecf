package payment_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/internal/payment"
)

func TestAGlobalIDFindsEveryWrongCharacter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := time.UnixMilli(rapid.Int64Range(1_704_067_200_000, 2_700_000_000_000).Draw(t, "at"))
		random := [4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "random"))
		id := payment.New("DM", at, random)
		parsed, err := payment.Parse(strings.ToLower(string(id)))
		if err != nil || parsed != id || parsed.Mark() != "DM" {
			t.Fatalf("%s reads as %s: %v", id, parsed, err)
		}
		place := rapid.IntRange(0, len(id)-1).Draw(t, "place")
		other := rapid.SampledFrom([]byte("0123456789ABCDEFGHJKMNPQRSTVWXYZ")).Draw(t, "other")
		if other == id[place] {
			return
		}
		wrong := string(id[:place]) + string(other) + string(id[place+1:])
		if _, err := payment.Parse(wrong); err == nil {
			t.Fatalf("%s passes for %s", wrong, id)
		}
	})
}

func TestWhatIsNoGlobalID(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "DM", "DM0000000000000I", "DM00000000000000000", "ÄÄÄÄÄÄÄÄ", strings.Repeat("O", 16)} {
		if id, err := payment.Parse(text); err == nil {
			t.Errorf("%q reads as %s", text, id)
		}
	}
}
