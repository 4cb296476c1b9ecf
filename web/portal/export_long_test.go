//go:build long

package portal_test

import (
	"bytes"
	"io"
	"net/http"
	"runtime"
	"testing"
	"time"
)

// TestAnExportOfAHundredThousandRowsIsStreamed measures the memory of the process while a list of its largest size is exported.
func TestAnExportOfAHundredThousandRowsIsStreamed(t *testing.T) {
	b := setup(t)
	b.as("maker1").submit(filled())
	b.planted(100_010)
	checker := b.as("checker1")
	for _, format := range []string{"csv", "xlsx"} {
		runtime.GC()
		var before, now runtime.MemStats
		runtime.ReadMemStats(&before)
		begun, peak := time.Now(), uint64(0)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.server.URL+"/payments/table?format="+format, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := checker.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		lines, size := 0, 0
		chunk := make([]byte, 64<<10)
		for {
			n, err := answer.Body.Read(chunk)
			size += n
			lines += bytes.Count(chunk[:n], []byte("\n"))
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		_ = answer.Body.Close()
		t.Logf("%s: %d lines, %d bytes in %s; heap %d MiB before, %d MiB at most", format, lines, size, time.Since(begun).Round(time.Millisecond),
			before.HeapAlloc>>20, peak>>20)
		if format == "csv" && lines < 100_000 {
			t.Errorf("%d lines", lines)
		}
		if peak > before.HeapAlloc+64<<20 {
			t.Errorf("the export of %d bytes takes %d MiB of memory", size, (peak-before.HeapAlloc)>>20)
		}
	}
}
