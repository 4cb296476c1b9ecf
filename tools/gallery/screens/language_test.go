package screens

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"countersign/internal/i18n"
)

// englishWords are words that English sentences can hardly do without, and that neither German, French nor Italian has.
var englishWords = regexp.MustCompile(
	`(?i)\b(the|this|that|these|with|and|are|were|which|from|your|you|been|have|has|not|than|only|must|may|who|what)\b`,
)

// sameWords are two words in small letters. Where a page has the same text in English and in another language, they are English: names and
// codes have none.
var sameWords = regexp.MustCompile(`(^|\s)\p{Ll}{2,} \p{Ll}{2,}`)

// spoken are the attributes that people read or hear.
var spoken = []string{"title", "aria-label", "placeholder", "alt", "data-busy", "data-head"}

// quoted is where a page shows what somebody wrote, in whatever language that was.
const quoted = "blockquote, pre, code, .document, .remark, del, ins, .name, .line-name, .purpose, [lang]"

// TestPagesSpeakOneLanguage: no page in German, French or Italian has a sentence in English left, nor words of the English page but for
// commands.
func TestPagesSpeakOneLanguage(t *testing.T) {
	t.Parallel()
	for _, exhibit := range Exhibits() {
		english := readTexts(t, exhibit, i18n.English)
		for _, spokenHere := range []i18n.Language{i18n.German, i18n.French, i18n.Italian} {
			for _, text := range readTexts(t, exhibit, spokenHere) {
				same := sameWords.MatchString(text) && !strings.HasPrefix(text, "countersign ") && slices.Contains(english, text)
				if same || englishWords.MatchString(text) {
					t.Errorf("%s in %s says %q", exhibit.Name, spokenHere, text)
				}
			}
		}
	}
}

// readTexts are the texts of a page in a language, without what somebody wrote.
func readTexts(t *testing.T, exhibit Exhibit, in i18n.Language) []string {
	t.Helper()
	var page bytes.Buffer
	err := exhibit.Page.Render(i18n.In(t.Context(), in), &page)
	if err != nil {
		t.Fatal(err)
	}
	document, err := goquery.NewDocumentFromReader(&page)
	if err != nil {
		t.Fatal(err)
	}
	body := document.Find("body")
	body.Find(quoted).Remove()
	return readable(body.Nodes[0])
}

// readable are the texts and the spoken attributes of a part of a page.
func readable(node *html.Node) []string {
	var found []string
	for part := range node.Descendants() {
		if part.Type == html.TextNode && part.Parent.Data != "script" && part.Parent.Data != "style" {
			found = append(found, strings.Join(strings.Fields(part.Data), " "))
		}
		for _, attribute := range part.Attr {
			for _, name := range spoken {
				if attribute.Key == name {
					found = append(found, attribute.Val)
				}
			}
		}
	}
	return found
}
