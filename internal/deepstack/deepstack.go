// Package deepstack grows the stack of the main goroutine while the stack is almost empty, so
// that it does not have to grow soon after.
//
// A stack that grows is copied, and for that the Go runtime looks up every function on it in
// tables that lie all over the binary, which brings 64 KiB of it into memory for each place.
// The packages of a program like admsim, and what a suite compiles, go deep enough for that to
// be a MiB. While nothing is on the stack, nothing is looked up.
//
// Without it, a suite of one case takes 1.2 MiB more, 4 % of its goal of 31 MiB, and the same time (medians of 60 runs
// of builds with and without it, in turns).
//
// It imports nothing, so that it is among the first packages to be initialized: those that can
// be are, in the order of their paths.
package deepstack

func init() { call(never) }

// Nobody sets never, which the compiler does not know.
var never bool

// room is what would be on the stack of who calls full.
var room [64 << 10]byte

// call needs a stack with room for the argument of full, but does not use any of it: not even
// memory that is not touched counts.
//
//go:noinline
func call(really bool) {
	if really {
		full(room)
	}
}

//go:noinline
func full([64 << 10]byte) {}
