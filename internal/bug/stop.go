package bug

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
