// Package bug turns a panic of admsim into an error, so that a bug only affects the record, request or case in which it
// happens.
//
// Code that handles many of these defers [Catch] in the function that handles one, and treats the error like others of
// that function. A command exits with a special code if one of its errors is an [Error].
//
// A panic that a webhook or an expression is meant to cause is not a bug: packages dispatch and expression recover from
// those themselves.
package bug

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// An Error is a panic of admsim.
type Error struct {
	Value string   // the value of the panic
	Stack []string // the innermost places in admsim, such as pkg/report/result.go:80
}

func (e *Error) Error() string {
	switch len(e.Stack) {
	case 0:
		return fmt.Sprintf("panic: %s at an unknown place", e.Value)
	case 1:
		return fmt.Sprintf("panic: %s at %s", e.Value, e.Stack[0])
	}
	return fmt.Sprintf("panic: %s at %s, called from %s", e.Value, e.Stack[0], strings.Join(e.Stack[1:], ", "))
}

// Catch, deferred, sets *err to an [Error] if the function panics, or to the error of a [Stop].
func Catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case Stop:
		*err = p.Err
	default:
		*err = newError(p)
	}
}

// CatchStop, deferred, sets *err to the error of a [Stop]. Other panics continue: a Go program that uses admsim handles
// them itself.
func CatchStop(err *error) { Stopped(recover(), err) }

// Stopped is [CatchStop] for a deferred function that has already recovered the panic.
func Stopped(panicked any, err *error) {
	switch p := panicked.(type) {
	case nil:
	case Stop:
		*err = p.Err
	default:
		panic(p)
	}
}

// newError returns the error for a panic with that value. It must be called while the panic unwinds the stack. If the
// value is an error that was caught in another goroutine, it is returned unchanged.
func newError(value any) *Error {
	if earlier, ok := value.(*Error); ok {
		return earlier
	}
	return &Error{Value: short(fmt.Sprint(value)), Stack: stack()}
}

const (
	module       = "github.com/admsim/admsim/"
	mostPlaces   = 8
	longestValue = 500
)

// stack returns the places of admsim on the stack, except those in this package.
func stack() (places []string) {
	callers := make([]uintptr, 256)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)])
	for len(places) < mostPlaces {
		frame, more := frames.Next()
		if inside, ok := strings.CutPrefix(frame.Function, module); ok && !strings.HasPrefix(inside, "internal/bug.") {
			places = append(places, fmt.Sprintf("%s/%s:%d", packageOf(inside), path.Base(frame.File), frame.Line))
		}
		if !more {
			break
		}
	}
	return places
}

// packageOf returns the folder of a function, such as pkg/report for pkg/report.(*Result).hint.
func packageOf(function string) string {
	folder, name := path.Split(function)
	name, _, _ = strings.Cut(name, ".")
	return folder + name
}

func short(text string) string {
	if len(text) <= longestValue {
		return text
	}
	return strings.ToValidUTF8(text[:longestValue], "") + "…"
}
