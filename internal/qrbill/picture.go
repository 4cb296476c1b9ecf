package qrbill

import (
	"bytes"
	"context"
	"image"
	_ "image/jpeg" // pictures are PNG or JPEG
	_ "image/png"
	"time"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
)

const (
	// MaxPixels bounds a picture: more is refused before it is unpacked.
	MaxPixels = 8_000_000
	// lookFor limits the search for a code in a picture.
	lookFor = 5 * time.Second
)

// looking bounds how many pictures are unpacked and looked at by this process at a time: each takes some 40 MB.
var looking = make(chan struct{}, 2)

// ReadPicture finds the QR code in a picture (PNG or JPEG) and returns its text. It gives up after five seconds, or when the context ends.
// Error: *Error.
func ReadPicture(ctx context.Context, content []byte) (string, error) {
	shape, _, err := image.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return "", refuse("Choose a picture of the QR code as PNG or JPEG, or paste its text.")
	}
	if shape.Width <= 0 || shape.Height <= 0 || shape.Width > MaxPixels/shape.Height {
		return "", refuse("Choose a smaller picture: at most %d megapixels.", MaxPixels/1_000_000)
	}
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	select {
	case looking <- struct{}{}:
	case <-ctx.Done():
		return "", refuse("Try again in a moment, or paste the text of the QR code: many pictures are being read.")
	}
	found := make(chan string, 1)
	go func() {
		defer func() { <-looking }()
		found <- textIn(content)
	}()
	select {
	case text := <-found:
		if text != "" {
			return text, nil
		}
	case <-ctx.Done():
	}
	return "", refuse("Choose a sharper picture that shows the whole QR code and little else, or paste its text: none was found.")
}

// textIn is the text of the code in a picture, "" where none is found. A picture that the libraries stumble over holds none.
func textIn(content []byte) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	picture, _, err := image.Decode(bytes.NewReader(content))
	if err != nil {
		return ""
	}
	bitmap, err := gozxing.NewBinaryBitmapFromImage(picture)
	if err != nil {
		return ""
	}
	result, err := qrcode.NewQRCodeReader().Decode(bitmap, map[gozxing.DecodeHintType]interface{}{
		gozxing.DecodeHintType_TRY_HARDER: true, gozxing.DecodeHintType_CHARACTER_SET: "UTF-8",
	})
	if err != nil {
		return ""
	}
	return result.GetText()
}
