// Package bug turns a panic of admsim into an error, so that a bug only affects the record, request or
// case in which it happens.
//
// Code that handles many of these defers [Catch] in the function that handles one. The error goes where
// that function's errors go. A command ends with its own exit code if one of its errors is an [Error].
//
// A panic that a webhook or an expression is meant to cause is no bug: packages dispatch and expression
// recover from those themselves.
package bug

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// An Error is a panic of admsim.
type Error struct {
	Value string   // of the panic
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

// Catch, deferred, replaces *err by an [Error] if the function panics, and by what a [Stop] says.
func Catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case Stop:
		*err = p.Err
	default:
		*err = newError(p)
	}
}

// CatchStop, deferred, replaces *err by what a [Stop] says. Other panics go on: a Go program that
// uses admsim decides about them itself.
func CatchStop(err *error) { Stopped(recover(), err) }

// Stopped is [CatchStop] for what a deferred function recovered itself.
func Stopped(panicked any, err *error) {
	switch p := panicked.(type) {
	case nil:
	case Stop:
		*err = p.Err
	default:
		panic(p)
	}
}

// newError is the error for a panic with that value. It has to be called while the panic unwinds the stack.
// One that was caught in another goroutine, and panicked with here, stays the same.
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

// stack is the places of admsim on the stack that are not this package's.
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

// packageOf is the folder of a function, such as pkg/report of pkg/report.(*Result).hint.
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
