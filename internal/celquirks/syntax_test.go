package celquirks

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// The limits of cel-go 0.10 and 0.12.
var (
	ofV10 = syntaxLimits{rules: 200}
	ofV12 = syntaxLimits{rules: 250, visits: 250}
)

// syntaxWrong returns errors as lines of places and messages.
func syntaxWrong(text string, limits syntaxLimits) string {
	var lines strings.Builder
	_, errs := readSyntax(text, limits)
	for _, err := range errs {
		fmt.Fprintf(&lines, "%d:%d %s\n", err.Location.Line(), err.Location.Column(), strings.ReplaceAll(err.Message, "\n", `\n`))
	}
	return lines.String()
}

// The errors are those of the library (W-356).
func TestSyntaxErrors(t *testing.T) {
	file, err := os.ReadFile("testdata/syntax.txt")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	want := map[string]string{}
	for line := range strings.Lines(string(file)) {
		switch {
		case strings.HasPrefix(line, `"`):
			text, err := strconv.Unquote(strings.TrimSpace(line))
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			texts = append(texts, text)
		case strings.HasPrefix(line, "\t"):
			want[texts[len(texts)-1]] += line[1:]
		}
	}
	for _, text := range texts {
		for _, limits := range []syntaxLimits{ofV10, ofV12} {
			if diff := cmp.Diff(want[text], syntaxWrong(text, limits)); diff != "" {
				t.Errorf("%q with %+v (-library +admsim):\n%s", text, limits, diff)
			}
		}
	}
}

// Expressions may only be so deep, and errors may only be so many, which differs between versions (W-356).
func TestSyntaxLimits(t *testing.T) {
	const (
		inUse    = "-1:-1 expression recursion limit exceeded: 200\n"
		inUse250 = "-1:-1 expression recursion limit exceeded: 250\n"
		tooDeep  = "-1:-1 max recursion depth exceeded\n"
		tooLong  = "-1:-1 expression code point size exceeds limit: size: 100001, limit 100000\n"
		tooFar   = "-1:-1 error recovery token lookahead limit exceeded: 256\n"
	)
	nested := func(open, in, shut string, n int) string {
		return strings.Repeat(open, n) + in + strings.Repeat(shut, n)
	}
	for _, tt := range []struct {
		name, text string
		v10, v12   string
	}{
		{"40 parentheses", nested("(", "1", ")", 40), "", ""},
		{"41 parentheses", nested("(", "1", ")", 41), "", tooDeep},
		{"198 parentheses", nested("(", "1", ")", 198), "", tooDeep},
		{"199 parentheses", nested("(", "1", ")", 199), inUse, tooDeep},
		{"249 parentheses", nested("(", "1", ")", 249), inUse, inUse250},
		{"300 summands", "1" + strings.Repeat(" + 1", 299), "", tooDeep},
		{"300 times not", strings.Repeat("!", 300) + "true", "", ""},
		{"300 conjuncts", "true" + strings.Repeat(" && true", 299), "", ""},
		{"100,001 characters", strings.Repeat(" ", 100_001), tooLong, tooLong},
		{"300 elements after a mistake", "(1 " + strings.Repeat("1 , ", 300), "1:3 Syntax error: mismatched input '1' expecting ')'\n" + tooFar, "1:3 Syntax error: mismatched input '1' expecting ')'\n" + tooFar},
	} {
		if got := syntaxWrong(tt.text, ofV10); got != tt.v10 {
			t.Errorf("%s in 0.10: %q, want %q", tt.name, got, tt.v10)
		}
		if got := syntaxWrong(tt.text, ofV12); got != tt.v12 {
			t.Errorf("%s in 0.12: %q, want %q", tt.name, got, tt.v12)
		}
	}
	got := syntaxWrong(strings.Repeat("a..b + ", 40)+"1", ofV12)
	if want := "1:212 Syntax error: error recovery attempt limit exceeded: 30\n"; !strings.HasSuffix(got, want) || strings.Count(got, "\n") != 31 {
		t.Errorf("40 mistakes: %s\nwant 31 errors, of which the last is %s", got, want)
	}
}

// Parentheses and the macro has around the name of a message are spaces for the linked library (W-356).
func TestPlainSyntax(t *testing.T) {
	for text, want := range map[string]string{
		"(a.b){c: (1)}":        " a.b {c: (1)}",
		"((a).b){c: (d){}}":    "  a .b {c:  d {}}",
		"(a + b).size() == {}": "(a + b).size() == {}",
		"(a.b){c: ":            " a.b {c: ",
		"(a){} + (":            " a {} + (",
		"has(a.b){}":           "    a.b {}",
		"(has(a.b)).c{d: 1}":   "     a.b  .c{d: 1}",
		"has(a.b) && (a){}":    "has(a.b) &&  a {}",
	} {
		if got, _ := readSyntax(text, ofV12); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

// Any text can be read, and what the linked library reads instead has the same places.
func FuzzSyntax(f *testing.F) {
	for _, seed := range []string{"", "(a.b){c: 1} ? !} : '", "{if: 1 + } && a.all(1, !) || '\\U00110000' == b'\\u0041'", "- } contains . true a = *", "a..b{:,}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, limits := range []syntaxLimits{ofV10, ofV12} {
			plain, _ := readSyntax(text, limits)
			if got, want := utf8.RuneCountInString(plain), utf8.RuneCountInString(text); got != want {
				t.Errorf("%q is read as %q, which has %d characters, want %d", text, plain, got, want)
			}
		}
	})
}
