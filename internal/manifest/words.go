package manifest

import "github.com/admsim/admsim/internal/yamldoc"

// Names of package yamldoc that callers need for the places of what they read.
type (
	Source = yamldoc.Source
	Error  = yamldoc.Error
	Errors = yamldoc.Errors
)

// At returns err as an error about a place.
func At(place Source, err error) *Error { return yamldoc.At(place, err) }

// ParseSource parses a place as it is written in traces.
func ParseSource(text string) Source { return yamldoc.ParseSource(text) }

// Together returns all of errs as one [Errors], nil if there are none.
func Together(errs ...error) error { return yamldoc.Together(errs...) }
