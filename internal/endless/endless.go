// Package endless knows quantities that take forever: reading 1e-999999999, and comparing 1e999999999,
// write a billion digits, at which kube-apiserver hangs; and a long one takes the square of its length.
//
// The package knows texts only. How much is too much depends on what is done with a quantity, and what
// follows from it, on who asks.
package endless

import (
	"strconv"
	"strings"
)

// Bounds are what the text of a quantity may be.
type Bounds struct {
	Length   int // in bytes
	Exponent int // of ten, either way
}

// InExpressions are the bounds where quantities are calculated with. The greatest one that Kubernetes
// stores has 19 digits, the least 9 behind the point.
var InExpressions = Bounds{Length: 1000, Exponent: 1000}

// Hold reports whether a text, if it is a quantity, is one that does not take forever.
func (b Bounds) Hold(text string) bool {
	if len(text) > b.Length {
		return false
	}
	i := strings.IndexAny(text, "eE")
	if i < 0 {
		return true
	}
	digits := strings.TrimLeft(text[i+1:], "+-")
	if strings.Trim(digits, "0123456789") != "" {
		return true // a unit, or no quantity
	}
	n, err := strconv.Atoi(digits)
	return digits == "" || err == nil && n <= b.Exponent
}

// Number reports whether text has the characters of a number only, so that it is a quantity where it is
// not known what it is for.
func Number(text string) bool { return text != "" && strings.Trim(text, "0123456789.+-eE") == "" }
