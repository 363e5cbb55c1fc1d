package scenario

import (
	"math"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/fault"
)

// readFaults reads a document of kind Faults.
func readFaults(m *Manifest, errs *Errors) (rules []fault.Rule) {
	v := form(m, errs)
	v.mapping("apiVersion", "kind", "metadata", "faults")
	if len(v.at("faults").list()) == 0 {
		v.errorf("list them under faults", "no faults")
	}
	for _, one := range v.at("faults").list() {
		if r, ok := readServerFault(one); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func readServerFault(v value) (r fault.Rule, ok bool) {
	if !v.mapping("verbs", "resources", "namespaces", "names", "users", "fault", "latency", "retryAfter", "events", "after", "every", "times") {
		if !v.given() {
			v.wrong("a mapping")
		}
		return r, false
	}
	before := len(*v.errs)
	number := func(key string) int { return int(v.at(key).number(1, math.MaxInt32)) }
	r = fault.Rule{
		Resources: v.at("resources").texts(), Namespaces: v.at("namespaces").texts(), Names: v.at("names").texts(), Users: v.at("users").texts(),
		Kind: fault.Kind(v.at("fault").oneOf(fault.Kinds()...)), Latency: v.at("latency").duration(), RetryAfter: number("retryAfter"),
		Events: number("events"), After: number("after"), Every: number("every"), Times: number("times"), Source: v.source().String(),
	}
	for _, verb := range v.at("verbs").listOfTexts() {
		r.Verbs = append(r.Verbs, verb.oneOf(slices.Concat(fault.Verbs, []string{"*"})...))
	}
	if len(*v.errs) > before {
		return r, false
	}
	key, err := r.Check()
	if err == nil {
		return r, true
	}
	if key == "" {
		v.errorf("fault is one of "+strings.Join(fault.Kinds(), ", "), "%v", err)
	} else {
		v.at(key).errorf("", "%v", err)
	}
	return r, false
}
