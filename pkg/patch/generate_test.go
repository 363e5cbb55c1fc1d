package patch

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// choices turns the bytes of a fuzz input into decisions, so that documents and patches are valid far more often than
// random text. When the bytes are used up, all decisions are zero.
type choices struct{ bytes []byte }

func (c *choices) upTo(n int) int {
	if len(c.bytes) == 0 {
		return 0
	}
	b := c.bytes[0]
	c.bytes = c.bytes[1:]
	return int(b) % n
}

func (c *choices) of(words ...string) string { return words[c.upTo(len(words))] }

var (
	names   = []string{"a", "b", "name", "0", "1", "-", "", "a/b", "m~n", "<"}
	scalars = []string{"null", "0", "1", "1.0", "9007199254740993", "true", `""`, `"a"`, `"b"`, `"\u0061"`, `"<"`}
)

// value writes a JSON value of at most depth levels.
func (c *choices) value(depth int) string {
	kind := c.upTo(4)
	if depth == 0 || kind == 0 {
		return c.of(scalars...)
	}
	var parts []string
	if kind == 1 {
		for range c.upTo(5) {
			parts = append(parts, c.value(depth-1))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return c.object(depth)
}

func (c *choices) object(depth int) string {
	var parts []string
	seen := map[string]bool{}
	for range c.upTo(5) {
		name := c.of(names...)
		if seen[name] {
			continue
		}
		seen[name] = true
		parts = append(parts, fmt.Sprintf("%s: %s", quoted(name), c.value(depth-1)))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (c *choices) pointer() string {
	if c.upTo(12) == 11 {
		return c.of("", "a", "a/b")
	}
	var b strings.Builder
	for range 1 + c.upTo(3) {
		b.WriteString("/" + c.of("a", "b", "name", "0", "1", "2", "-", "-1", "-2", "", "a~1b", "m~0n", "~01", "+1", "x"))
	}
	return b.String()
}

func (c *choices) patch() string {
	var ops []string
	for range 1 + c.upTo(5) {
		members := []string{`"op":` + quoted(c.of("add", "remove", "replace", "move", "copy", "test", "test", "add", "odd"))}
		if c.upTo(16) != 15 {
			members = append(members, `"path":`+quoted(c.pointer()))
		}
		if c.upTo(16) != 15 {
			members = append(members, `"from":`+quoted(c.pointer()))
		}
		if c.upTo(16) != 15 {
			members = append(members, `"value":`+c.value(2))
		}
		ops = append(ops, "{"+strings.Join(members, ",")+"}")
	}
	return "[" + strings.Join(ops, ",") + "]"
}

// quoted writes a string as JSON without escapes for HTML.
func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// seeds adds inputs for choices, the same each time.
func seeds(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		seed := make([]byte, 100)
		for i := range seed {
			seed[i] = byte(r.Uint32())
		}
		f.Add(seed)
	}
}
