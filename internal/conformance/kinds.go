package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// gaps says of resources of which the API server's own checks are not all there yet, what
// is missing. A recorded disagreement would show in the count, but few of these are recorded.
var gaps = map[string]string{
	"resourceclaims": "who may write which part of the status",
}

// resourceOf is what a request is about by which validation was recorded, a change at a time, or the
// rest of what the API does.
func resourceOf(o Outcome) (resource string, ok bool) {
	area, _, _ := strings.Cut(o.Recording.ID, "-")
	return o.Request.Resource, area == "validate" || area == "api"
}

// kindTable is how defaults, preparation and validation agree by resource, and what is
// known to be missing.
func kindTable(c columns, outcomes []Outcome) string {
	var b strings.Builder
	missing := maps.Clone(gaps)
	fmt.Fprintf(&b, "\nBy resource, of the themes `api-*` and `validate-*`, with what of the server's own checks is known to be missing:\n\n")
	c.head(&b, "resource", "missing")
	for _, s := range scores(outcomes, resourceOf) {
		c.row(&b, s.Theme, func(o Outcome) bool { resource, ok := resourceOf(o); return ok && resource == s.Theme }, missing[s.Theme])
		delete(missing, s.Theme)
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		c.row(&b, name, func(Outcome) bool { return false }, missing[name])
	}
	return b.String()
}
