package scenario

import (
	"math"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/manifest"

	"github.com/admsim/admsim/internal/fault"
)

// readFaults reads a document of kind Faults.
func readFaults(m *manifest.Manifest, errs *manifest.Errors) (rules []fault.Rule) {
	v := manifest.Form(m, errs)
	v.Mapping("apiVersion", "kind", "metadata", "faults")
	if len(v.At("faults").List()) == 0 {
		v.Errorf("list them under faults", "no faults")
	}
	for _, one := range v.At("faults").List() {
		if r, ok := readServerFault(one); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func readServerFault(v manifest.Value) (r fault.Rule, ok bool) {
	if !v.Mapping("verbs", "resources", "namespaces", "names", "users", "fault", "latency", "retryAfter", "events", "after", "every", "times") {
		if !v.Given() {
			v.Wrong("a mapping")
		}
		return r, false
	}
	before := len(*v.Errs)
	number := func(key string) int { return int(v.At(key).Number(1, math.MaxInt32)) }
	r = fault.Rule{
		Resources: v.At("resources").Texts(), Namespaces: v.At("namespaces").Texts(), Names: v.At("names").Texts(), Users: v.At("users").Texts(),
		Kind: fault.Kind(v.At("fault").OneOf(fault.Kinds()...)), Latency: v.At("latency").Duration(), RetryAfter: number("retryAfter"),
		Events: number("events"), After: number("after"), Every: number("every"), Times: number("times"), Source: v.Source().String(),
	}
	for _, verb := range v.At("verbs").ListOfTexts() {
		r.Verbs = append(r.Verbs, verb.OneOf(slices.Concat(fault.Verbs, []string{"*"})...))
	}
	if len(*v.Errs) > before {
		return r, false
	}
	key, err := r.Check()
	if err == nil {
		return r, true
	}
	if key == "" {
		v.Errorf("fault is one of "+strings.Join(fault.Kinds(), ", "), "%v", err)
	} else {
		v.At(key).Errorf("", "%v", err)
	}
	return r, false
}
