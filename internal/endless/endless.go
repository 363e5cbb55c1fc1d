// Package endless recognizes quantities that take forever. To read 1e-999999999 or to compare 1e999999999, a billion
// digits are written, and kube-apiserver hangs. The time for a long quantity grows with the square of its length.
//
// The package only looks at texts. How much is too much depends on what is done with a quantity, and the consequences
// are up to the caller.
package endless

import (
	"fmt"
	"strconv"
	"strings"
)

// Bounds limit the text of a quantity.
type Bounds struct {
	Length   int // in bytes
	Exponent int // power of ten, positive or negative
}

// inExpressions are the bounds for quantities that expressions calculate with. The largest quantity that Kubernetes
// stores has 19 digits, the smallest has 9 decimal places.
var inExpressions = Bounds{Length: 1000, Exponent: 1000}

// ErrInExpression is the error for a quantity that is not evaluated: the server's answer cannot be known.
var ErrInExpression = fmt.Errorf("admsim evaluates no quantity of more than %d characters or with an exponent beyond %d, for which kube-apiserver may take forever", inExpressions.Length, inExpressions.Exponent)

// HintInExpression is the hint for ErrInExpression.
const HintInExpression = "make the quantity smaller; it comes from the object or from the expression"

// CheckInExpression returns [ErrInExpression] for a text that is not evaluated.
func CheckInExpression(text string) error {
	if !inExpressions.Hold(text) {
		return ErrInExpression
	}
	return nil
}

// Hold reports whether a text, if it is a quantity, can be handled in reasonable time.
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
		return true // a unit, or not a quantity
	}
	n, err := strconv.Atoi(digits)
	return digits == "" || err == nil && n <= b.Exponent
}

// Number reports whether text consists of the characters of a number only, so that it may be a quantity even where the
// type of the field is unknown.
func Number(text string) bool { return text != "" && strings.Trim(text, "0123456789.+-eE") == "" }
