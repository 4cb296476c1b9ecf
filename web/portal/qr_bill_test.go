package portal_test

import (
	"bytes"
	"image/png"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
)

// bill is the text of a QR code; pairs change lines, counted from 1.
func bill(pairs ...any) string {
	lines := strings.Split("SPC|0200|1|CH4431999123000889012|S|Beispiel Holzbau GmbH|Seestrasse|41|8002|Zürich|CH||||||||1949.75|CHF|S|"+
		"Muster AG|Musterweg|1|3000|Bern|CH|QRR|210000000003139471430009017|Rechnung 1107|EPD", "|")
	for i := 0; i < len(pairs); i += 2 {
		lines[pairs[i].(int)-1] = pairs[i+1].(string)
	}
	return strings.Join(lines, "\r\n")
}

// sendBill sends the form of QR-bills: a text, and a file unless it is nil.
func (w *browser) sendBill(text string, file []byte) answer {
	w.b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	err := form.WriteField("text", text)
	if err == nil && file != nil {
		part, _ := form.CreateFormFile("file", "bill.png")
		_, err = part.Write(file)
	}
	if err != nil {
		w.b.t.Fatal(err)
	}
	_ = form.Close()
	return w.send(http.MethodPost, "/payments/qr-bill", form.FormDataContentType(), &body)
}

func TestAQRBillFillsTheForm(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	maker.get("/payments/qr-bill").is(http.StatusOK)
	code, err := qrcode.NewQRCodeWriter().Encode(bill(), gozxing.BarcodeFormat_QR_CODE, 400, 400,
		map[gozxing.EncodeHintType]interface{}{gozxing.EncodeHintType_CHARACTER_SET: "UTF-8"})
	if err != nil {
		t.Fatal(err)
	}
	var picture bytes.Buffer
	err = png.Encode(&picture, code)
	if err != nil {
		t.Fatal(err)
	}
	for name, send := range map[string]func() answer{
		"text": func() answer { return maker.sendBill(bill(), nil) }, "picture": func() answer { return maker.sendBill(" ", picture.Bytes()) },
	} {
		edit := send().goesTo("/payments/")
		page := maker.get(edit).is(http.StatusOK).says("The form was filled in from the QR-bill.")
		form := page.fields(edit)
		for field, want := range map[string]string{
			"creditorName": "Beispiel Holzbau GmbH", "creditorIban": "CH44 3199 9123 0008 8901 2", "amount": "1949.75", "remittanceKind": "qr",
			"qrReference": "210000000003139471430009017", "town": "Zürich", "scheme": "sic-inst", "country": "CH", "remittanceText": "Rechnung 1107",
		} {
			if form.Get(field) != want {
				t.Errorf("%s: %s is %q, want %q", name, field, form.Get(field), want)
			}
		}
		if name == "text" {
			maker.post(edit, with(form, "act", "check")).goesTo("/payments/")
		}
	}
	euro := bill(4, "CH4821966000009613388", 20, "EUR", 19, "", 28, "NON", 29, "")
	edit := maker.sendBill(euro, nil).goesTo("/payments/")
	form := maker.get(edit).is(http.StatusOK).says("Enter the amount").fields(edit)
	if form.Get("scheme") != "sct-inst" || form.Get("remittanceText") != "Rechnung 1107" {
		t.Errorf("a bill in euro fills in %q and %q", form.Get("scheme"), form.Get("remittanceText"))
	}
	informed := bill() + "\r\n//S1/10/1107/11/261120"
	filled := maker.get(maker.sendBill(informed, nil).goesTo("/payments/")).is(http.StatusOK)
	filled.says("This billing information is not sent: //S1/10/1107/11/261120")
	maker.sendBill("", nil).is(http.StatusUnprocessableEntity).says("Paste the text")
	again := maker.sendBill("https://example.org", nil).is(http.StatusUnprocessableEntity).says("first line must be SPC")
	if text := again.page.Find("textarea").Text(); text != "https://example.org" {
		t.Errorf("the text comes back as %q", text)
	}
	maker.sendBill(bill(20, "EUR"), nil).is(http.StatusUnprocessableEntity).says("SEPA instant payments cannot contain a QR reference")
	maker.sendBill("", []byte("%PDF-1.7")).is(http.StatusUnprocessableEntity).says("PNG or JPEG")
	maker.sendBill("", bytes.Repeat([]byte("x"), 10<<20+1)).is(http.StatusUnprocessableEntity).says("no larger than 10 MB")
	beyond := maker.sendBill("", bytes.Repeat([]byte("x"), 11<<20)).is(http.StatusRequestEntityTooLarge)
	if beyond.page.Find(`a[href="/payments/qr-bill"]`).Length() == 0 {
		t.Errorf("from a picture that is too large nothing leads back to the form: %s", beyond.main())
	}
	b.as("checker1").sendBill(bill(), nil).is(http.StatusForbidden)
	b.expire()
	again = maker.sendBill(bill(), nil)
	maker = b.as("maker1")
	if kept := maker.get(again.signInAgain(maker)).is(http.StatusOK).page.Find("#amount").AttrOr("value", ""); kept != "1949.75" {
		t.Errorf("after the session had ended the form comes back with the amount %q", kept)
	}
	if n := b.count("SELECT count(*) FROM message"); n != 0 {
		t.Errorf("%d messages were made", n)
	}
}

// TestAFormShowsAnAccountInFours: wherever its number came from. What is no account number stays as it was typed.
func TestAFormShowsAnAccountInFours(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	id := maker.submit(filled()).InternalID.String()
	ofBill := maker.sendBill(bill(), nil).goesTo("/payments/")
	for _, path := range []string{"/payments/" + id + "/amend", "/payments/new?like=" + id, ofBill} {
		iban := maker.get(path).is(http.StatusOK).fields("/payments/").Get("creditorIban")
		if groups := strings.Split(iban, " "); len(groups) != 6 || len(groups[0]) != 4 {
			t.Errorf("%s shows %q", path, iban)
		}
	}
	refused := maker.post("/payments/new", with(filled(), "creditorIban", "CH4821966000009613389")).is(http.StatusUnprocessableEntity)
	if iban := refused.fields("/payments/").Get("creditorIban"); iban != "CH4821966000009613389" {
		t.Errorf("a wrong number comes back as %q", iban)
	}
}
