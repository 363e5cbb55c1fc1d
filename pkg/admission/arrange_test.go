package admission

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// things are arguments of Arrange: paths, and what each thing says.
type things struct {
	paths [][]string
	words [][]word
}

func (t things) say(i int, say func(in, text string, once bool)) {
	for _, w := range t.words[i] {
		say(w.in, w.text, w.once)
	}
}

func (t things) arrange(c *Course) []int { return c.Arrange(t.paths, t.say, "any") }

// flat returns things without groups, each with one text as its warning.
func flat(texts ...string) (t things) {
	for i, text := range texts {
		t.paths = append(t.paths, []string{fmt.Sprint(i)})
		t.words = append(t.words, []word{{in: "warnings", text: text}})
	}
	return t
}

// answer returns the warnings and the message that result from processing the things in that order.
func (t things) answer(order []int) (warnings []string, message string) {
	var w Warnings
	for _, at := range order {
		for _, word := range t.words[at] {
			switch {
			case word.in == "warnings":
				w.Add(word.text)
			case message == "":
				message = word.text
			}
		}
	}
	return w.List(), message
}

// orders returns all orders in which things with these paths can be processed, the slow and obvious way: all orders
// that keep groups together.
func (t things) orders() (all [][]int) {
	n := len(t.paths)
	for number := range factorial(n) {
		order := permutation(n, number)
		if t.together(order) {
			all = append(all, order)
		}
	}
	return all
}

func (t things) together(order []int) bool {
	left := map[string]bool{} // groups that something else follows already
	var before []string
	for _, at := range order {
		path := t.paths[at]
		for level := range before {
			if prefix := strings.Join(before[:level+1], "/"); level >= len(path) || strings.Join(path[:level+1], "/") != prefix {
				left[prefix] = true
			}
		}
		for level := range path {
			if left[strings.Join(path[:level+1], "/")] {
				return false
			}
		}
		before = path
	}
	return true
}

func following(t *testing.T, warnings []string, message string) *Course {
	seen := func(in string) ([]string, bool) {
		if in == "warnings" {
			return warnings, true
		}
		return []string{message}, true
	}
	return &Course{Context: t.Context(), Answer: seen, Form: func(text string) string { return text }}
}

// Whichever possible order the server uses, Arrange finds a possible order that leads to the same answer.
func TestArrange(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		some := randomThings(random)
		all := some.orders()
		for range 5 {
			warnings, message := some.answer(all[random.IntN(len(all))])
			order := some.arrange(following(t, warnings, message))
			if !some.together(order) {
				t.Fatalf("%v: order %v is not possible", some, order)
			}
			if w, m := some.answer(order); !slices.Equal(w, warnings) || m != message {
				t.Fatalf("%v: order %v says %q, %q; want %q, %q", some, order, w, m, warnings, message)
			}
		}
	}
}

func randomThings(random *rand.Rand) (t things) {
	for range 1 + random.IntN(6) {
		var path []string
		for range 3 {
			path = append(path, string(rune('a'+random.IntN(2))))
		}
		t.paths = append(t.paths, path)
		var words []word
		for range random.IntN(3) {
			w := word{in: "warnings", text: string(rune('a' + random.IntN(5)))}
			if random.IntN(4) == 0 {
				w.in, w.once = inMessage, true
			}
			words = append(words, w)
		}
		t.words = append(t.words, words)
	}
	slices.SortFunc(t.paths, slices.Compare)
	return t
}

// Arrange keeps the given order if no order leads to the answer, or if there is no answer.
func TestArrangeOtherwise(t *testing.T) {
	some := flat("a", "b", "c")
	some.paths = [][]string{{"x", "a"}, {"x", "b"}, {"y", "c"}}
	given := []int{0, 1, 2}
	if got := some.arrange(following(t, []string{"a", "c", "b"}, "")); !slices.Equal(got, given) {
		t.Errorf("order %v for things that do not stay together", got)
	}
	c := &Course{Context: t.Context()}
	if got := some.arrange(c); !slices.Equal(got, given) {
		t.Errorf("order %v for no answer", got)
	}
	if want := []string{"the order of what is in warnings: any"}; !slices.Equal(c.Loose(), want) {
		t.Errorf("Loose() = %q, want %q", c.Loose(), want)
	}
	if got := some.arrange(CourseOf(context.Background())); !slices.Equal(got, given) {
		t.Errorf("order %v without a course", got)
	}
}

// The order is not visible if things say the same, or nothing, or write to different places.
func TestArrangeDetermined(t *testing.T) {
	elsewhere := flat("a", "b")
	elsewhere.words[1][0].in = "elsewhere"
	silent := flat("a", "b")
	silent.words[1] = nil
	for _, some := range []things{flat("a"), flat("a", "a"), elsewhere, silent} {
		c := &Course{Context: t.Context()}
		some.arrange(c)
		if c.Loose() != nil {
			t.Errorf("%v: %q", some, c.Loose())
		}
	}
}

// The right order is found among many, even if warnings are cut and some do not fit.
func TestArrangeMany(t *testing.T) {
	var texts []string
	for i := range 40 {
		texts = append(texts, fmt.Sprintf("%02d", i)+strings.Repeat("x", 300))
	}
	some := flat(texts...)
	backwards := indices(40)
	slices.Reverse(backwards)
	warnings, _ := some.answer(backwards)
	if got, _ := some.answer(some.arrange(following(t, warnings, ""))); !slices.Equal(got, warnings) || len(got) == 40 {
		t.Errorf("%d warnings: %q", len(got), got)
	}
}
