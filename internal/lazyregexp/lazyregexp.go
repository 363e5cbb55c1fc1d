// Package lazyregexp compiles regular expressions when they are first needed. A program with
// package variables compiles each of them at every start, however few it uses.
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
