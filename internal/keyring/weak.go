package keyring

// minDistinct is the number of different bytes that a key needs. Of 32 random bytes some 30 differ; fewer than 16 never occur in practice.
const minDistinct = 16

// Weak names the keys that were not made by chance: few different bytes, bytes that count up or down, or only the bytes of a text. It finds
// typed keys, not those of a bad generator.
func (r Ring) Weak() []string {
	var weak []string
	for _, k := range r.keys {
		if repeats(k.secret) || counts(k.secret) || readable(k.secret) {
			weak = append(weak, k.id)
		}
	}
	return weak
}

// repeats reports whether the key has too few different bytes.
func repeats(secret []byte) bool {
	seen := make(map[byte]bool)
	for _, b := range secret {
		seen[b] = true
	}
	return len(seen) < minDistinct
}

// counts reports whether each byte differs from the one before by the same step.
func counts(secret []byte) bool {
	for i := 2; i < len(secret); i++ {
		if secret[i]-secret[i-1] != secret[1]-secret[0] {
			return false
		}
	}
	return true
}

// readable reports whether the key is printable ASCII from end to end: a passphrase, or hexadecimal digits encoded once more. Of 32
// random bytes that is so once in 10^14 keys.
func readable(secret []byte) bool {
	for _, b := range secret {
		if b < ' ' || b > '~' {
			return false
		}
	}
	return true
}
