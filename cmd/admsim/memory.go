package main

import (
	"os"
	"runtime"
	"runtime/debug"

	_ "github.com/admsim/admsim/internal/deepstack"      // a stack that does not grow
	_ "github.com/admsim/admsim/internal/latecollection" // the first collection
)

// What may be used beyond what is needed before garbage is collected, in percent.
const (
	usualGarbage = 100
	// A run of many requests keeps the cluster that they make, and little else.
	runGarbage = 50
	// Suites run for a moment only, so that memory is cheaper than collecting it.
	suitesGarbage = 400
	// Where many requests run, what stays is little beside what each leaves behind: collecting
	// it less often costs some memory and saves a good part of the time.
	corpusGarbage = 300
)

// collectAs says how much garbage a command leaves lying about, after the first collection,
// which one that answers a single request never gets to.
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
	first := new([64]byte) // until it is collected itself
	runtime.AddCleanup(first, func(percent int) { debug.SetGCPercent(percent) }, percent)
}
