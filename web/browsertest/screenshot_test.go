//go:build screenshots

package browsertest

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/playwright-community/playwright-go"

	"countersign/internal/demo"
)

// screenshotLimit keeps the pictures of the README small, in bytes.
const screenshotLimit = 200_000

// TestScreenshots makes the pictures of the README, in the demo's second realm, where few tests leave payments. Run alone, with
// -run TestScreenshots, the pictures show its own payments only.
func TestScreenshots(t *testing.T) {
	folder := os.Getenv("COUNTERSIGN_SCREENSHOTS")
	if folder == "" {
		t.Fatal("COUNTERSIGN_SCREENSHOTS names no folder for pictures: use make screenshots")
	}
	t.Parallel()
	maker, checker := visitor(t, desktop), visitor(t, desktop)
	maker.signIn(demo.SecondRealm, "maker1")
	checker.signIn(demo.SecondRealm, "checker1")
	var waiting []submitted
	for _, wanted := range []order{
		{scheme: "sic-inst", name: "Beispiel Holzbau GmbH", amount: "4'820.35"},
		{scheme: "sct-inst", name: "Atelier Exemple SARL", amount: "1'250.40"},
		{scheme: "sic-inst", name: "Muster Treuhand AG", amount: "18'900.00"},
		{scheme: "sic-inst", name: "Gemeinde Musterwil", amount: "312.80"},
		{scheme: "sct-inst", name: "Imprimerie Modele SA", amount: "7'415.60"},
		{scheme: "sic-inst", name: "Muster Elektro AG", amount: "96.50"},
		{scheme: "sic-inst", name: "Stiftung Beispiel", amount: "2'500.00"},
		{scheme: "sct-inst", name: "Garage Modele SARL", amount: "640.15"},
		{scheme: "sic-inst", name: "Beispiel Reinigung GmbH", amount: "1'077.00"},
	} {
		wanted.endToEndID = newOrder(wanted.scheme).endToEndID
		waiting = append(waiting, maker.submit(wanted))
	}
	checker.decide(waiting[0], "approve", "")
	waiting[0].becomes(t, "Settled")
	checker.open("/queue")
	checker.click("link", waiting[2].reference)
	checker.opened(waiting[2])
	checker.picture(filepath.Join(folder, "queue.png"))
	checker.open("/payments/" + waiting[0].id)
	checker.picture(filepath.Join(folder, "payment.png"))
}

// picture writes what the window shows, in at most 256 colours: pages have few, and the file becomes small.
func (p *person) picture(path string) {
	p.t.Helper()
	content, err := p.page.Screenshot(
		playwright.PageScreenshotOptions{Animations: playwright.ScreenshotAnimationsDisabled, Caret: playwright.ScreenshotCaretHide},
	)
	if err != nil {
		p.t.Fatal(err)
	}
	full, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		p.t.Fatal(err)
	}
	reduced := image.NewPaletted(full.Bounds(), commonColours(full))
	draw.Draw(reduced, reduced.Bounds(), full, image.Point{}, draw.Src)
	var small bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, reduced)
	if err != nil {
		p.t.Fatal(err)
	}
	if small.Len() > screenshotLimit {
		p.t.Errorf("%s has %d bytes, at most %d are wanted", path, small.Len(), screenshotLimit)
	}
	err = os.MkdirAll(filepath.Dir(path), 0o755)
	if err != nil {
		p.t.Fatal(err)
	}
	err = os.WriteFile(path, small.Bytes(), 0o644)
	if err != nil {
		p.t.Fatal(err)
	}
}

// commonColours are the 256 colours a picture shows most; all others become the nearest of them.
func commonColours(picture image.Image) color.Palette {
	seen := map[color.RGBA]int{}
	bounds := picture.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			r, g, b, _ := picture.At(x, y).RGBA()
			seen[color.RGBA{R: uint8(r >> 8), G: uint8(g >> 8), B: uint8(b >> 8), A: 255}]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(seen), func(a, b color.RGBA) int { return seen[b] - seen[a] })
	var palette color.Palette
	for _, colour := range colours[:min(len(colours), 256)] {
		palette = append(palette, colour)
	}
	return palette
}
