package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// split returns the documents in a stream, each with its line, and the errors.
func split(t *testing.T, in io.Reader, max int) (got []string) {
	t.Helper()
	s := newSplitter(in, Position{File: "f"}, max)
	for {
		d, err := s.next()
		broken := (*BrokenError)(nil)
		switch {
		case err == io.EOF:
			return got
		case errors.As(err, &broken):
			got = append(got, fmt.Sprintf("%s (%d lines)", err, broken.Lines))
		case err != nil:
			t.Fatal(err)
		default:
			got = append(got, fmt.Sprintf("%d@%d %s", d.Line, d.Offset, d.raw))
		}
	}
}

func TestDocuments(t *testing.T) {
	tests := []struct{ reason, in, want string }{
		{"lines", "{\"a\":1}\n\n{\"b\":2}\n", "1@0 {\"a\":1}|3@9 {\"b\":2}"},
		{"no end of the last line", "{}\r\n{}", "1@0 {}|2@4 {}"},
		{"one after the other", `{}{"a":{}} {}`, `1@0 {}|1@2 {"a":{}}|1@11 {}`},
		{"over several lines", "{\n \"a\": 1\n}\n{}", "1@0 {\n \"a\": 1\n}|4@12 {}"},
		{"a list", `{"kind":"EventList","items":[{"a":1},{"a":2}],"metadata":{}}{}`, `1@29 {"a":1}|1@37 {"a":2}|1@60 {}`},
		{"a list over lines", "{\"items\":[\n{},\n{}\n]\n}\n{}", "2@11 {}|3@15 {}|6@22 {}"},
		{"an empty list", `{"items":[]}{}`, `1@12 {}`},
		{"an array", `[{},{}]{}`, `1@1 {}|1@4 {}|1@7 {}`},
		{"items below are no list", `{"a":{"items":[{}]}}`, `1@0 {"a":{"items":[{}]}}`},
		{"text between", "I1121 starting\nmore\n{}\n", "f:1: invalid character 'I' where an object should begin (2 lines)|3@20 {}"},
		{"a line that was cut in a string", "{\"a\":\"b\n{}\n", `f:1: the line ends in the middle of a string (1 lines)|2@8 {}`},
		{"a line that was cut before a value", "{\"a\":\n{}\n{}\n", "f:1: line 3: invalid character '{' where a comma or a closing brace should be (1 lines)|2@6 {}|3@9 {}"},
		{"the end is missing", "{}\n{\"a\":", "1@0 {}|f:2: ends in the middle of a JSON value (1 lines)"},
		{"the end of a list is missing", `{"items":[{}`, "1@10 {}|f:1: ends in the middle of a JSON value (0 lines)"},
		{"an element that is no object", "[1]\n{}", "f:1: invalid character '1' where an object should begin (1 lines)|2@4 {}"},
		{"too large", `{"a":"` + strings.Repeat("x", 100) + "\"}\n{}", "f:1: too large: more than 64 bytes (1 lines)|2@109 {}"},
		{"nothing", "", ""},
	}
	for _, test := range tests {
		for name, in := range map[string]io.Reader{
			"at once":       strings.NewReader(test.in),
			"byte for byte": iotest.OneByteReader(strings.NewReader(test.in)),
			"end with data": iotest.DataErrReader(strings.NewReader(test.in)),
		} {
			if got := strings.Join(split(t, in, 64), "|"); got != test.want {
				t.Errorf("%s, %s: got\n%s\nwant\n%s", test.reason, name, got, test.want)
			}
		}
	}
}

func TestReadErrorIsReported(t *testing.T) {
	in := io.MultiReader(strings.NewReader("{}\n"), iotest.ErrReader(errors.New("disk on fire")))
	want := []string{"1@0 {}", "f:2: disk on fire (0 lines)"}
	if diff := cmp.Diff(want, split(t, in, 64)); diff != "" {
		t.Error(diff)
	}
}

// Whatever the input is, and however it is split into reads, the documents are the same and in order, and each is a
// JSON object that encoding/json accepts.
func FuzzDocuments(f *testing.F) {
	f.Add([]byte("{\"a\":\n{}\n{\"items\":[{},{}]}\n[{}]"))
	f.Add([]byte("{\n\"a\":1}\n{\"b\":\"\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got := split(t, strings.NewReader(string(data)), 1<<20)
		if diff := cmp.Diff(got, split(t, iotest.OneByteReader(strings.NewReader(string(data))), 1<<20)); diff != "" {
			t.Fatal(diff)
		}
		s := newSplitter(strings.NewReader(string(data)), Position{}, 0)
		for last := int64(-1); ; {
			d, err := s.next()
			if err == io.EOF {
				break
			}
			if err != nil {
				continue
			}
			if d.Offset <= last || !strings.HasPrefix(string(data[d.Offset:]), string(d.raw)) {
				t.Fatalf("document at %d after %d", d.Offset, last)
			}
			if line := 1 + strings.Count(string(data[:d.Offset]), "\n"); line != d.Line {
				t.Fatalf("line %d, want %d", d.Line, line)
			}
			if last = d.Offset; !json.Valid(d.raw) {
				t.Fatalf("not JSON: %q", d.raw)
			}
		}
	})
}

// endless repeats the same line, up to a number of bytes, and counts.
type endless struct {
	line string
	left int
	at   int
}

func (e *endless) Read(p []byte) (n int, err error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	for n < len(p) {
		c := copy(p[n:], e.line[e.at:])
		n, e.at = n+c, (e.at+c)%len(e.line)
	}
	e.left -= n
	return n, nil
}

// A stream of any length, one list or many lines, is never held in memory: the buffer is only as large as one document
// needs.
func TestBufferDoesNotGrowWithTheStream(t *testing.T) {
	event := `{"kind":"Event","a":"` + strings.Repeat("x", 2000) + `"}`
	for name, in := range map[string]io.Reader{
		"lines": &endless{line: event + "\n", left: 64 << 20},
		"list":  io.MultiReader(strings.NewReader(`{"items":[`+event), &endless{line: "," + event, left: 64 << 20}),
		"text":  &endless{line: "nothing that is JSON", left: 64 << 20},
	} {
		s := newSplitter(in, Position{}, 0)
		n := 0
		for _, err := s.next(); err != io.EOF; _, err = s.next() {
			n++
		}
		if len(s.buf) != firstBuffer {
			t.Errorf("%s: a buffer of %d bytes after %d documents, want %d", name, len(s.buf), n, firstBuffer)
		}
		if name != "text" && n < 30000 {
			t.Errorf("%s: %d documents", name, n)
		}
	}
}
