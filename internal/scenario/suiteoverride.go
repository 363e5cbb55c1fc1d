package scenario

import (
	"fmt"
	"slices"

	"github.com/admsim/admsim/internal/manifest"

	"github.com/admsim/admsim/pkg/dispatch"
)

// override reads how the world of a case differs.
func (r *suiteReader) override(v manifest.Value) Override {
	o := Override{Source: v.Source()}
	if !v.Mapping("kubernetesVersion", "plugins", "authorizer", "authorization", "assumeControllers", "backends", "services", "load", "objects") {
		return o
	}
	o.Release = readRelease(v.At("kubernetesVersion"))
	o.Plugins = r.plugins(v.At("plugins"))
	if controllers := v.At("assumeControllers"); controllers.Given() {
		o.Controllers = new(controllers.Flag())
	}
	var roles []manifest.Manifest
	o.AllowEveryone, roles = r.authorizer(v.At("authorizer"))
	o.Authorization = r.authorization(v.At("authorization"))
	o.Backends.read(v)
	objects, incomplete := r.objects(v, &o.Backends)
	o.Objects, o.Incomplete = append(objects, roles...), incomplete
	return o
}

// Empty reports whether nothing differs.
func (o Override) Empty() bool {
	return o.Release == "" && o.Plugins == nil && o.AllowEveryone == nil && o.Controllers == nil && o.Authorization == nil &&
		len(o.Backends.List)+len(o.Backends.Services)+len(o.Objects) == 0
}

// Axes of a matrix.
const (
	ReleaseAxis       = "kubernetesVersion"
	FailurePolicyAxis = "failurePolicy"
	FaultAxis         = "fault"
)

// NoFault is the value of [FaultAxis] that leaves answers as they are.
const NoFault = "none"

func (r *suiteReader) matrix(v manifest.Value) Matrix {
	m := Matrix{Source: v.Source()}
	if !v.Mapping(ReleaseAxis, FailurePolicyAxis, FaultAxis, "webhook") {
		return m
	}
	for _, one := range axis(v, ReleaseAxis) {
		if release := readRelease(one); release != "" {
			m.Releases = append(m.Releases, release)
		}
	}
	for _, one := range axis(v, FailurePolicyAxis) {
		if policy := one.OneOf("Fail", "Ignore"); policy != "" {
			m.FailurePolicies = append(m.FailurePolicies, policy)
		}
	}
	for _, one := range axis(v, FaultAxis) {
		if fault := one.OneOf(slices.Concat([]string{NoFault}, faultNames)...); fault != "" {
			m.Faults = append(m.Faults, fault)
		}
	}
	webhook := v.At("webhook")
	if _, several := webhook.Is.([]any); several {
		webhook.Errorf("give one name, or a pattern such as *.example.com: it says whose failurePolicy or answers vary", "a list instead of a string")
	} else if m.Webhook = webhook.Text(); m.Webhook != "" {
		if _, err := dispatch.NewBackends(dispatch.Route{Webhook: m.Webhook}); err != nil {
			webhook.Errorf("", "%v", err)
			m.Webhook = ""
		}
	}
	axes := slices.ContainsFunc([]string{ReleaseAxis, FailurePolicyAxis, FaultAxis}, func(axis string) bool { return v.At(axis).Given() })
	switch {
	case !axes:
		v.Errorf("such as matrix: {kubernetesVersion: [\"1.34\", \"1.37\"]}", "nothing varies")
	case m.Webhook != "" && !v.At(FailurePolicyAxis).Given() && !v.At(FaultAxis).Given():
		webhook.Errorf("it names the webhooks whose failurePolicy or answers vary", "webhook needs failurePolicy or fault")
	}
	return m
}

// axis returns the values under a key, which must all be different.
func axis(v manifest.Value, key string) []manifest.Value {
	one := v.At(key)
	all := one.ListOfTexts()
	if _, isList := one.Is.([]any); isList && len(all) == 0 {
		one.Errorf("list them, or drop the key", "no values")
	}
	seen := map[string]bool{}
	for _, item := range all {
		if text := fmt.Sprint(item.Is); seen[text] {
			item.Errorf("", "%s appears twice", text)
		} else {
			seen[text] = true
		}
	}
	return all
}

// Axes returns the values of m by axis.
func (m Matrix) Axes() map[string][]string {
	return map[string][]string{ReleaseAxis: m.Releases, FailurePolicyAxis: m.FailurePolicies, FaultAxis: m.Faults}
}

// Empty reports whether nothing varies.
func (m Matrix) Empty() bool { return len(m.Releases)+len(m.FailurePolicies)+len(m.Faults) == 0 }

// FaultAnswer returns the answer of a webhook with the fault of that name.
func FaultAnswer(name string) dispatch.Answer {
	var a dispatch.Answer
	setFault(name, &a)
	return a
}
