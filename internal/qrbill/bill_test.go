package qrbill_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"countersign/internal/qrbill"
)

// text is the code of a bill with a QR reference; pairs change lines, counted from 1.
func text(pairs ...any) string {
	lines := strings.Split("SPC|0200|1|CH4431999123000889012|S|Beispiel Holzbau GmbH|Seestrasse|41|8002|Zürich|CH||||||||1949.75|CHF|S|"+
		"Muster AG|Musterweg|1|3000|Bern|CH|QRR|210000000003139471430009017|Rechnung 1107|EPD|//S1/10/10201409", "|")
	for i := 0; i < len(pairs); i += 2 {
		lines[pairs[i].(int)-1] = pairs[i+1].(string)
	}
	return strings.Join(lines, "\r\n")
}

func TestTheTextOfABillIsRead(t *testing.T) {
	t.Parallel()
	got, err := qrbill.Parse(text())
	want := qrbill.Bill{
		IBAN: "CH4431999123000889012", Amount: "1949.75", Currency: "CHF", Kind: "QRR", Reference: "210000000003139471430009017",
		Message: "Rechnung 1107", Information: "//S1/10/10201409", Creditor: qrbill.Party{
			Name: "Beispiel Holzbau GmbH", Street: "Seestrasse", BuildingNumber: "41", Postcode: "8002", Town: "Zürich", Country: "CH",
		},
	}
	if err != nil || got != want {
		t.Errorf("read as %+v, %v", got, err)
	}
	for name, pairs := range map[string][]any{
		"no amount":            {19, ""},
		"a creditor reference": {4, "CH4821966000009613388", 28, "SCOR", 29, "RF18 5390 0754 7034"},
		"no reference":         {4, "CH4821966000009613388", 28, "NON", 29, ""},
		"euro":                 {20, "EUR"},
		"a combined address":   {5, "K", 7, "Seestrasse 41", 8, "8002 Zürich", 9, "", 10, ""},
		"a later version":      {2, "0230"},
	} {
		_, err := qrbill.Parse(text(pairs...))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatIsNoBillIsRefusedInASentence(t *testing.T) {
	t.Parallel()
	for want, content := range map[string]string{
		"The first line must be SPC":   "https://example.org",
		"this version":                 text(2, "0100"),
		"Line 31 must be EPD":          text(31, ""),
		"is not in UTF-8":              text(3, "2"),
		"check digits of the IBAN":     text(4, "CH4431999123000889013"),
		"Switzerland or Liechtenstein": text(4, "DE89370400440532013000"),
		"does not name a creditor":     text(6, ""),
		"amount in the QR code":        text(19, "1'949.75"),
		"is neither CHF nor EUR":       text(20, "USD"),
		"unknown reference type":       text(28, "ABC"),
		"Compare the reference":        text(29, "210000000003139471430009018"),
		"do not match":                 text(4, "CH4821966000009613388"),
		"Paste only":                   text(30, strings.Repeat("x", 5000)),
		"reference type is “none”":     text(28, "NON"),
	} {
		_, err := qrbill.Parse(content)
		var refused *qrbill.Error
		if !errors.As(err, &refused) || !strings.Contains(refused.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// picture draws a text as a QR code.
func picture(t *testing.T, content string) []byte {
	t.Helper()
	code, err := qrcode.NewQRCodeWriter().Encode(content, gozxing.BarcodeFormat_QR_CODE, 500, 500, map[gozxing.EncodeHintType]interface{}{
		gozxing.EncodeHintType_CHARACTER_SET: "UTF-8",
	})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	err = png.Encode(&file, code)
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestAPictureOfABillIsRead(t *testing.T) {
	t.Parallel()
	read, err := qrbill.ReadPicture(context.Background(), picture(t, text()))
	if err != nil || read != text() {
		t.Errorf("the picture is read as %q, %v", read, err)
	}
	blank, huge := &bytes.Buffer{}, &bytes.Buffer{}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(png.Encode(blank, image.NewGray(image.Rect(0, 0, 200, 200))))
	must(png.Encode(huge, image.NewGray(image.Rect(0, 0, 8000, 2001))))
	for want, content := range map[string][]byte{
		"PNG or JPEG": []byte("%PDF-1.7"), "sharper picture": blank.Bytes(), "at most 16 megapixels": huge.Bytes(),
	} {
		_, err := qrbill.ReadPicture(context.Background(), content)
		var refused *qrbill.Error
		if !errors.As(err, &refused) || !strings.Contains(refused.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// TestAPhotoOfABillIsRead: a telephone's picture of 12 megapixels, with noise and the code in a corner.
func TestAPhotoOfABillIsRead(t *testing.T) {
	t.Parallel()
	code, err := png.Decode(bytes.NewReader(picture(t, text())))
	if err != nil {
		t.Fatal(err)
	}
	photo := image.NewYCbCr(image.Rect(0, 0, 4000, 3000), image.YCbCrSubsampleRatio420)
	noise := rand.New(rand.NewPCG(1, 1))
	size := code.Bounds().Dx()
	for y := range 3000 {
		for x := range 4000 {
			light := 200
			if x >= 400 && x < 1300 && y >= 1800 && y < 2700 {
				grey, _ := color.GrayModel.Convert(code.At((x-400)*size/900, (y-1800)*size/900)).(color.Gray)
				light = int(grey.Y)/2 + 60
			}
			photo.Y[photo.YOffset(x, y)] = uint8(light + noise.IntN(120) - 60)
		}
	}
	for i := range photo.Cb {
		photo.Cb[i], photo.Cr[i] = 128, 128
	}
	var content bytes.Buffer
	err = jpeg.Encode(&content, photo, &jpeg.Options{Quality: 80})
	if err != nil {
		t.Fatal(err)
	}
	got, err := qrbill.ReadPicture(t.Context(), content.Bytes())
	if err != nil || got != text() {
		t.Errorf("of a photo of %d kB %q is read, error %v", content.Len()>>10, got, err)
	}
}

// FuzzParse: no text makes it fall over, and what it takes holds together.
func FuzzParse(f *testing.F) {
	f.Add(text())
	f.Add("SPC\n0200")
	f.Fuzz(func(t *testing.T, content string) {
		bill, err := qrbill.Parse(content)
		if err == nil && (bill.IBAN == "" || bill.Creditor.Name == "") {
			t.Errorf("%q is taken as %+v", content, bill)
		}
	})
}
