package manifest

import "github.com/admsim/admsim/internal/yamldoc"

// What callers say about the places of what they read.
type (
	Source = yamldoc.Source
	Error  = yamldoc.Error
	Errors = yamldoc.Errors
)

// At is the error that err is about a place.
func At(place Source, err error) *Error { return yamldoc.At(place, err) }

// ParseSource is the place that a text names, as in traces.
func ParseSource(text string) Source { return yamldoc.ParseSource(text) }

// Together returns all of errs as one [Errors], nil if there are none.
func Together(errs ...error) error { return yamldoc.Together(errs...) }
