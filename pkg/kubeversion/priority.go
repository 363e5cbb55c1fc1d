package kubeversion

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

//go:embed priorities.txt
var prioritiesText string

// A priorityStage is the priority of a group version from a minor version on, until the next stage.
type priorityStage struct {
	from           int
	group, version int32 // 0: none
}

var priorities = sync.OnceValue(func() map[schema.GroupVersion][]priorityStage {
	all := map[schema.GroupVersion][]priorityStage{}
	for line := range strings.Lines(prioritiesText) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		gv, err := schema.ParseGroupVersion(words[0])
		for _, word := range words[1:] {
			var s priorityStage
			if err == nil {
				s, err = parsePriority(word)
			}
			all[gv] = append(all[gv], s)
		}
		if err != nil {
			panic("kubeversion: priorities.txt: " + words[0] + ": " + err.Error())
		}
	}
	return all
})

// parsePriority parses words such as 20:17150,1 and 23:gone.
func parsePriority(word string) (s priorityStage, err error) {
	minor, rest, _ := strings.Cut(word, ":")
	if s.from, err = strconv.Atoi(minor); err != nil || rest == "gone" {
		return s, err
	}
	if _, err := fmt.Sscanf(rest, "%d,%d", &s.group, &s.version); err != nil {
		return s, err
	}
	return s, nil
}

// Serves reports whether the server itself has resources in a group version.
func (r *Release) Serves(gv schema.GroupVersion) bool {
	return slices.ContainsFunc(r.Resources, func(one Resource) bool { return one.Group == gv.Group && one.Version == gv.Version })
}

// Priority returns the priorities of a group version, and of its group, among the APIServices of the server. ok is false
// if the server has no APIService for it.
func (r *Release) Priority(gv schema.GroupVersion) (group, version int32, ok bool) {
	for _, s := range priorities()[gv] {
		if s.from <= r.Minor {
			group, version = s.group, s.version
		}
	}
	return group, version, group > 0
}
