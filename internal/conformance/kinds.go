package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// resourceOf returns the resource of a request by which validation, one change at a time, or the rest of the API was
// recorded.
func resourceOf(o Outcome) (resource string, ok bool) {
	area, _, _ := strings.Cut(o.Recording.ID, "-")
	return o.Request.Resource, area == "validate" || area == "api"
}

// kindTable shows by resource how defaults, preparation and validation agree.
func kindTable(c columns, outcomes []Outcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nBy resource, of the themes `api-*` and `validate-*`.\n"+
		"The scenarios define these custom resources themselves: %s.\n\n", strings.Join(customResources(c, outcomes), ", "))
	c.head(&b, "resource")
	for _, s := range scores(outcomes, resourceOf) {
		c.row(&b, s.Theme, func(o Outcome) bool { resource, ok := resourceOf(o); return ok && resource == s.Theme })
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
