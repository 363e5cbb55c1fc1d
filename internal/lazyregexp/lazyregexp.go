// Package lazyregexp compiles regular expressions when they are first used. Expressions in plain
// package variables are all compiled at every start, however few of them are used.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns the compiled expression, each time the same. One that does not compile panics at
// its first use.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
