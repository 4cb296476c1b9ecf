package browsertest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"countersign/internal/testutil"
	screenspkg "countersign/tools/gallery/screens"
)

// pictureLimit keeps the pictures of docs/screens small, in bytes.
const pictureLimit = 150_000

// pictured are the ten screens of docs/screens.
var pictured = []string{
	"queue-open", "bulk", "payment", "payment-flying", "payments", "payment-new-refused", "check-duplicate", "dashboard", "mine",
	"change-waiting",
}

// TestPictures takes pictures of the gallery into the folder that COUNTERSIGN_PICTURES names: the ten screens on a desk, in light and dark.
// COUNTERSIGN_PICTURES_OF=all takes all exhibits, COUNTERSIGN_PICTURES_WIDTHS=360,1024,1440 takes others widths than 1440. Who draws
// pages looks at these before and after.
func TestPictures(t *testing.T) {
	testutil.Long(t)
	folder := os.Getenv("COUNTERSIGN_PICTURES")
	names, widths := pictured, "1440"
	if folder == "" { // only whether it can: one screen, which goes away with the test
		folder, names = t.TempDir(), pictured[:1]
	}
	t.Parallel()
	address, p := showGallery(t), visitor(t, desktop)
	if given := os.Getenv("COUNTERSIGN_PICTURES_WIDTHS"); given != "" {
		widths = given
	}
	switch of := os.Getenv("COUNTERSIGN_PICTURES_OF"); of {
	case "":
	case "all":
		names = nil
		for _, exhibit := range screenspkg.Exhibits() {
			if !exhibit.Fragment {
				names = append(names, exhibit.Name)
			}
		}
	default:
		names = strings.Split(of, ",")
	}
	spoken := either(os.Getenv("COUNTERSIGN_PICTURES_IN"), "en")
	for _, name := range names {
		p.open(address + "/" + spoken + "/" + name) // the font may come too late for the first page that anybody opens
		for text := range strings.SplitSeq(widths, ",") {
			width, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			p.take(address+"/"+spoken+"/"+name, filepath.Join(folder, name), width)
		}
	}
}

// take writes what the window shows of a screen, in light and dark; the width stands in the name where it is not that of a desk.
func (p *person) take(address, path string, width int) {
	p.t.Helper()
	err := p.page.SetViewportSize(width, desktop.height)
	if err != nil {
		p.t.Fatal(err)
	}
	if width != desktop.width {
		path += "-" + strconv.Itoa(width)
	}
	for _, scheme := range []*playwright.ColorScheme{playwright.ColorSchemeLight, playwright.ColorSchemeDark} {
		err = p.page.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: scheme})
		if err != nil {
			p.t.Fatal(err)
		}
		if status := p.open(address); status != http.StatusOK {
			p.t.Fatalf("%s answers %d", address, status)
		}
		p.picture(fmt.Sprintf("%s-%s.png", path, *scheme))
	}
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
	if small.Len() > pictureLimit {
		p.t.Errorf("%s has %d bytes, at most %d are wanted", path, small.Len(), pictureLimit)
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
