package ci

import (
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/suite/outcome"
)

// Steps writes how a case came about, for the people who read the output of a CI system.
type Steps func(outcome.Case, document.Options) (string, error)
