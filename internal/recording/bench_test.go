package recording

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"testing"

	"github.com/klauspost/compress/gzip"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// bigLog returns the sample, unpacked and repeated several times.
func bigLog(b *testing.B) []byte {
	b.Helper()
	f, err := os.Open(sample)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	return bytes.Repeat(text, 20)
}

// Compare BenchmarkRead with BenchmarkDecode: the first reads a log and rebuilds everything in it, the second decodes
// its lines with encoding/json, which leaves objects as they are.
func BenchmarkRead(b *testing.B) {
	log := bigLog(b)
	for _, bench := range []struct {
		name  string
		ahead int
	}{{"alone", 0}, {"ahead", 2}} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(log)))
			b.ReportAllocs()
			for b.Loop() {
				open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(log)), nil }
				r, err := NewReader([]Source{{Name: "log", Open: open}}, Options{Ahead: bench.ahead})
				for err == nil {
					_, err = r.Next()
				}
				if err != io.EOF {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	log := bigLog(b)
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		lines := bufio.NewScanner(bytes.NewReader(log))
		lines.Buffer(nil, len(log))
		for lines.Scan() {
			var e auditv1.Event
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkSkip is the lower bound: it only finds the end of every value.
func BenchmarkSkip(b *testing.B) {
	log := bigLog(b)
	b.SetBytes(int64(len(log)))
	for b.Loop() {
		for i := 0; i < len(log); i = skipSpace(log, i) {
			var err error
			if i, err = skipValue(log, i, 0); err != nil {
				b.Fatal(err)
			}
		}
	}
}
