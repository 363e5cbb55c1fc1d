package edges

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"k8s.io/apimachinery/pkg/api/resource"
)

// around returns the texts that a comparison with a literal distinguishes.
func (c *comparison) around(literal string) []string {
	switch {
	case c.has("matches") || c.has("find") || c.has("findAll"):
		if _, err := regexp.Compile(literal); err == nil {
			return matching(literal)
		}
	case c.has("quantity") || c.has("isQuantity"):
		if q, err := resource.ParseQuantity(literal); err == nil {
			return quantities(literal, q)
		}
	case c.has("duration"):
		if d, err := time.ParseDuration(literal); err == nil {
			return []string{literal, (d - time.Second).String(), (d + time.Second).String()}
		}
	}
	if n, ok := numberIn(literal); ok {
		return []string{strconv.FormatInt(n-1, 10), literal, strconv.FormatInt(n+1, 10)}
	}
	all := []string{literal, literal + "x", "x" + literal, ""}
	if runes := []rune(literal); len(runes) > 1 {
		all = append(all, string(runes[:len(runes)-1]), string(runes[1:]))
	}
	if other := otherCase(literal); other != literal {
		all = append(all, other)
	}
	return all
}

// otherCase returns a text with the case of all its letters changed.
func otherCase(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, text)
}

// quantities returns a quantity, the same quantity written differently, and those just beside it.
func quantities(text string, q resource.Quantity) []string {
	all := []string{text}
	add := func(q resource.Quantity) {
		if s := q.String(); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	if milli := q.MilliValue(); milli%1000 == 0 {
		plain := strconv.FormatInt(q.Value(), 10)
		if plain != text {
			all = append(all, plain)
		}
	}
	step := resource.MustParse("1")
	if q.MilliValue()%1000 != 0 || q.Value() < 100 && q.Format == resource.DecimalSI {
		step = resource.MustParse("1m")
	}
	less, greater := q.DeepCopy(), q.DeepCopy()
	less.Sub(step)
	greater.Add(step)
	if less.Sign() >= 0 {
		add(less)
	}
	add(greater)
	return all
}
