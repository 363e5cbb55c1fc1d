// Package references checks the names in the expectations of cases: webhooks, policies, bindings and plugins that the
// world of the case does not have are reported before anything runs.
package references

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/events"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// A named is something that an expectation can name: a webhook of a configuration, a binding of a policy, a plugin.
type named struct {
	as                  string // the key that names it
	configuration, name string
}

// Keys of expectations that name something.
const (
	asMutating   = "mutatingWebhook"
	asValidating = "validatingWebhook"
	asPolicy     = "policy"
	asConversion = "conversion"
	asBinding    = "binding"
	asPlugin     = "plugin"
	asWebhook    = "webhook" // of a matrix
	asAny        = ""        // of a trace
	asHook       = "asked"   // of a region
)

// namedWords are the words for what each key names, singular and plural.
var namedWords = map[string][2]string{
	asMutating:   {"mutating webhook", "mutating webhooks"},
	asValidating: {"validating webhook", "validating webhooks"},
	asPolicy:     {"policy", "policies"},
	asConversion: {"conversion webhook", "conversion webhooks"},
	asBinding:    {"binding", "bindings"},
	asPlugin:     {"plugin", "plugins"},
	asWebhook:    {"webhook", "webhooks"},
	asHook:       {"webhook and no policy", "webhooks and policies"},
	asAny:        {"webhook, policy or plugin", "webhooks and policies"},
}

func (n named) String() string {
	if n.as == asBinding {
		return n.name
	}
	return strings.TrimSuffix(strings.TrimPrefix(n.configuration+"/"+n.name, "/"), "/")
}

func (n named) is(pattern string) bool {
	switch n.as {
	case asPlugin:
		return n.name == pattern
	case asBinding:
		return events.NamesBinding(pattern, n.name)
	case asPolicy:
		return events.NamesPolicy(pattern, n.configuration, n.name)
	}
	return dispatch.Route{Webhook: pattern}.Matches(n.configuration, n.name)
}

// namesIn returns the webhooks and policies in manifests, which are known before there is a world.
func namesIn(objects []scenario.Manifest) (all []named) {
	for _, m := range objects {
		var o struct {
			Webhooks []struct{ Name string }
			Spec     struct {
				PolicyName string
				Conversion struct{ Strategy string }
			}
		}
		definition := m.Kind == "CustomResourceDefinition"
		if m.Group != admissionregistrationv1.GroupName && !definition || json.Unmarshal(m.JSON, &o) != nil {
			continue // what does not decode is reported when the world is made
		}
		if definition && o.Spec.Conversion.Strategy == "Webhook" {
			all = append(all, named{asConversion, m.Name, dispatch.ConversionWebhook})
		}
		as := asValidating
		switch m.Kind {
		case "MutatingWebhookConfiguration":
			as = asMutating
		case "MutatingAdmissionPolicy", "ValidatingAdmissionPolicy":
			all = append(all, named{asPolicy, m.Name, ""})
		case "MutatingAdmissionPolicyBinding", "ValidatingAdmissionPolicyBinding":
			all = append(all, named{asPolicy, o.Spec.PolicyName, m.Name}, named{asBinding, o.Spec.PolicyName, m.Name})
		}
		for _, w := range o.Webhooks {
			all = append(all, named{as, m.Name, w.Name})
		}
	}
	return all
}

// A Checker checks the names in the expectations of the cases of a suite. The zero value is ready.
type Checker struct {
	configured []named // those of the suite's world, read once
}

// A World is the world that the expectations of a case refer to.
type World struct {
	scenario.SuiteWorld
	Release *kubeversion.Release
	Own     bool // the case adds objects of its own

	Maker Maker
}

// A Maker makes a world when it is first needed.
type Maker interface {
	Simulator() (*simulator.Simulator, error)
}

// References are the names in the expectations of a case. A webhook that does not exist never denies and is never
// called, so an expectation about it would prove nothing.
type References struct {
	world World
	names []named

	// open means that not all names are known: requests of the case change the configuration, or some files could not
	// be read.
	open bool
	errs []error
}

// Of returns the references of a case with these steps.
func (c *Checker) Of(w World, steps []scenario.CaseStep) *References {
	configured := c.configured
	if configured == nil || w.Own {
		configured = namesIn(w.Objects)
	}
	if !w.Own {
		c.configured = configured
	}
	r := &References{world: w, names: slices.Clip(configured), open: w.Incomplete || slices.ContainsFunc(steps, configures)}
	chain, err := w.Release.Chain(w.Plugins.Enable, w.Plugins.Disable)
	if err != nil {
		chain = w.Release.Plugins // the error is reported when the world is made
	}
	for _, p := range chain {
		r.names = append(r.names, named{asPlugin, "", p.Name})
	}
	return r
}

// Errs returns the errors about names that do not exist.
func (r *References) Errs() []error { return r.errs }

// static returns the names in the server's own manifests, which only the world knows.
func (r *References) static() []named {
	sim, err := r.world.Maker.Simulator()
	if err != nil {
		return nil
	}
	return namesIn(manifestsOf(sim.Static()))
}

// wrong returns the objects of the world if it could not be made.
func (r *References) wrong() []scenario.Manifest {
	if _, err := r.world.Maker.Simulator(); err != nil {
		return r.world.Objects
	}
	return nil
}

// others returns the webhooks of the world if it could be made.
func (r *References) others() []simulator.Webhook {
	sim, err := r.world.Maker.Simulator()
	if err != nil {
		return nil
	}
	return sim.Webhooks()
}

// manifestsOf encodes objects that are not manifests of the suite.
func manifestsOf(list []cluster.Object) []scenario.Manifest {
	all := make([]scenario.Manifest, len(list))
	for i, o := range list {
		data, err := json.Marshal(o.Object)
		if err != nil {
			continue
		}
		all[i] = scenario.Manifest{GroupVersionKind: o.GetObjectKind().GroupVersionKind(), Name: cluster.KeyOf(o.Object).Name, JSON: data}
	}
	return all
}

// configures reports whether a step is about webhooks or policies themselves.
func configures(s scenario.CaseStep) bool {
	switch {
	case s.Recorded != nil:
		return strings.Contains(string(s.Recorded.JSON), admissionregistrationv1.GroupName)
	case s.Request == nil:
		return false
	}
	return s.Request.Kind.Group == admissionregistrationv1.GroupName ||
		strings.Contains(s.Request.Resource, "webhookconfiguration") || strings.Contains(s.Request.Resource, "admissionpolic")
}

// Expect checks the names in an expectation.
func (r *References) Expect(e scenario.Expect) {
	if d := e.DeniedBy; d != nil {
		for _, by := range []struct{ as, name string }{
			{asPlugin, d.Plugin}, {asMutating, d.MutatingWebhook}, {asValidating, d.ValidatingWebhook}, {asPolicy, d.Policy}, {asBinding, d.Binding},
		} {
			if by.name != "" {
				r.check(by.as, by.name, e.Position("deniedBy."+by.as))
			}
		}
	}
	for _, one := range slices.Concat(e.Asked, e.NotAsked) {
		r.check(asHook, one.Name, one.Source)
	}
	if t := e.Trace; t != nil {
		for _, one := range slices.Concat(t.Order, t.Called, t.NotCalled) {
			r.check(asAny, one.Name, one.Source)
		}
		for _, one := range t.Rounds {
			r.check(asAny, one.Name, one.Source)
		}
		for _, one := range t.Skipped {
			r.check(asAny, one.Key, one.Match.Source)
		}
	}
}

func (r *References) check(as, name string, at scenario.Source) {
	if r.open && as != asPlugin || slices.ContainsFunc(r.names, func(n named) bool { return n.fits(as) && n.is(name) }) {
		return
	}
	if slices.ContainsFunc(r.static(), func(n named) bool { return n.fits(as) && n.is(name) }) {
		return
	}
	if mentioned(name, r.wrong()) { // the object with that name may be the invalid one
		return
	}
	r.errs = append(r.errs, r.missing(as, name, at))
}

