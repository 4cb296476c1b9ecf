package archtest

import (
	"go/ast"
	"go/constant"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// untranslated are the pages whose words stand in the page itself, in English. The list only becomes shorter.
var untranslated = []string{}

// spokenAttributes are those that people read or hear.
var spokenAttributes = []string{"title", "aria-label", "placeholder", "alt", "data-busy", "data-copy-label", "label"}

// wordsOf are the words of a piece of HTML that people read.
func wordsOf(piece string) (words []string) {
	letters := regexp.MustCompile(`\pL`)
	tokens := html.NewTokenizer(strings.NewReader(piece))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return words
		case html.TextToken:
			text := strings.TrimSpace(string(tokens.Text()))
			if strings.HasPrefix(text, "<") { // what stands in noscript
				continue
			}
			if letters.MatchString(text) {
				words = append(words, text)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			for _, attribute := range tokens.Token().Attr {
				if slices.Contains(spokenAttributes, attribute.Key) && letters.MatchString(attribute.Val) {
					words = append(words, attribute.Key+"="+attribute.Val)
				}
			}
		case html.EndTagToken, html.CommentToken, html.DoctypeToken:
		}
	}
}

// pieces are the pieces of HTML that stand in generated pages, joined where nothing but an attribute's value lies between them.
func pieces(file source) (joined string) {
	var all strings.Builder
	ast.Inspect(file.syntax, func(node ast.Node) bool {
		call, is := node.(*ast.CallExpr)
		if !is || len(call.Args) != 3 {
			return true
		}
		selector, is := call.Fun.(*ast.SelectorExpr)
		if !is || selector.Sel.Name != "WriteString" {
			return true
		}
		if literal, is := call.Args[2].(*ast.BasicLit); is {
			text := constant.StringVal(constant.MakeFromLiteral(literal.Value, literal.Kind, 0))
			all.WriteString(text)
		}
		return true
	})
	return all.String()
}

// TestPagesHaveNoWordsOfTheirOwn: what stands in a template between its tags is English in every language.
func TestPagesHaveNoWordsOfTheirOwn(t *testing.T) {
	t.Parallel()
	pages := 0
	for _, file := range load(t) {
		if !strings.HasSuffix(file.path, "_templ.go") {
			continue
		}
		pages++
		words := wordsOf(pieces(file))
		if slices.Contains(untranslated, file.path) {
			continue
		}
		for _, word := range words {
			t.Errorf("%s: %q is said in English only: write { say(ctx, …) }", file.path, word)
		}
	}
	if pages == 0 {
		t.Error("no page is found")
	}
	if found := wordsOf(`<p title="A title" class="b">Some words <b>&middot; 12</b></p>`); len(found) != 2 {
		t.Errorf("words of a page: %q", found)
	}
}
