package celquirks

import (
	"fmt"
	"unicode/utf8"

	"github.com/google/cel-go/common"
)

// Up to 0.15, the grammar of the library is another one (W-356). What is wrong with an expression is found as the library
// finds it: a [syntaxReader] reads the expression as the parser does that ANTLR generated from the grammar, and a
// [syntaxVisitor] visits what was read. No syntax tree is made, since the linked library can read what the former can.

// syntaxLimits are the limits of a version of the library.
type syntaxLimits struct {
	rules  int // how often a rule of the grammar may be in use at the same time
	visits int // how deep an expression may be; 0: as deep as it wants
}

// The limits of all versions.
const (
	maxLength     = 100_000 // in code points
	maxRecoveries = 30
	maxSkipped    = 256 // tokens that one recovery leaves out
)

func (f Former) syntaxLimits() syntaxLimits {
	if f.before(depthLimit) {
		return syntaxLimits{rules: 200}
	}
	return syntaxLimits{rules: 250, visits: 250}
}

// readSyntax returns what is wrong with an expression, in the order in which the library finds it, and the expression as the
// linked library has to read it: in (a.b){c: 1}, the parentheses around the name of a message become spaces.
func readSyntax(text string, limits syntaxLimits) (plain string, errs []*common.Error) {
	r := &syntaxReader{limits: limits, depths: map[int]int{}}
	if length := utf8.RuneCountInString(text); length > maxLength {
		r.fail(common.NoLocation, "expression code point size exceeds limit: size: %d, limit %d", length, maxLength)
		return text, r.errs
	}
	r.open(text)
	v := &syntaxVisitor{reader: r, plain: []rune(text)}
	if start := r.start(); !r.stopped {
		v.visit(start)
	}
	return string(v.plain), r.errs
}

// fail adds an error.
func (r *syntaxReader) fail(at common.Location, format string, args ...any) {
	r.errs = append(r.errs, common.NewError(0, fmt.Sprintf(format, args...), at))
}

// stop adds an error after which the library gives up.
func (r *syntaxReader) stop(format string, args ...any) {
	if !r.stopped {
		r.fail(common.NoLocation, format, args...)
	}
	r.stopped = true
}
