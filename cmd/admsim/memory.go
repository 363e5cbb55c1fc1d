package main

import (
	"os"
	"runtime"
	"runtime/debug"

	_ "github.com/admsim/admsim/internal/deepstack"      // avoids growing the stack
	_ "github.com/admsim/admsim/internal/latecollection" // delays the first collection
)

// Values of GOGC: how much garbage may pile up before it is collected, in percent of the live memory.
const (
	usualGarbage = 100
	// A run of many requests keeps the cluster that they make, and little else.
	runGarbage = 50
	// Suites run for a moment only, so memory is cheaper than collecting garbage.
	suitesGarbage = 400
	// When many requests run, what stays is small compared with the garbage of each request: collecting less often
	// costs some memory and saves a good part of the time.
	corpusGarbage = 300
)

// collectAs sets how much garbage a command may pile up after the first collection, which a command that answers a
// single request never gets to.
func collectAs(command string) {
	if os.Getenv("GOGC") != "" {
		return
	}
	percent := usualGarbage
	switch command {
	case "run":
		percent = runGarbage
	case "test":
		percent = suitesGarbage
	case "replay", "diff", "outage", "check":
		percent = corpusGarbage
	}
	first := new([64]byte) // collected with the first collection, which runs the cleanup
	runtime.AddCleanup(first, func(percent int) { debug.SetGCPercent(percent) }, percent)
}
