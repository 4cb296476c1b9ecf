package guess_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/ccojocar/zxcvbn-go"

	"countersign/internal/guess"
)

// TestWhatIsGuessedSoonScoresLow: what people choose and what they do to it.
func TestWhatIsGuessedSoonScoresLow(t *testing.T) {
	t.Parallel()
	for _, password := range []string{
		"", "password1234", "P@ssw0rd1234", "123456789012", "qwertyuiopasdf", "aaaaaaaaaaaaaaaa", "abcdefghijklm", "ZYXWVUTSRQPONM", "31.12.1999",
		"Jennifer1985", "monkeymonkey", "24-03-2026", "31121999", "M0nk3yM0nk3y", "789456123789",
	} {
		score, err := guess.Score(password)
		if err != nil || score >= 3 {
			t.Errorf("%q scores %d, %v", password, score, err)
		}
	}
}

// TestWhatIsHardToGuessScoresHigh: a few words that do not go together, and what no pattern explains.
func TestWhatIsHardToGuessScoresHigh(t *testing.T) {
	t.Parallel()
	for _, password := range []string{
		"correct horse battery staple", "Trottoir-Kamel-Nebel-91", "x7Gv2mQ9rLp4", "drei Ziegen am Gotthard",
		"Grüße aus Zürich, Frau Ägerter",
	} {
		score, err := guess.Score(password)
		if err != nil || score < 3 {
			t.Errorf("%q scores %d, %v", password, score, err)
		}
		if other := zxcvbn.PasswordStrength(password, nil).Score; score != other {
			t.Errorf("%q scores %d, and %d by the library", password, score, other)
		}
	}
}

// aDayThenMore finds a day with a character behind it, which the library takes for a part of the day.
var aDayThenMore = regexp.MustCompile(`(\d{1,2}[./]\d{1,2}[./]\d\d|\d{6}).`)

// TestNoPasswordScoresBetterThanByTheLibrary holds the finder here to the library's: of passwords put together as people do, none is judged
// better but for the character behind a day, and not many are judged worse.
func TestNoPasswordScoresBetterThanByTheLibrary(t *testing.T) {
	t.Parallel()
	random, worse := rand.New(rand.NewPCG(11, 22)), 0 // the same passwords each time
	parts := []string{
		"dragon", "Sommer", "zurich", "Monkey", "p4ssw0rd", "l3tm3in", "trustno1", "m@ster", "1985", "85", "12/03/1985", "1.2.99", "24032019",
		"010203", "qwert", "asdfgh", "ZXCVBN", "7894", "aaa", "1111", "!!!", "abcd", "DCBA", "6543", "?", "-", " ", "xk", "Vq9", "$$", "cba?",
	}
	const passwords = 300
	for range passwords {
		var text strings.Builder
		for range 1 + random.IntN(4) {
			text.WriteString(parts[random.IntN(len(parts))])
		}
		password := text.String()
		score, err := guess.Score(password)
		other := zxcvbn.PasswordStrength(password, nil).Score
		if err != nil || score > other+len(aDayThenMore.FindAllString(password, -1)) {
			t.Errorf("%q scores %d, and %d by the library: %v", password, score, other, err)
		}
		if score < other {
			worse++
		}
	}
	if worse > passwords/4 { // most of them have four digits that the library does not take for a day
		t.Errorf("%d of %d are judged worse than by the library", worse, passwords)
	}
}
