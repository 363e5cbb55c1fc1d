package bug

import "time"

// A Stop is the value of a panic if it is impossible to know what the API server would answer. This is not a bug: an
// error on the way would become a part of its answer. [Catch] hands on what it says.
type Stop struct{ Err error }

func (s Stop) Error() string { return s.Err.Error() }

// Carried is what to panic with for a panic of another goroutine. It has to be called while that one
// unwinds its stack.
func Carried(value any) any {
	if stop, is := value.(Stop); is {
		return stop
	}
	return newError(value)
}

// Within runs f, a call of a library that nobody can interrupt, and reports whether it returned in time. If
// it did not, it is left alone for as long as the process lives: see that it is not called once more.
func Within(limit time.Duration, f func()) bool {
	ended := make(chan any, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				ended <- Carried(v)
				return
			}
			ended <- nil
		}()
		f()
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case panicked := <-ended:
		if panicked != nil {
			panic(panicked)
		}
		return true
	case <-timer.C:
		return false
	}
}
