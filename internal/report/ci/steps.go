package ci

import (
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/suite/outcome"
)

// Steps returns how the answers of a case came about, for people who read the output of a CI system.
type Steps func(outcome.Case, document.Options) (string, error)
