package rules

import "github.com/admsim/admsim/internal/missing"

// The results of [Options.MissingFields], and what it needs.
type (
	MissingFields = missing.Fields
	MissingField  = missing.Field
	Schemas       = missing.Schemas
)
