package ci

import (
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/suite"
)

// Steps writes how a case came about, for the people who read the output of a CI system.
type Steps func(suite.CaseResult, document.Options) (string, error)
