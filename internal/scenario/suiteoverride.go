package scenario

import (
	"fmt"
	"slices"

	"github.com/admsim/admsim/pkg/dispatch"
)

// override reads how a case's world differs.
func (r *suiteReader) override(v value) Override {
	o := Override{Source: v.source()}
	if !v.mapping("kubernetesVersion", "plugins", "authorizer", "authorization", "assumeControllers", "backends", "services", "load", "objects") {
		return o
	}
	o.Release = readRelease(v.at("kubernetesVersion"))
	o.Plugins = r.plugins(v.at("plugins"))
	if controllers := v.at("assumeControllers"); controllers.given() {
		o.Controllers = new(controllers.flag())
	}
	var roles []Manifest
	o.AllowEveryone, roles = r.authorizer(v.at("authorizer"))
	o.Authorization = modes(v.at("authorization"))
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

// NoFault is the value of [FaultAxis] for answers as they are.
const NoFault = "none"

func (r *suiteReader) matrix(v value) Matrix {
	m := Matrix{Source: v.source()}
	if !v.mapping(ReleaseAxis, FailurePolicyAxis, FaultAxis, "webhook") {
		return m
	}
	for _, one := range axis(v, ReleaseAxis) {
		if release := readRelease(one); release != "" {
			m.Releases = append(m.Releases, release)
		}
	}
	for _, one := range axis(v, FailurePolicyAxis) {
		if policy := one.oneOf("Fail", "Ignore"); policy != "" {
			m.FailurePolicies = append(m.FailurePolicies, policy)
		}
	}
	for _, one := range axis(v, FaultAxis) {
		if fault := one.oneOf(slices.Concat([]string{NoFault}, faultNames)...); fault != "" {
			m.Faults = append(m.Faults, fault)
		}
	}
	webhook := v.at("webhook")
	if m.Webhook = webhook.text(); m.Webhook != "" {
		if _, err := dispatch.NewBackends(dispatch.Route{Webhook: m.Webhook}); err != nil {
			webhook.errorf("", "%v", err)
			m.Webhook = ""
		}
	}
	axes := slices.ContainsFunc([]string{ReleaseAxis, FailurePolicyAxis, FaultAxis}, func(axis string) bool { return v.at(axis).given() })
	switch {
	case !axes:
		v.errorf("such as matrix: {kubernetesVersion: [\"1.34\", \"1.37\"]}", "nothing varies")
	case m.Webhook != "" && !v.at(FailurePolicyAxis).given() && !v.at(FaultAxis).given():
		webhook.errorf("it says whose failurePolicy or answers vary", "webhook needs failurePolicy or fault")
	}
	return m
}

// axis is the list of values under a key, each once.
func axis(v value, key string) []value {
	one := v.at(key)
	all := one.listOfTexts()
	if _, isList := one.is.([]any); isList && len(all) == 0 {
		one.errorf("list them, or drop the key", "no values")
	}
	seen := map[string]bool{}
	for _, item := range all {
		if text := fmt.Sprint(item.is); seen[text] {
			item.errorf("", "%s is there twice", text)
		} else {
			seen[text] = true
		}
	}
	return all
}

// Axes are the values of m by axis.
func (m Matrix) Axes() map[string][]string {
	return map[string][]string{ReleaseAxis: m.Releases, FailurePolicyAxis: m.FailurePolicies, FaultAxis: m.Faults}
}

// Empty reports whether nothing varies.
func (m Matrix) Empty() bool { return len(m.Releases)+len(m.FailurePolicies)+len(m.Faults) == 0 }

// FaultAnswer is the answer of a webhook with a fault of that name.
func FaultAnswer(name string) dispatch.Answer {
	var a dispatch.Answer
	var errs Errors
	readFault(value{of: &Manifest{}, errs: &errs, is: map[string]any{"fault": name}}, &a)
	return a
}
