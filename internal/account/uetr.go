package account

// UETR is a checked unique end-to-end transaction reference: a version 4 UUID (RFC 9562) in lower
// case, as the ISO 20022 schemas ask for. The zero value means "none".
type UETR struct {
	text string
}

// ParseUETR checks a UETR in the form of a document. It refuses with ErrEmpty (CH21) or
// ErrStructure (CH16).
func ParseUETR(text string) (UETR, error) {
	if text == "" {
		return UETR{}, &Error{ErrEmpty, "CH21", "Enter a UETR."}
	}
	if !isUUIDv4(text) {
		return UETR{}, &Error{ErrStructure, "CH16", "Enter the UETR as a version 4 UUID in lower case, such as 7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10."}
	}
	return UETR{text: text}, nil
}

// isUUIDv4 holds the text against xxxxxxxx-xxxx-4xxx-[89ab]xxx-xxxxxxxxxxxx.
func isUUIDv4(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i := range len(text) {
		c := text[i]
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !isDigit(c) && (c < 'a' || c > 'f') {
				return false
			}
		}
	}
	version, variant := text[14], text[19]
	return version == '4' && (variant == '8' || variant == '9' || variant == 'a' || variant == 'b')
}

// String is the reference as documents carry it.
func (u UETR) String() string {
	return u.text
}
