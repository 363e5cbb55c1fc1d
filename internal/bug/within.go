package bug

import "time"

// A Stop is the value of a panic when it cannot be known what the API server would answer. This is not a bug; it is a
// panic because an ordinary error would become part of the server's answer. [Catch] returns its error.
type Stop struct{ Err error }

func (s Stop) Error() string { return s.Err.Error() }

// Carried returns the value with which to repeat the panic of another goroutine. It must be called while that goroutine
// unwinds its stack.
func Carried(value any) any {
	if stop, is := value.(Stop); is {
		return stop
	}
	return newError(value)
}

// Within runs f, a call that cannot be interrupted, and reports whether it returned in time. If it did not, its
// goroutine may run as long as the process lives: make sure not to call it again.
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
