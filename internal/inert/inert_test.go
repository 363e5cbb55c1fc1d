package inert

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// Text that could act is shown, and all other text is left alone.
func TestText(t *testing.T) {
	for _, tt := range []struct{ reason, text, want string }{
		{"plain text", "admission webhook \"a.b\" denied the request: C:\\x1b [x] # a: b::c\n\ttabs\n", "admission webhook \"a.b\" denied the request: C:\\x1b [x] # a: b::c\n\ttabs\n"},
		{"other scripts and emoji stay", "Größe 大きい\u3000می\u200cخواهم 👩\u200d🚀 \u00a0\ufffd", "Größe 大きい\u3000می\u200cخواهم 👩\u200d🚀 \u00a0\ufffd"},
		{"escape sequences of a terminal", "a\x1b[2J\x1b]0;t\a", `a\x1b[2J\x1b]0;t\a`},
		{"escape sequences of eight bits", "\u009b2J\u0085", `\u009b2J\u0085`},
		{"what moves back", "abc\rx\b\x7f", `abc\rx\b\x7f`},
		{"marks of direction", "\u202a\u202e\u2066\u2069\u200e\u200f\u061c", `\u202a\u202e\u2066\u2069\u200e\u200f\u061c`},
		{"line breaks of Unicode", "a\u2028b\u2029c", `a\u2028b\u2029c`},
		{"what cannot be seen", "a\u200bb\ufeff\U000e0041\u00ad\u2060", `a\u200bb\ufeff\U000e0041\u00ad\u2060`},
		{"no UTF-8", "a\xffb\xe2\x80", `a\xffb\xe2\x80`},
		{"NUL", "a\x00b", `a\x00b`},
		{"a command", "::error::x", `:\x3aerror::x`},
		{"behind blanks, of which Unicode has many", " \t\u00a0\u2003\u3000::error::x\n\n  ::stop-commands::y", " \t\u00a0\u2003\u3000:\\x3aerror::x\n\n  :\\x3astop-commands::y"},
		{"behind what a comparison may pass over", "\u200d:\u200d:x", "\u200d:\u200d\\x3ax"},
		{"a carriage return ends a line", "a\r::error::x", `a\r::error::x`},
		{"three colons", ":::", `:\x3a:`},
		{"colons elsewhere", "a ::error::x\n: ::error", "a ::error::x\n: ::error"},
		{"the older form, anywhere", "a ##[error]x ###[y] #[z] ##\u200d[a]", "a ##\\x5berror]x ###\\x5by] #[z] ##\u200d\\x5ba]"},
		{"other runners", "##vso[task.x]##teamcity[y ## a[", `##vso\x5btask.x]##teamcity\x5by ## a[`},
	} {
		if got := Text(tt.text); got != tt.want {
			t.Errorf("%s: Text(%q) = %q, want %q", tt.reason, tt.text, got, tt.want)
		}
		if got := Text(tt.want); got != tt.want {
			t.Errorf("%s: once more, %q becomes %q", tt.reason, tt.want, got)
		}
		if got, want := Is(tt.text), tt.text == tt.want; got != want {
			t.Errorf("%s: Is(%q) = %v", tt.reason, tt.text, got)
		}
	}
}

// However the text is split into writes, the result is the same.
func TestWriterPieces(t *testing.T) {
	text := "a::b\n " + Mark(Red) + "::error" + Mark(Reset) + "\xff\u202e#" + "#[x]\xe2\x80 ü" + markOpens + markKey() + "Z\n::x\n"
	want := "a::b\n \x1b[1;31m:\\x3aerror\x1b[0m\\xff\\u202e##\\x5bx]\\xe2\\x80 ü\\xff" + markKey() + "Z\n:\\x3ax\n"
	for size := 1; size <= len(text); size++ {
		var b bytes.Buffer
		w := NewWriter(&b)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if got, err := w.Write([]byte(rest[:n])); got != n || err != nil {
				t.Fatalf("Write = %d, %v", got, err)
			}
			rest = rest[n:]
		}
		if b.String() != want {
			t.Fatalf("in pieces of %d: %q, want %q", size, &b, want)
		}
	}
}

// Text cannot contain a colour of its own, not even one that admsim uses.
func TestWriterColours(t *testing.T) {
	var b strings.Builder
	_, _ = io.WriteString(NewWriter(&b), Mark(Green)+"a\x1b[32mb\xffc"+Mark(Reset))
	if want := "\x1b[32ma\\x1b[32mb\\xffc\x1b[0m"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestWriterUnderneath(t *testing.T) {
	if n, err := NewWriter(failing{}).Write([]byte("a")); n != 0 || err != io.ErrShortWrite {
		t.Errorf("Write = %d, %v", n, err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func FuzzInert(f *testing.F) {
	for _, seed := range []string{"::error::x", " \u2003:", "##[", "##a.b[", "\xff\u202e", "a\r\n::b", "\U000e0041\ufeff", "\"\\\t\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := Text(s); !Is(got) {
			t.Errorf("Text(%q) = %q, which is not inert", s, got)
		} else if Is(s) && got != s {
			t.Errorf("Text(%q) = %q, although it was inert", s, got)
		}
		valid := strings.ToValidUTF8(s, "\ufffd")
		if got := Quote(valid); !Is(got) || strings.Contains(got, "\n") {
			t.Errorf("Quote(%q) = %q, which is not inert", s, got)
		}
		// JSON keeps its meaning, and is inert.
		var b bytes.Buffer
		e := json.NewEncoder(NewJSONWriter(&b))
		e.SetEscapeHTML(false)
		if err := e.Encode(s); err != nil {
			t.Fatal(err)
		}
		var back string
		if err := json.Unmarshal(b.Bytes(), &back); err != nil || back != valid && utf8.ValidString(s) || !Is(b.Bytes()) {
			t.Errorf("%q becomes %q, which is %q: %v", s, &b, back, err)
		}
	})
}
