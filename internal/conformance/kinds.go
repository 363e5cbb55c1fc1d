package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// gaps lists what is missing in the API server's own checks of a resource. A recorded disagreement would show in the
// counts, but few of these checks are recorded.
var gaps = map[string]string{
	"resourceclaims": "who may write which part of the status",
}

// resourceOf returns the resource of a request by which validation, one change at a time, or the rest of the API was
// recorded.
func resourceOf(o Outcome) (resource string, ok bool) {
	area, _, _ := strings.Cut(o.Recording.ID, "-")
	return o.Request.Resource, area == "validate" || area == "api"
}

// kindTable shows by resource how defaults, preparation and validation agree, and what is known to be missing.
func kindTable(c columns, outcomes []Outcome) string {
	var b strings.Builder
	missing := maps.Clone(gaps)
	fmt.Fprintf(&b, "\nBy resource, of the themes `api-*` and `validate-*`, with what of the server's own checks is known to be missing.\n"+
		"The scenarios define these custom resources themselves: %s.\n\n", strings.Join(customResources(c, outcomes), ", "))
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

// customResources lists the resources of kindTable that are in no group of Kubernetes.
func customResources(c columns, outcomes []Outcome) []string {
	own := map[string]bool{}
	for _, one := range c {
		for _, r := range one.release.Resources {
			own[r.Group] = true
		}
	}
	names := map[string]bool{}
	for _, o := range outcomes {
		if resource, ok := resourceOf(o); ok && !own[o.Request.Group] {
			names[resource] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
