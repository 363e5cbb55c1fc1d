package celquirks_test

import (
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/celquirks"
)

// wrong returns what a version of the library says about an expression, as lines of place and message.
func wrong(t *testing.T, version int, text string) string {
	t.Helper()
	former := celquirks.FormerOf(version * 100)
	options := append([]cel.EnvOption{cel.HomogeneousAggregateLiterals()}, former.Options()...)
	options = append(options, cel.EnableIdentifierEscapeSyntax(),
		cel.Variable("text", cel.StringType), cel.Variable("list", cel.ListType(cel.StringType)), cel.Variable("any", cel.DynType))
	if version >= 16 {
		options = append(options, cel.OptionalTypes())
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		t.Fatal(err)
	}
	_, issues := former.Compile(env, text)
	var lines []string
	for line := range strings.Lines(issues.String()) {
		if message, ok := strings.CutPrefix(line, "ERROR: <input>:"); ok {
			lines = append(lines, strings.TrimSuffix(message, "\n"))
		}
	}
	return strings.Join(lines, "\n")
}

// Versions of the library differ in what they say about an expression (W-350, W-351, W-355).
func TestFormerErrors(t *testing.T) {
	const afterBracket = "expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
	for _, tt := range []struct {
		text      string
		from, til int // versions
		want      string
	}{
		{"text.reverse() == 'a'", 10, 16, "1:13: undeclared reference to 'reverse' (in container '')\n1:16: found no matching overload for '_==_' applied to '(<nil>, string)'"},
		{"text.reverse() == 'a'", 17, 29, "1:13: undeclared reference to 'reverse' (in container '')"},
		{"text && true", 10, 16, "1:6: found no matching overload for '_&&_' applied to '(string, bool)'"},
		{"text && true", 17, 29, "1:1: expected type 'bool' but found 'string'"},
		{"text.a", 10, 16, "1:5: type 'primitive:STRING' does not support field selection"},
		{"list.a", 10, 16, "1:5: type 'list_type:{elem_type:{primitive:STRING}}' does not support field selection"},
		{"text.a", 17, 29, "1:5: type 'string' does not support field selection"},
		{"text.a && 1", 10, 12, "1:5: type 'primitive:STRING' does not support field selection\n1:8: found no matching overload for '_&&_' applied to '(!error!, int)'"},
		{"text.a && 1", 16, 16, "1:5: type 'primitive:STRING' does not support field selection\n1:8: found no matching overload for '_&&_' applied to '(dyn, int)'"},
		{"[] == 1", 10, 10, "1:4: found no matching overload for '_==_' applied to '(list(type_param:\"_var0\"), int)'"},
		{"[] == 1", 12, 12, "1:4: found no matching overload for '_==_' applied to '(list(_var0), int)'"},
		{"[] == 1", 16, 29, "1:4: found no matching overload for '_==_' applied to '(list(dyn), int)'"},
		{"has(text)", 10, 16, "1:4: invalid argument to has() macro"},
		{"has(text)", 17, 29, "1:5: invalid argument to has() macro"},
		{"[any, 'a'].size() == 2", 10, 16, ""},
		{"[any, 'a'].size() == 2", 17, 29, "1:7: expected type 'dyn' but found 'string'"},
		{"[1, 'a'].size() == 2", 9, 9, ""},
		{"[1, 'a'].size() == 2", 10, 29, "1:5: expected type 'int' but found 'string'"},
		{"{'a': any, 'b': 1}.size() == 2", 9, 16, ""},
		{"{'a': any, 'b': 1}.size() == 2", 17, 29, "1:17: expected type 'dyn' but found 'int'"},
		{`'\ud800' == text`, 9, 22, ""},
		{`'\ud800' == text`, 23, 29, "1:1: invalid unicode code point"},
		{`"""\u0061\\\U0000dfff""" == text && r'\ud800' == 1`, 9, 9, `1:47: found no matching overload for '_==_' applied to '(string, int)'`},
		{`"""\u0061\\\U0000dfff""" == text && r'\ud800' == '\\ud800'`, 9, 22, ""},
		{`b'\ud800' == b''`, 9, 29, "1:1: unable to unescape string"},
		{`'\U00110000' == text`, 9, 22, "1:1: unable to unescape string"},
		{`'\U00110000' == text`, 23, 29, "1:1: invalid unicode code point"},
		{`'\U80000000' == text && '\UffffFFFF' == '\ufffd'`, 9, 22, ""}, // negative to the library
		{`'\U80000000' == text`, 23, 29, "1:1: invalid unicode code point"},
		{"text.contains('a',)", 9, 12, "1:18: Syntax error: extraneous input ',' expecting ')'"},
		{"text.contains('a',)", 16, 22, "1:19: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"},
		{"(google.protobuf.StringValue){value: 'a'} == text", 9, 12, ""},
		{"list.all(x, 1 < 1.5) && 1 < 1.5", 10, 29, ""}, // after a macro, numbers of different types may be compared
		{"1 < 1.5", 10, 29, "1:3: found no matching overload for '_<_' applied to '(int, double)'"},
		{"any.?a", 10, 12, "1:5: Syntax error: extraneous input '?' expecting IDENTIFIER"},
		{"any.?a", 16, 29, ""},
		{"any[?0]", 10, 12, "1:5: Syntax error: extraneous input '?' " + afterBracket},
		{"any[", 10, 12, "1:5: Syntax error: mismatched input '<EOF>' " + afterBracket},
		{"any..a", 10, 12, "1:5: Syntax error: extraneous input '.' expecting IDENTIFIER"},
		{"any.", 10, 12, "1:5: Syntax error: missing IDENTIFIER at '<EOF>'"},
		{"optional.of(1) == 1", 16, 17, "1:16: found no matching overload for '_==_' applied to '(optional(int), int)'"},
		{"optional.of(1) == 1", 20, 29, "1:16: found no matching overload for '_==_' applied to '(optional_type(int), int)'"},
		{"list.first().hasValue()", 17, 22, "1:11: undeclared reference to 'first' (in container '')"},
		{"optional.unwrap([1])", 17, 22, "1:1: undeclared reference to 'optional' (in container '')\n1:16: undeclared reference to 'unwrap' (in container '')"},
		{"optional.of(1).hasValue()", 17, 22, ""},
		{"any.matches('a') && matches(text, 'a')", 10, 12, "1:28: found no matching overload for 'matches' applied to '(string, string)'"},
		{"any.matches('a') && matches(text, 'a')", 16, 29, ""},
		{"any.`a-b` == '`'", 10, 22, "1:5: Syntax error: token recognition error at: '`'\n1:9: Syntax error: token recognition error at: '`'"},
		{"any.`a-b` == '`'", 23, 26, "1:5: unsupported syntax: '`'"},
		{"any.`a-b` == '`'", 29, 29, ""},
		{"text == '`' // `\n && `", 10, 22, "2:5: Syntax error: token recognition error at: '`'\n2:6: Syntax error: mismatched input '<EOF>' " + afterBracket},
	} {
		for _, version := range []int{9, 10, 12, 16, 17, 20, 22, 23, 26, 29} {
			if version < tt.from || version > tt.til {
				continue
			}
			if diff := cmp.Diff(tt.want, wrong(t, version, tt.text)); diff != "" {
				t.Errorf("%s in 0.%d (-want +got):\n%s", tt.text, version, diff)
			}
		}
	}
}
