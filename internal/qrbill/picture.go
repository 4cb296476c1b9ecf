package qrbill

import (
	"bytes"
	"context"
	"image"
	"image/color"
	_ "image/jpeg" // pictures are PNG or JPEG
	_ "image/png"
	"time"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
)

const (
	// MaxPixels bounds a picture: more is refused before it is unpacked.
	MaxPixels = 16_000_000
	// enough is the longest side, in pixels, of a picture that is searched first: larger ones are made smaller, which takes their noise away.
	enough = 2000
	// lookFor limits the search for a code in a picture.
	lookFor = 5 * time.Second
)

// looking lets this process unpack and search one picture at a time: each takes up to 100 MB.
var looking = make(chan struct{}, 1)

// ReadPicture finds the QR code in a picture (PNG or JPEG) and returns its text. It gives up after five seconds, or when the context ends.
// Error: *Error.
func ReadPicture(ctx context.Context, content []byte) (string, error) {
	shape, _, err := image.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return "", refuse("Choose a PNG or JPEG picture of the QR code, or paste the text of the QR code.")
	}
	if shape.Width <= 0 || shape.Height <= 0 || shape.Width > MaxPixels/shape.Height {
		return "", refuse("Choose a picture of at most %d megapixels.", MaxPixels/1_000_000)
	}
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	select {
	case looking <- struct{}{}:
	case <-ctx.Done():
		return "", refuse("Too many pictures are being read right now. Try again in a moment, or paste the text of the QR code.")
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
	return "", refuse("No QR code was found in the picture. Choose a sharper picture that shows the whole code, or paste the text of the " +
		"code.")
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
	grey := greyOf(picture)
	for _, one := range []*image.Gray{reduced(grey), grey} {
		bitmap, err := gozxing.NewBinaryBitmapFromImage(one)
		if err != nil {
			return ""
		}
		result, err := qrcode.NewQRCodeReader().Decode(bitmap, map[gozxing.DecodeHintType]interface{}{
			gozxing.DecodeHintType_TRY_HARDER: true, gozxing.DecodeHintType_CHARACTER_SET: "UTF-8",
		})
		if err == nil {
			return result.GetText()
		}
	}
	return ""
}

// greyOf returns the brightness of a picture.
func greyOf(picture image.Image) *image.Gray {
	bounds := picture.Bounds()
	if photo, is := picture.(*image.YCbCr); is {
		return &image.Gray{Pix: photo.Y, Stride: photo.YStride, Rect: bounds}
	}
	grey := image.NewGray(bounds)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			grey.Set(x, y, picture.At(x, y))
		}
	}
	return grey
}

// reduced averages squares of pixels until the longest side has fewer than twice enough pixels.
func reduced(grey *image.Gray) *image.Gray {
	bounds := grey.Bounds()
	step := max(bounds.Dx(), bounds.Dy()) / enough
	if step < 2 {
		return grey
	}
	small := image.NewGray(image.Rect(0, 0, bounds.Dx()/step, bounds.Dy()/step))
	for y := range small.Rect.Dy() {
		for x := range small.Rect.Dx() {
			sum := 0
			for i := range step * step {
				sum += int(grey.GrayAt(bounds.Min.X+x*step+i%step, bounds.Min.Y+y*step+i/step).Y)
			}
			small.SetGray(x, y, color.Gray{Y: uint8(sum / (step * step))}) //nolint:gosec // an average of bytes is a byte
		}
	}
	return small
}
