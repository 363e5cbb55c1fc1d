package conformance

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// gaps says of resources of which the API server's own checks are not all there yet, what
// is missing. A recorded disagreement would show in the count, but few of these are recorded.
var gaps = map[string]string{
	"devicetaintrules": "all but metadata",
	"nodes":            "configuration sources, which are a removed feature",
	"pods":             "claims of devices and images in their status; pod certificates",
	"resourceclaims":   "who may write which part of the status",
	"resourceslices":   "taints get their time after the mutating phase",
}

// kindScores counts the requests by which validation was recorded, a change at a time, and
// those about the rest of what the API does, by resource.
func kindScores(outcomes []Outcome) []Score {
	byResource := map[string]*Score{}
	for _, o := range outcomes {
		area, _, _ := strings.Cut(o.Recording.ID, "-")
		if area != "validate" && area != "api" {
			continue
		}
		name := o.Request.Resource
		if byResource[name] == nil {
			byResource[name] = &Score{Theme: name}
		}
		byResource[name].Played++
		if o.Agrees() {
			byResource[name].Agree++
		}
	}
	var scores []Score
	for _, s := range byResource {
		scores = append(scores, *s)
	}
	slices.SortFunc(scores, func(a, b Score) int { return cmp.Compare(a.Theme, b.Theme) })
	return scores
}

// kindTable is how defaults, preparation and validation agree by resource, and what is
// known to be missing.
func kindTable(outcomes []Outcome) string {
	var b strings.Builder
	missing := maps.Clone(gaps)
	fmt.Fprintf(&b, "\nBy resource, of the themes `api-*` and `validate-*`, with what of the server's own checks is known to be missing:\n\n")
	fmt.Fprintf(&b, "| resource | agree | recorded | missing |\n| --- | ---: | ---: | --- |\n")
	for _, s := range kindScores(outcomes) {
		fmt.Fprintf(&b, "| %s | %d | %d | %s |\n", s.Theme, s.Agree, s.Played, missing[s.Theme])
		delete(missing, s.Theme)
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		fmt.Fprintf(&b, "| %s | | | %s |\n", name, missing[name])
	}
	return b.String()
}
