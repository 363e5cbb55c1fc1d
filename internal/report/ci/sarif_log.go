package ci

import (
	"io"

	"github.com/admsim/admsim/internal/encode"
)

// The parts of SARIF 2.1.0 that admsim uses, with fields in alphabetical order.
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Runs    []sarifRun `json:"runs"`
		Version string     `json:"version"`
	}
	sarifRun struct {
		Language         string        `json:"language"`
		NewlineSequences []string      `json:"newlineSequences"`
		Results          []sarifResult `json:"results"`
		Tool             sarifTool     `json:"tool"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Contents        []string    `json:"contents"`
		InformationURI  string      `json:"informationUri"`
		IsComprehensive bool        `json:"isComprehensive"`
		Language        string      `json:"language"`
		Name            string      `json:"name"`
		Rules           []sarifRule `json:"rules"`
	}
	sarifRule struct {
		DefaultConfiguration sarifConfiguration `json:"defaultConfiguration"`
		FullDescription      *sarifText         `json:"fullDescription,omitempty"`
		Help                 *sarifText         `json:"help,omitempty"`
		HelpURI              string             `json:"helpUri"`
		ID                   string             `json:"id"`
		Name                 string             `json:"name,omitempty"`
		ShortDescription     sarifText          `json:"shortDescription"`
	}
	sarifConfiguration struct {
		Enabled bool   `json:"enabled"`
		Level   string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		Kind             string          `json:"kind"`
		Level            string          `json:"level"`
		Locations        []sarifLocation `json:"locations"`
		Message          sarifText       `json:"message"`
		RelatedLocations []sarifLocation `json:"relatedLocations,omitempty"`
		RuleID           string          `json:"ruleId"`
		RuleIndex        int             `json:"ruleIndex"`

		// Either all results have suppressions or none; the list is empty for results that are not suppressed
		// (3.27.23).
		Suppressions *[]sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifSuppression struct {
		Justification string `json:"justification"`
		Kind          string `json:"kind"`
	}
	sarifLocation struct {
		ID               *int                   `json:"id,omitempty"`
		LogicalLocations []sarifLogicalLocation `json:"logicalLocations,omitempty"`
		Message          *sarifText             `json:"message,omitempty"`
		PhysicalLocation *sarifPhysicalLocation `json:"physicalLocation,omitempty"`
	}
	sarifLogicalLocation struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
	}
	sarifPhysicalLocation struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartColumn int `json:"startColumn"`
		StartLine   int `json:"startLine"`
	}
)

// writeSARIFLog writes one run with its rules and results. An empty list of results says that nothing was found.
func writeSARIFLog(w io.Writer, rules []sarifRule, results []sarifResult) error {
	if results == nil {
		results = []sarifResult{}
	}
	return encode.IndentedJSON(w, sarifLog{
		Schema:  "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/main/sarif-2.1/schema/sarif-schema-2.1.0.json",
		Version: "2.1.0",
		Runs: []sarifRun{{
			Language:         "en-US",
			NewlineSequences: []string{"\r\n", "\n"},
			Results:          results,
			Tool: sarifTool{sarifDriver{
				Contents:       []string{"localizedData", "nonLocalizedData"},
				InformationURI: home,
				Language:       "en-US",
				Name:           "admsim",
				Rules:          rules,
			}},
		}},
	})
}
