package recording

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/admsim/admsim/internal/hint"
)

// No record is lost to a byte order mark, at the beginning of a file, compressed or not, or where files were
// concatenated.
func TestByteOrderMark(t *testing.T) {
	const mark = "\uFEFF"
	one := func(n string) string {
		return `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"` + n + `","stage":"ResponseComplete","verb":"get"}`
	}
	zipped := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, text)
		_ = w.Close()
		return b.String()
	}
	packed := func(text string) string {
		w, _ := zstd.NewWriter(nil)
		return string(w.EncodeAll([]byte(text), nil))
	}
	for _, tt := range []struct {
		reason, text string
		want         int
	}{
		{"none", one("a") + "\n" + one("b"), 2},
		{"at the beginning", mark + one("a") + "\n" + one("b"), 2},
		{"before each", mark + one("a") + "\n" + mark + one("b") + "\n", 2},
		{"without a line break", mark + one("a") + mark + one("b"), 2},
		{"alone", mark, 0},
		{"a list", mark + "[" + one("a") + ",\n" + one("b") + "]", 2},
		{"gzip", zipped(mark+one("a")+"\n") + zipped(mark+one("b")+"\n"), 2},
		{"zstd", packed(mark+one("a")+"\n") + packed(mark+one("b")+"\n"), 2},
		{"behind what is broken", "{oops\n" + mark + one("a") + "\n" + one("b"), 2},
	} {
		for _, cut := range []int{1, 1 << 20} {
			open := func() (io.ReadCloser, error) {
				return io.NopCloser(pieces{strings.NewReader(tt.text), cut}), nil
			}
			r, err := NewReader([]Source{{Name: "log", Open: open}}, Options{Broken: func(*BrokenError) error { return nil }})
			if err != nil {
				t.Fatal(err)
			}
			got := 0
			for {
				if _, err := r.Next(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s: %v", tt.reason, err)
				}
				got++
			}
			if got != tt.want {
				t.Errorf("%s, in pieces of %d: %d records, want %d", tt.reason, cut, got, tt.want)
			}
			r.Close()
		}
	}
}

// pieces reads a few bytes at a time.
type pieces struct {
	io.Reader
	most int
}

func (p pieces) Read(into []byte) (int, error) { return p.Reader.Read(into[:min(p.most, len(into))]) }

// UTF-16, as PowerShell writes it, is reported with a way to convert it.
func TestUTF16(t *testing.T) {
	var little, big bytes.Buffer
	for _, unit := range utf16.Encode([]rune("\uFEFF{}")) {
		little.Write([]byte{byte(unit), byte(unit >> 8)})
		big.Write([]byte{byte(unit >> 8), byte(unit)})
	}
	for _, text := range []string{little.String(), big.String(), little.String()[2:], big.String()[2:]} {
		open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
		r, err := NewReader([]Source{{Name: "log", Open: open}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Next()
		if advised, ok := errors.AsType[*hint.Error](err); !ok || !strings.Contains(advised.Hint, "iconv -f UTF-16 -t UTF-8") {
			t.Errorf("%q: %v", text, err)
		}
		r.Close()
	}
}
