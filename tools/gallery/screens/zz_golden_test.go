package screens

import (
	"bytes"
	"os"
	"testing"

	"countersign/internal/i18n"
)

func TestZZGolden(t *testing.T) {
	dir := os.Getenv("GOLDEN_OUT")
	if dir == "" {
		t.Skip()
	}
	for _, l := range i18n.Languages() {
		for _, one := range Exhibits() {
			var b bytes.Buffer
			if err := one.Page.Render(i18n.In(t.Context(), l), &b); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(dir+"/"+one.Name+"."+string(l)+".html", bytes.ReplaceAll(b.Bytes(), []byte("><"), []byte(">\n<")), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
