package admission

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// A Course is one of the ways in which the server may process a request where neither the request nor the cluster
// determines it, because the server iterates over a map. It is the context of everything that is done for the request,
// so that the same request can be answered in another way. Code at such a fork gets it from [CourseOf].
type Course struct {
	context.Context

	// Answer is an answer that a server gave, and that the course leads to if it can. It returns the texts in one of
	// the places that Arrange names; known is false if they were not recorded. Form converts one of our texts to its
	// form in the answer. If Answer is nil, no answer is followed.
	Answer func(in string) (texts []string, known bool)
	Form   func(text string) string

	forks          []fork // the forks so far, in order
	plan           []int  // which way to take at the first forks
	loose          []string
	uids, suffixes draws
}

// Undetermined returns the reasons why the server may take another course, or nil if it cannot.
func (c *Course) Undetermined() (because []string) {
	for _, f := range c.forks {
		if !slices.Contains(because, f.because) {
			because = append(because, f.because)
		}
	}
	return because
}

// Loose returns the reasons why parts of the answer are not determined, for parts that are not tried in every way. Each
// reason names its part. Nil: there are none.
func (c *Course) Loose() []string { return c.loose }

// Loosen records a reason for [Course.Loose].
func (c *Course) Loosen(because string) {
	if c != nil && !slices.Contains(c.loose, because) {
		c.loose = append(c.loose, because)
	}
}

// Seen returns the texts that the followed answer has in a place. known is false if no answer is followed, or if they
// were not recorded.
func (c *Course) Seen(in string) (texts []string, known bool) {
	if c == nil || c.Answer == nil {
		return nil, false
	}
	return c.Answer(in)
}

// A fork is a place at which the server can continue in several ways.
type fork struct {
	because string // why it is not determined which way it takes
	ways    int
	taken   int
}

type courseKey struct{}

// Value makes the course available to [CourseOf].
func (c *Course) Value(k any) any {
	if k == (courseKey{}) {
		return c
	}
	return c.Context.Value(k)
}

// Next returns the course that takes another way at the last possible fork, or nil if every course was taken. To go
// through all courses, call Next on the first course, then on its result, and so on.
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

// IsOther reports whether this is not the first course, that is, whether it only serves to find out what else the
// server might do. Backends other than mocks must not be called then.
func (c *Course) IsOther() bool { return c != nil && c.plan != nil }

// Order returns the order, as indices, in which the server processes n things. On the first course this is the order in
// which they are given. The request is then answered for all other orders, too, so call Order only where the order may
// matter.
func (c *Course) Order(n int, because string) []int {
	return permutation(n, c.way(factorial(n), because))
}

// OneOf returns which of n things the server reaches first; on the first course, this is index 0. The request is then
// answered for each of the others, too.
func (c *Course) OneOf(n int, because string) int { return c.way(n, because) }

// way returns the way to take at the next fork.
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

// UID returns the next uid that the server generates. The uids of one request are the same on all courses.
func (c *Course) UID(draw func() types.UID) types.UID {
	return types.UID(c.uids.next(func() string { return string(draw()) }))
}

// Suffix returns the next suffix of a generated name. The suffixes of one request are the same on all courses.
func (c *Course) Suffix(draw func() string) string {
	if c == nil {
		return draw()
	}
	return c.suffixes.next(draw)
}

// draws holds the first values that were generated. They need no allocation, since most requests have one or two.
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

// maxFactorial is the highest number whose factorial is computed exactly. Nobody tries as many ways.
const maxFactorial = 12

func factorial(n int) int {
	product := 1
	for i := 2; i <= min(n, maxFactorial); i++ {
		product *= i
	}
	return product
}

// permutation returns the order of n things with that number in lexical order. If there are more than [maxFactorial]
// things, the last ones stay where they are.
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
