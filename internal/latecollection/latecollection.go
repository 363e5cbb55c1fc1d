// Package latecollection puts off the first garbage collection of a program that imports it
// until 16 MiB are in use, unless GOGC says otherwise.
//
// A program like admsim, whose packages allocate several megabytes before main, collects them
// while they do, and that is a sixth of what its start costs. So this cannot wait for main: it
// is the one init with an effect. It comes early, since packages are initialized in the order
// of their paths as soon as all is there that they import.
package latecollection

import (
	"os"
	"runtime/debug"
)

func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // of the 4 MiB at which the first one would be
	}
}
