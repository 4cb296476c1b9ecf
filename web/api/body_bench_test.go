package api

import "testing"

func BenchmarkParse(b *testing.B) {
	forms, err := Compile()
	if err != nil {
		b.Fatal(err)
	}
	raw := []byte(seedOrder)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		_, err = forms.Create.Read(b.Context(), raw)
		if err != nil {
			b.Fatal(err)
		}
	}
}
