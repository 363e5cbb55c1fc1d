package markup

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/admsim/admsim/internal/inert"
)

func htmlOf(write func(w *Writer)) string {
	var w Writer
	write(&w)
	return w.HTML().String()
}

// Pieces are written as they are, with texts in their holes.
func TestPut(t *testing.T) {
	for _, tt := range []struct {
		reason string
		write  func(w *Writer)
		want   string
	}{
		{"a piece", func(w *Writer) { w.Put(`<p>`) }, `<p>`},
		{"texts in their order", func(w *Writer) { w.Put(`<p title="{}">{}</p>`, `"a"`, `b & {}`) }, `<p title="&#34;a&#34;">b &amp; {}</p>`},
		{"where something holds", func(w *Writer) { w.PutIf(true, ` open`); w.PutIf(false, ` hidden`) }, ` open`},
		{"around a text", func(w *Writer) { w.PutAny(`<b>{}</b>`, "a"); w.PutAny(`<i>{}</i>`, "") }, `<b>a</b>`},
		{"what was written before", func(w *Writer) { w.Insert(HTML{`<hr>`}) }, `<hr>`},
		{"data", func(w *Writer) { _ = w.Data("lines", []string{"</script><!--"}) }, `<script type="application/json" id="lines">["\u003c/script\u003e\u003c!--"]</script>`},
	} {
		if got := htmlOf(tt.write); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.reason, got, tt.want)
		}
	}
}

// Any text is also text for a browser, between tags and in an attribute; characters that HTML text cannot contain are
// replaced.
func FuzzText(f *testing.F) {
	for _, text := range []string{"", "a", "</p><script>alert(1)</script>", `" onload="x`, "' <!-- ]]> & &lt; &amp;#60;", "\x00", "\xff\xc3", "é\u2028\uFFFD", "\r\n\t`", "a\n::error::[x] ##[b]\u202e", "::1", "javascript:x", "{}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := inert.Shown(text)
		page := htmlOf(func(w *Writer) { w.Put(`<p title="{}">{}</p>`, text, text) })
		z := html.NewTokenizer(strings.NewReader(page))
		z.Next()
		p := z.Token()
		if p.Type != html.StartTagToken || p.Data != "p" || len(p.Attr) != 1 || p.Attr[0].Key != "title" || p.Attr[0].Val != want {
			t.Fatalf("%q is read as %q", page, p)
		}
		between := ""
		for z.Next() == html.TextToken {
			between += z.Token().Data
		}
		if between != want {
			t.Fatalf("%q is read as the text %q, want %q", page, between, want)
		}
		if end := z.Token(); end.Type != html.EndTagToken || z.Next() != html.ErrorToken {
			t.Fatalf("%q continues with %q", page, end)
		}
	})
}

// A Writer that passes on what it writes passes on all of it, and reports errors.
func TestFlush(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	long := strings.Repeat("x", atOnce)
	w.Put(`<p>{}</p>`, long)
	w.Put(`<hr>`)
	if err := w.Flush(); err != nil || b.String() != "<p>"+long+"</p><hr>" {
		t.Errorf("%d bytes are passed on, %v", b.Len(), err)
	}
	w = NewWriter(full{})
	w.Put(`<hr>`)
	if err := w.Flush(); !errors.Is(err, errFull) {
		t.Errorf("Flush() = %v, want %v", err, errFull)
	}
}

type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }
