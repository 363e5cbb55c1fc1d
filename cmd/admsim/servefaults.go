package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/fault"
)

// A faultFlag collects the faults of the command line.
type faultFlag []fault.Rule

func (f *faultFlag) String() string { return "" }
func (f *faultFlag) Type() string   { return "fault" }

func (f *faultFlag) Set(text string) error {
	r, err := fault.Parse(text)
	if errors.Is(err, fault.ErrForm) {
		return want(fault.Form)
	}
	if err == nil {
		*f = append(*f, r)
	}
	return err
}

// plan returns the faults to inject; those of flags come before those of files.
func (s *serveCommand) plan(w *loaded) (*fault.Plan, error) {
	rules := slices.Concat(s.faults, w.Bag.Faults)
	for _, r := range rules {
		for _, pattern := range r.Resources {
			if err := checkResource(w, r.Source, pattern); err != nil {
				return nil, err
			}
		}
	}
	return fault.New(rules...), nil
}

// checkResource refuses a resource that the cluster does not have. A resource with a group is accepted: it may be
// defined later.
func checkResource(w *loaded, source, pattern string) error {
	name, group, _ := fault.SplitResource(pattern)
	if strings.ContainsAny(pattern, "*?[") && group == "*" && strings.ContainsAny(name, "*?[") || group != "*" && strings.Contains(group, ".") {
		return nil
	}
	var known []string
	for _, r := range w.Simulator().Resources().All() {
		if r.Served && (group == "*" || r.Group == group) {
			known = append(known, r.Resource)
		}
	}
	if slices.Contains(known, name) || strings.ContainsAny(name, "*?[") {
		return nil
	}
	slices.Sort(known)
	err := didyoumean.Unknown(fmt.Sprintf("%s: there is no resource %q", source, pattern), name, slices.Compact(known))
	if err.Hint() == "" {
		return hinted(err, "a custom resource that is defined later needs its group, as in widgets.example.com")
	}
	return err
}

// warnUnmet reports faults that no request matched: a test that only passes because of that is worth nothing.
func warnUnmet(plan *fault.Plan, warn func(error)) {
	for _, r := range plan.Unmet() {
		warn(fmt.Errorf("%s: no request matched this fault", r.Source))
	}
}
