//go:build long

package portal

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/payment"
)

// TestWhatIsWrongWithAChangeIsSaidInEachLanguage: every field that is typed into a form, left out, too long, and of several lines.
func TestWhatIsWrongWithAChangeIsSaidInEachLanguage(t *testing.T) {
	t.Parallel()
	english := regexp.MustCompile(`(?i)\b(the|enter|write|whether)\b`)
	told := map[i18n.Text]bool{}
	for _, wrong := range []string{"", strings.Repeat("x", 300), "x\ny"} {
		for _, kind := range append(administration.Kinds(),
			administration.KindBeneficiaryCreate, administration.KindBeneficiaryUpdate, administration.KindBeneficiaryRemove) {
			values := administration.Values{}
			for _, field := range kind.Fields() {
				if administration.TypeOf(field) != administration.TypeYesNo {
					values[field] = wrong
				}
			}
			for field, chosen := range map[string]string{
				"scheme": "sic-inst", "limitOf": "person", "kind": "", "channel": "", "currency": "", "passwords": "",
			} {
				values[field] = chosen // from a list: the page sends nothing else
			}
			for _, err := range readings(values) {
				var malformed *payment.FieldError
				if !errors.As(err, &malformed) {
					continue
				}
				for _, finding := range malformed.Findings {
					told[finding.Text] = true
				}
			}
		}
	}
	if len(told) < 40 {
		t.Errorf("only %d sentences are told", len(told))
	}
	for text := range told {
		for _, l := range []i18n.Language{i18n.German, i18n.French, i18n.Italian} {
			if said := l.Say(text); said == text.String() || english.MatchString(said) {
				t.Errorf("%q is %q in %s", text, said, l.Name())
			}
		}
	}
}

// readings are what the domain says of the fields, as those of each thing.
func readings(values administration.Values) []error {
	_, user := administration.UserOf(values, "")
	_, client := administration.ClientOf(values, "")
	_, account := administration.AccountOf(values, "")
	_, policy := administration.PolicyOf(values, "")
	_, provider := administration.ProviderOf(values, "")
	_, limit := administration.LimitOf(values, "", administration.LimitHolder{})
	_, factors := administration.FactorsOf(values, "")
	_, beneficiary := administration.BeneficiaryOf(values, "")
	return []error{
		user, client, account, policy, provider, limit, factors, beneficiary, administration.CheckOuterSubject(values["outerSubject"], ""),
	}
}
