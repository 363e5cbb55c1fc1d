// Package deepstack grows the stack of the main goroutine while it is almost empty, so that it does not have to grow
// soon after.
//
// To grow a stack, the Go runtime copies it, and looks up every function on it in tables that are spread over the
// binary. Each lookup brings 64 KiB of the binary into memory. The packages of a program like admsim, and what a suite
// compiles, nest deep enough for that to add up to a MiB. While the stack is empty, nothing has to be looked up.
//
// Without this, a suite of one case takes 1.2 MiB more, 4 % of its goal of 31 MiB, and the same time (medians of 60
// runs of builds with and without it, alternating).
//
// The package imports nothing, so that it is among the first to be initialized: packages whose imports are initialized
// follow in the order of their paths.
package deepstack

func init() { call(never) }

// never is never set, which the compiler does not know.
var never bool

// room is the argument of full, which takes up space on the stack of its caller.
var room [64 << 10]byte

// call needs a stack with room for the argument of full, but does not use it: untouched memory does not count.
//
//go:noinline
func call(really bool) {
	if really {
		full(room)
	}
}

//go:noinline
func full([64 << 10]byte) {}