// mentioned reports whether manifests may contain a name, or a part of it.
func mentioned(name string, in []scenario.Manifest) bool {
	parts := strings.Split(name, "/")
	return slices.ContainsFunc(in, func(m scenario.Manifest) bool {
		return slices.ContainsFunc(parts, func(part string) bool {
			return strings.ContainsAny(part, `*?[\`) || bytes.Contains(m.JSON, []byte(part))
		})
	})
}

// missing returns the error that nothing of the right kind has a name.
func (r *References) missing(as, name string, at scenario.Source) *scenario.Error {
	if releases := kubeversion.ReleasesWith(name); releases != "" && (as == asPlugin || as == asAny) {
		return &scenario.Error{Source: at, Message: fmt.Sprintf("plugin %s does not run in this world", name), Hint: r.turnedOn(name, releases)}
	}
	return &scenario.Error{Source: at, Message: fmt.Sprintf("no %s is called %q", namedWords[as][0], name), Hint: r.hint(as, name)}
}

// turnedOn explains how to run a plugin that does not run, but that some releases have.
func (r *References) turnedOn(plugin, releases string) string {
	if _, has := r.world.Release.Plugin(plugin); !has {
		return fmt.Sprintf("Kubernetes %s has it, %s does not", releases, r.world.Release.Version)
	}
	if slices.Contains(r.world.Plugins.Disable, plugin) {
		return "plugins.disable of the world turns it off"
	}
	with, err := r.world.Release.Chain([]string{plugin}, nil)
	if err == nil && !slices.ContainsFunc(with, func(p kubeversion.Plugin) bool { return p.Name == plugin }) {
		return fmt.Sprintf("its feature gate is off in Kubernetes %s", r.world.Release.Version)
	}
	return "plugins.enable of the world turns it on"
}

// fits reports whether n is of the kind that a key names. A matrix names webhooks of both kinds; a trace names
// everything except bindings, which are named after their policy.
func (n named) fits(as string) bool {
	switch as {
	case asWebhook:
		return n.as == asMutating || n.as == asValidating || n.as == asWebhook
	case asAny:
		return n.as != asBinding && n.as != asWebhook
	case asHook:
		return n.as == asMutating || n.as == asValidating || n.as == asPolicy
	}
	return n.as == as
}

// hint returns a hint for a name that nothing of its kind has: something of another kind may have it, or something of
// the same kind may have a similar name.
func (r *References) hint(as, name string) string {
	var known, listed []string
	for _, n := range r.names {
		switch {
		case n.fits(as):
			known = append(known, n.String(), n.name)
			if as == asPlugin || n.as != asPlugin {
				listed = append(listed, n.String())
			}
			if n.name != "" && n.configuration != "" {
				known = append(known, n.configuration+"/*")
			}
		case !n.is(name) || as == asWebhook:
		case as == asAny:
			return fmt.Sprintf("a binding is: write %s/%s", n.configuration, n.name)
		case n.as == asConversion:
			return "a conversion webhook is, which decides nothing: expect it in trace.called"
		default:
			return fmt.Sprintf("a %s is: write %s: %s", namedWords[n.as][0], n.as, name)
		}
	}
	if slices.Contains(known, name+"/*") {
		return fmt.Sprintf("a configuration is: write %s/*", name)
	}
	if near := didyoumean.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(listed) == 0 {
		return fmt.Sprintf("the world has no %s: is the manifest among those it loads?", namedWords[as][1])
	}
	slices.Sort(listed)
	return fmt.Sprintf("the %s of the world are %s", namedWords[as][1], words.Few(slices.Compact(listed)))
}

// Matrix checks that there is a webhook that a matrix changes. Webhooks outside of admission, such as conversion
// webhooks, are only known to the world.
func (r *References) Matrix(m scenario.Matrix) {
	if len(m.FailurePolicies)+len(m.Faults) == 0 || r.open {
		return
	}
	varies := func(n named) bool { return n.fits(asWebhook) && (m.Webhook == "" || n.is(m.Webhook)) }
	if slices.ContainsFunc(r.names, varies) {
		return
	}
	for _, w := range r.others() {
		r.names = append(r.names, named{asWebhook, w.Configuration, w.Name})
	}
	switch {
	case slices.ContainsFunc(r.names, varies):
	case m.Webhook != "":
		r.check(asWebhook, m.Webhook, m.Source)
	case r.wrong() == nil:
		r.errs = append(r.errs, &scenario.Error{Source: m.Source, Message: "the matrix is about webhooks, but the world has none", Hint: "is the manifest of their configuration among those it loads?"})
	}
}
