package kubeversion

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/admsim/admsim/internal/didyoumean"
)

//go:embed gates.txt
var gatesText string

// A gateStage is what a feature gate is from a minor version on, until the next stage.
type gateStage struct {
	from       int
	stage      string // alpha, beta, GA, deprecated or gone
	on, locked bool
}

// knownGates are the stages of all gates of all releases, most of which change nothing here.
var knownGates = sync.OnceValue(func() map[string][]gateStage {
	all := map[string][]gateStage{}
	for line := range strings.Lines(gatesText) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		for _, word := range words[1:] {
			s, err := parseStage(word)
			if err != nil {
				panic("kubeversion: gates.txt: " + words[0] + ": " + err.Error())
			}
			all[words[0]] = append(all[words[0]], s)
		}
	}
	return all
})

// parseStage reads 33:GA,on,locked.
func parseStage(word string) (gateStage, error) {
	minor, rest, _ := strings.Cut(word, ":")
	parts := strings.Split(rest, ",")
	s := gateStage{stage: parts[0], on: slices.Contains(parts, "on"), locked: slices.Contains(parts, "locked")}
	_, err := fmt.Sscanf(minor, "%d", &s.from)
	return s, err
}

// knownGate is what a gate is in a release; ok is false where the release does not have it.
func knownGate(name string, minor int) (s gateStage, ok bool) {
	for _, stage := range knownGates()[name] {
		if stage.from <= minor {
			s = stage
		}
	}
	return s, s.stage != "" && s.stage != "gone"
}

// setGates sets gates as --feature-gates does, and refuses what the server refuses. One that
// nothing here depends on changes nothing.
func (r *Release) setGates(gates map[string]bool) error {
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		on := gates[name]
		switch stage, ok := knownGate(name, r.Minor); {
		case !ok:
			return r.unknownGate(name)
		case stage.locked && on != stage.on:
			return fmt.Errorf("Kubernetes %s: cannot set feature gate %s to %v, feature is locked to %v", r.Version, name, on, stage.on)
		}
		r.setGate(name, on)
	}
	for all, of := range map[string]string{"AllAlpha": "alpha", "AllBeta": "beta"} {
		if on, ok := gates[all]; ok {
			r.setGatesOf(of, on, gates)
		}
	}
	return nil
}

func (r *Release) setGate(name string, on bool) {
	for _, of := range []map[string]bool{r.gates, r.fieldGates} {
		if _, ok := of[name]; ok {
			of[name] = on
		}
	}
}

// setGatesOf sets all gates of a stage but those that were set by name.
func (r *Release) setGatesOf(stage string, on bool, but map[string]bool) {
	for name := range knownGates() {
		s, ok := knownGate(name, r.Minor)
		if _, named := but[name]; ok && s.stage == stage && !named {
			r.setGate(name, on)
		}
	}
}

func (r *Release) unknownGate(name string) error {
	problem := fmt.Sprintf("Kubernetes %s: unrecognized feature gate: %s", r.Version, name)
	if others := otherReleases(name); others != "" {
		return fmt.Errorf("%s, which was one %s", problem, others)
	}
	var known []string
	for gate := range knownGates() {
		if _, ok := knownGate(gate, r.Minor); ok {
			known = append(known, gate)
		}
	}
	slices.Sort(known)
	unknown := didyoumean.Unknown(problem, name, known)
	if unknown.Nearest != "" {
		return unknown
	}
	// Nothing here is near: maybe it is meant for another release.
	if near := didyoumean.Nearest(name, slices.Sorted(maps.Keys(knownGates()))); near != "" {
		return fmt.Errorf("%s; %s was one %s", problem, near, otherReleases(near))
	}
	return unknown
}

// otherReleases says which other releases have a gate, if any do.
func otherReleases(gate string) string {
	stages := knownGates()[gate]
	if len(stages) == 0 {
		return ""
	}
	first, last := stages[0].from, stages[len(stages)-1]
	switch {
	case last.stage != "gone":
		return fmt.Sprintf("from 1.%d on", first)
	case last.from-1 == first:
		return fmt.Sprintf("in 1.%d", first)
	case releases[len(releases)-1].version == fmt.Sprintf("1.%d", first):
		return fmt.Sprintf("up to 1.%d", last.from-1)
	}
	return fmt.Sprintf("from 1.%d to 1.%d", first, last.from-1)
}
