package kubeversion

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed gates.txt
var gatesText string

// A gate is the history of a feature gate over all releases.
type gate struct {
	stages []gateStage
	needs  []gateNeeds
}

// A gateStage is the state of a feature gate from a minor version on, until the next stage.
type gateStage struct {
	from       int
	stage      string // alpha, beta, GA, deprecated or gone
	on, locked bool
}

// A gateNeeds lists the other gates that a gate needs to be on, from a minor version on.
type gateNeeds struct {
	from  int
	gates []string // sorted
}

// knownGates returns all gates of all releases, most of which change nothing here.
var knownGates = sync.OnceValue(func() map[string]gate {
	all := map[string]gate{}
	for line := range strings.Lines(gatesText) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		g, err := parseGate(words[1:])
		if err != nil {
			panic("kubeversion: gates.txt: " + words[0] + ": " + err.Error())
		}
		all[words[0]] = g
	}
	return all
})

// parseGate parses words such as 33:GA,on,locked and 35:needs,A,B.
func parseGate(words []string) (g gate, err error) {
	for _, word := range words {
		minor, rest, _ := strings.Cut(word, ":")
		from, err := strconv.Atoi(minor)
		if err != nil {
			return g, err
		}
		what := strings.Split(rest, ",")
		if what[0] == "needs" {
			g.needs = append(g.needs, gateNeeds{from, what[1:]})
			continue
		}
		g.stages = append(g.stages, gateStage{from, what[0], slices.Contains(what, "on"), slices.Contains(what, "locked")})
	}
	return g, nil
}

// knownGate returns the state of a gate in a release; ok is false if the release does not have it.
func knownGate(name string, minor int) (s gateStage, ok bool) {
	for _, stage := range knownGates()[name].stages {
		if stage.from <= minor {
			s = stage
		}
	}
	return s, s.stage != "" && s.stage != "gone"
}

// setGates sets gates as --feature-gates does, and refuses what the server refuses. Gates that nothing here depends on
// change nothing.
func (r *Release) setGates(gates map[string]bool) error {
	gates, err := r.gatesOfKube(gates)
	if err != nil {
		return err
	}
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
	r.flags.FeatureGates = maps.Clone(r.flags.FeatureGates)
	if r.flags.FeatureGates == nil {
		r.flags.FeatureGates = map[string]bool{}
	}
	maps.Copy(r.flags.FeatureGates, gates)
	for stage, all := range allOf {
		if on, ok := gates[all]; ok {
			r.setGatesOf(stage, on, r.flags.FeatureGates)
		}
	}
	return r.checkNeeds()
}

// gatesOfKube returns gates by their names alone. If the release has components, a name may begin with that of the server,
// as in kube:WatchList.
func (r *Release) gatesOfKube(gates map[string]bool) (map[string]bool, error) {
	if !r.Has(gateComponents) {
		return gates, nil
	}
	const kube = "kube"
	named := map[string]bool{}
	of := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		component, gate, ok := strings.Cut(name, ":")
		if !ok {
			component, gate = "", name
		}
		component = strings.TrimSpace(component)
		if component != "" && component != kube {
			return nil, &UnknownError{
				Problem: fmt.Sprintf("Kubernetes %s: component not registered: %s", r.Version, component),
				Else:    "the component of all gates is kube: write kube:" + gate + ", or only " + gate,
			}
		}
		of[component] = true
		named[strings.TrimSpace(gate)] = gates[name]
	}
	if of[""] && of[kube] {
		return nil, fmt.Errorf("Kubernetes %s: set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use", r.Version)
	}
	return named, nil
}

// allOf lists the gates that set all gates of a stage, except those that are set by name.
var allOf = map[string]string{"alpha": "AllAlpha", "beta": "AllBeta"}

func (r *Release) setGate(name string, on bool) {
	for _, of := range []map[string]bool{r.gates, r.fieldGates} {
		if _, ok := of[name]; ok {
			of[name] = on
		}
	}
}

// setGatesOf sets all gates of a stage, except those that were set by name.
func (r *Release) setGatesOf(stage string, on bool, but map[string]bool) {
	for name := range knownGates() {
		s, ok := knownGate(name, r.Minor)
		if _, named := but[name]; ok && s.stage == stage && !named {
			r.setGate(name, on)
		}
	}
}

// otherGate returns a gate that neither plugins, resources nor fields depend on.
func (r *Release) otherGate(name string) (on, ok bool) {
	stage, ok := knownGate(name, r.Minor)
	if !ok {
		return false, false
	}
	if on, set := r.flags.FeatureGates[name]; set {
		return on, true
	}
	if on, set := r.flags.FeatureGates[allOf[stage.stage]]; set {
		return on, true
	}
	return stage.on, true
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
	return &UnknownError{Problem: problem, meant: func(nearest Nearest) (string, string) {
		if near := nearest(name, known); near != "" {
			return problem, near
		}
		// No gate of this release is similar: maybe it is meant for another release.
		if near := nearest(name, slices.Sorted(maps.Keys(knownGates()))); near != "" {
			return fmt.Sprintf("%s; %s was one %s", problem, near, otherReleases(near)), ""
		}
		return problem, ""
	}}
}

// otherReleases says which other releases have a gate, if any.
func otherReleases(gate string) string {
	stages := knownGates()[gate].stages
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
