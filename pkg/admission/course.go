package admission

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// A Course is how the server goes through one request where neither the request nor the cluster determines it: in which order it
// takes what it has in a map. It is the context of all that is done for the request, so that the same request can be answered
// in another way. Whoever comes to such a fork finds it with [CourseOf].
type Course struct {
	context.Context

	// Answer is one that a server gave, and that the course is to lead to if it can: the texts in one of its places, as Arrange
	// calls them. If known is false, nobody noted them. Form is a text of ours in the form that it has there. Nil: none is followed.
	Answer func(in string) (texts []string, known bool)
	Form   func(text string) string

	forks          []fork // those that were met so far, in order
	plan           []int  // which way to take at the first of them
	loose          []string
	uids, suffixes draws
}

// Undetermined are the reasons why the server may take another course. Nil: it may not.
func (c *Course) Undetermined() (because []string) {
	for _, f := range c.forks {
		if !slices.Contains(because, f.because) {
			because = append(because, f.because)
		}
	}
	return because
}

// Loose are the reasons why parts of the answer are not determined that are not tried in each way: what these parts are
// is said, and all ways are alike. Nil: there are none.
func (c *Course) Loose() []string { return c.loose }

// Loosen notes such a reason.
func (c *Course) Loosen(because string) {
	if c != nil && !slices.Contains(c.loose, because) {
		c.loose = append(c.loose, because)
	}
}

// Seen is what the answer that is followed has in a place. If known is false, none is followed, or nobody noted it.
func (c *Course) Seen(in string) (texts []string, known bool) {
	if c == nil || c.Answer == nil {
		return nil, false
	}
	return c.Answer(in)
}

// A fork is a place at which the server can go on in several ways.
type fork struct {
	because string // why it is not determined which one it takes
	ways    int
	taken   int
}

type courseKey struct{}

// Value makes the course known to [CourseOf].
func (c *Course) Value(k any) any {
	if k == (courseKey{}) {
		return c
	}
	return c.Context.Value(k)
}

// Next returns the course that takes another way at the last possible fork. When every course was taken, it
// returns nil. All of them are found by asking the first course for the next one, that for the next, and so on.
func (c *Course) Next(ctx context.Context) *Course {
	for i := len(c.forks) - 1; i >= 0; i-- {
		if c.forks[i].taken+1 == c.forks[i].ways {
			continue
		}
		next := &Course{Context: ctx, Answer: c.Answer, Form: c.Form, uids: c.uids.again(), suffixes: c.suffixes.again()}
		for _, f := range c.forks[:i] {
			next.plan = append(next.plan, f.taken)
		}
		next.plan = append(next.plan, c.forks[i].taken+1)
		return next
	}
	return nil
}

// CourseOf returns the course of the request that ctx belongs to. Nil: there is only one.
func CourseOf(ctx context.Context) *Course {
	c, _ := ctx.Value(courseKey{}).(*Course)
	return c
}

// IsOther reports whether it is only asked what else the server might do. Whoever is no mock must not notice.
func (c *Course) IsOther() bool { return c != nil && c.plan != nil }

// Order returns the order in which the server goes through n things, as their indices. On the first course it is that in
// which they are given. The request is then answered in other orders, too, so ask only where the order may matter.
func (c *Course) Order(n int, because string) []int {
	return permutation(n, c.way(factorial(n), because))
}

// OneOf returns which of n things the server comes to first, on the first course that with the index 0. The request is
// then answered with each of the others, too.
func (c *Course) OneOf(n int, because string) int { return c.way(n, because) }

// way is the way to take at the next fork.
func (c *Course) way(ways int, because string) (taken int) {
	if c == nil {
		return 0
	}
	if len(c.forks) < len(c.plan) {
		taken = c.plan[len(c.forks)]
	}
	c.forks = append(c.forks, fork{because, ways, taken})
	return taken
}

// UID returns the next uid that the server makes up. Those of one request are the same on all courses.
func (c *Course) UID(draw func() types.UID) types.UID {
	return types.UID(c.uids.next(func() string { return string(draw()) }))
}

// Suffix returns the next end of a name that the server makes up. Those of one request are the same on all courses.
func (c *Course) Suffix(draw func() string) string {
	if c == nil {
		return draw()
	}
	return c.suffixes.next(draw)
}

// draws are the first values that were made up. They need no memory of their own, since most requests have one or two.
type draws struct {
	values [2]string
	n      int
}

func (d *draws) next(draw func() string) string {
	i := d.n
	d.n++
	if i >= len(d.values) {
		return draw()
	}
	if d.values[i] == "" {
		d.values[i] = draw()
	}
	return d.values[i]
}

func (d draws) again() draws {
	d.n = 0
	return d
}

// maxFactorial is the highest number whose factorial is counted exactly. Nobody tries as many ways.
const maxFactorial = 12

func factorial(n int) int {
	product := 1
	for i := 2; i <= min(n, maxFactorial); i++ {
		product *= i
	}
	return product
}

// permutation is the number-th order of n things, of all in the order of a dictionary. Of more than
// [maxFactorial], those at the end stay where they are.
func permutation(n, number int) []int {
	left := indices(n)
	order := make([]int, 0, n)
	for moved := min(n, maxFactorial); moved > 0; moved-- {
		each := factorial(moved - 1)
		i := number / each
		number %= each
		order = append(order, left[i])
		left = append(left[:i:i], left[i+1:]...)
	}
	return append(order, left...)
}
