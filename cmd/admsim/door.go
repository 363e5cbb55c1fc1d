package main

import (
	"io"

	"github.com/admsim/admsim/internal/inert"
)

// All that is written to standard output and standard error goes through a door that makes it
// inert. What has to pass it by is written behind it: results, which package report makes inert in
// the way of their format, and lines that move the cursor of a terminal.

// behindDoor is what w leads to.
func behindDoor(w io.Writer) io.Writer {
	if door, ok := w.(*inert.Writer); ok {
		w = door.Under()
	}
	if hiding, ok := w.(withoutCredentials); ok {
		w = hiding.Writer
	}
	return w
}

// jsonDoor is the door for JSON.
func jsonDoor(w io.Writer) io.Writer { return inert.NewJSONWriter(behindDoor(w)) }
