package api

import "testing"

func BenchmarkParse(b *testing.B) {
	compiled, err := compileBodies()
	if err != nil {
		b.Fatal(err)
	}
	raw := []byte(seedOrder)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		_, err = parseForm(b.Context(), raw, form{schema: compiled.create, mode: wrappable})
		if err != nil {
			b.Fatal(err)
		}
	}
}
