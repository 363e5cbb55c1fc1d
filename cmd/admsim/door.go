package main

import (
	"io"

	"github.com/admsim/admsim/internal/inert"
)

// Everything written to standard output and standard error goes through an [inert.Writer], the door, which makes it
// harmless for terminals and CI logs. Two kinds of output bypass it: results, which package report makes inert in the
// way of their format, and lines that move the cursor of a terminal.

// rawWriter returns the writer that w wraps, or w itself if it is not a door.
func rawWriter(w io.Writer) io.Writer {
	if door, ok := w.(*inert.Writer); ok {
		w = door.Under()
	}
	if hiding, ok := w.(withoutCredentials); ok {
		w = hiding.Writer
	}
	return w
}

// jsonWriter returns the door for JSON, on top of the writer that w wraps.
func jsonWriter(w io.Writer) io.Writer { return inert.NewJSONWriter(rawWriter(w)) }
