package convert

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/scenario"
)

// A kyvernoTest is a file of `kyverno test`, as far as admission policies need it.
type kyvernoTest struct {
	Metadata       struct{ Name string }
	Name           string // the name in older files, without metadata
	Policies       []string
	Resources      []string
	ParamResources []string
	Variables      string
	Userinfo       string
	Values         kyvernoValues
	Results        []kyvernoResult
}

type kyvernoValues struct {
	NamespaceSelector []kyvernoNamespace
	Namespaces        []any
}

type kyvernoNamespace struct {
	Name   string
	Labels map[string]any
}

// A kyvernoResult is the expected result of a policy for some resources.
type kyvernoResult struct {
	Policy                      string
	IsValidatingAdmissionPolicy bool
	IsMutatingAdmissionPolicy   bool
	Result, Status              string
	Kind                        string
	Resource, Namespace         string
	Resources                   []any
	PatchedResources            string
}

// kyverno converts tests of the kyverno CLI that are about admission policies of Kubernetes.
func (c *conversion) kyverno() {
	for _, name := range c.tests {
		if !strings.Contains(path.Base(name), "kyverno-test") {
			continue
		}
		for _, d := range c.documents(name) {
			if _, isTest := d.object()["results"]; isTest {
				c.kyvernoTest(name, d)
			}
		}
	}
}

// A kyvernoRun is the state while a test is converted.
type kyvernoRun struct {
	*conversion
	file      string
	doc       document
	test      kyvernoTest
	policies  policies
	resources []document
	world     []any // objects other than policies
	user      *user
}

func (c *conversion) kyvernoTest(name string, d document) {
	r := &kyvernoRun{conversion: c, file: name, doc: d}
	if !c.decode(d, &r.test) {
		return
	}
	if r.test.Metadata.Name == "" {
		r.test.Metadata.Name = r.test.Name
	}
	r.policies = sortPolicies(c.objects(r.named("policies", r.test.Policies)))
	r.resources = c.objects(r.named("resources", r.test.Resources))
	params := c.objects(r.named("paramResources", r.test.ParamResources))
	r.readWorld(params)
	for _, key := range []string{"exceptions", "targetResources", "clusterResources", "context", "jsonPayload", "jsonPayloads", "checks"} {
		if d.object()[key] != nil {
			c.unsupported(d.Position(key), "", "%s are not converted", key)
		}
	}
	var order, own []string
	var firstOwn scenario.Source
	suites := map[string]*suite{}
	for i, result := range r.test.Results {
		at := d.Position(fmt.Sprintf("results[%d]", i))
		policy, ok := r.policies.policy[result.Policy]
		switch {
		case !result.IsValidatingAdmissionPolicy && !result.IsMutatingAdmissionPolicy && !ok:
			if len(own) == 0 {
				firstOwn = at
			}
			if name := strconv.Quote(result.Policy); !slices.Contains(own, name) {
				own = append(own, name)
			}
			continue
		case !ok:
			c.unsupported(at, "", "there is no policy %q in %s", result.Policy, strings.Join(r.test.Policies, ", "))
			continue
		}
		s := suites[policy.Name]
		if s == nil {
			s = r.suite(policy)
			suites[policy.Name], order = s, append(order, policy.Name)
		}
		r.cases(s, result, i)
	}
	if len(own) > 0 {
		c.foreign++
		c.unsupported(firstOwn, "only ValidatingAdmissionPolicies and MutatingAdmissionPolicies are", "policies of Kyverno are not converted: %s", strings.Join(own, ", "))
	}
	var all []suite
	for _, name := range order {
		all = append(all, *suites[name])
	}
	c.suites(suiteName(name), all)
}

// named returns the files that the test names under a key.
func (r *kyvernoRun) named(key string, names []string) (all []string) {
	for i, name := range names {
		if full := r.beside(r.file, name, r.doc.Position(fmt.Sprintf("%s[%d]", key, i))); full != "" {
			all = append(all, full)
		}
	}
	return all
}

// readWorld finds namespaces, params and the user.
func (r *kyvernoRun) readWorld(params []document) {
	values := r.test.Values
	if r.test.Variables != "" {
		for _, d := range r.objects(r.named("variables", []string{r.test.Variables})) {
			r.decode(d, &values)
		}
	}
	labels := map[string]any{}
	for _, n := range values.NamespaceSelector {
		labels[n.Name] = n.Labels
	}
	for _, n := range values.Namespaces {
		labels[text(n, "metadata", "name")] = at(n, "metadata", "labels")
	}
	here := slices.Concat(r.resources, params, r.policies.others)
	r.world = namespacesOf(here, labels)
	for _, d := range slices.Concat(r.policies.others, params) {
		r.world = append(r.world, d.value)
	}
	for _, d := range r.resources {
		if d.Kind == "Namespace" && labels[d.Name] == nil && !r.tested(d) {
			r.world = append(r.world, d.value)
		}
	}
	if r.test.Userinfo == "" {
		return
	}
	for _, d := range r.objects(r.named("userinfo", []string{r.test.Userinfo})) {
		r.user = userOf(at(d.value, "userInfo"))
	}
}

// tested reports whether results are about a resource.
func (r *kyvernoRun) tested(d document) bool {
	return slices.ContainsFunc(r.test.Results, func(one kyvernoResult) bool {
		return one.Kind == d.Kind && slices.ContainsFunc(one.names(), func(n string) bool { return n == d.Name })
	})
}

func userOf(v any) *user {
	u := &user{Username: text(v, "username"), Groups: texts(v, "groups")}
	if u.Username == "" {
		u.Username = text(v, "name")
	}
	if extra, ok := at(v, "extra").(map[string]any); ok {
		u.Extra = map[string][]string{}
		for key := range extra {
			u.Extra[key] = texts(extra, key)
		}
	}
	if u.Username == "" && u.Groups == nil {
		return nil
	}
	return u
}

// suite returns the suite for one policy: other policies could deny what it admits.
func (r *kyvernoRun) suite(policy document) *suite {
	name := r.test.Metadata.Name
	if len(r.policies.policy) > 1 {
		name += "-" + policy.Name
	}
	s := newSuite(name)
	if r.user != nil {
		s.Defaults = &defaults{User: r.user}
	}
	s.World.Objects = append(s.World.Objects, policy.value)
	for _, b := range r.policies.bindings[policy.Name] {
		s.World.Objects = append(s.World.Objects, denying(b))
	}
	if len(r.policies.bindings[policy.Name]) == 0 {
		s.World.Objects = append(s.World.Objects, binding(policy, nil))
	}
	s.World.Objects = append(s.World.Objects, r.world...)
	return &s
}

// names returns the names of the resources that a result is about.
func (r kyvernoResult) names() []string {
	var names []string
	for _, one := range r.Resources {
		switch one := one.(type) {
		case string:
			names = append(names, one)
		case map[string]any:
			name := text(one, "name")
			if namespace := text(one, "namespace"); namespace != "" {
				name = namespace + "/" + name
			}
			names = append(names, name)
		}
	}
	if r.Resource != "" {
		names = append(names, r.Resource)
	}
	return names
}

// cases adds a case for each resource of a result.
func (r *kyvernoRun) cases(s *suite, result kyvernoResult, i int) {
	place := r.doc.Position(fmt.Sprintf("results[%d]", i))
	if result.Result == "" {
		result.Result = result.Status
	}
	expects := map[string]func(string) expect{"pass": called, "fail": deniedBy, "skip": notCalled}
	expected, ok := expects[result.Result]
	if !ok {
		r.unsupported(place, "results are pass, fail and skip", "result %q is not converted", result.Result)
		return
	}
	var patched []document
	if result.PatchedResources != "" && result.Result == "pass" {
		patched = r.objects(r.named(fmt.Sprintf("results[%d].patchedResources", i), []string{result.PatchedResources}))
	}
	used := map[string]bool{}
	for _, c := range s.Cases {
		used[c.Name] = true
	}
	names := result.names()
	if len(names) == 0 {
		names = []string{""} // all resources of the kind
	}
	for _, name := range names {
		found := 0
		for _, d := range r.resources {
			if !fits(d, result, name) {
				continue
			}
			found++
			s.Cases = append(s.Cases, testCase{
				Name:    unique(d.Kind+" "+strings.TrimPrefix(d.Namespace+"/"+d.Name, "/")+" "+result.Result, used),
				Request: request{Object: d.value},
				Expect:  expected(result.Policy),
				from:    place,
			})
			if patched != nil {
				one := &s.Cases[len(s.Cases)-1]
				one.Expect.Object = r.patched(patched, d, place)
			}
		}
		if found == 0 {
			r.unsupported(place, "", "there is no %s %q in %s", result.Kind, name, strings.Join(r.test.Resources, ", "))
		}
	}
}

// patched returns what a resource is expected to become. If the patchedResources do not have it, it reports that and
// returns nil.
func (r *kyvernoRun) patched(all []document, from document, at scenario.Source) any {
	for _, d := range all {
		if d.Kind == from.Kind && d.Name == from.Name && (d.Namespace == from.Namespace || d.Namespace == "" || from.Namespace == "") {
			return map[string]any{"contains": d.value}
		}
	}
	r.unsupported(at, "", "there is no %s %q in the patchedResources", from.Kind, from.Name)
	return nil
}

// fits reports whether a result is about a resource: its name is NAME or NAMESPACE/NAME.
func fits(d document, result kyvernoResult, name string) bool {
	kind := result.Kind
	if i := strings.LastIndex(kind, "/"); i >= 0 {
		kind = kind[i+1:]
	}
	if namespace, short, ok := strings.Cut(name, "/"); ok {
		if namespace != d.Namespace {
			return false
		}
		name = short
	}
	return (kind == "" || kind == d.Kind) && (name == "" || name == d.Name) && (result.Namespace == "" || d.Namespace == "" || result.Namespace == d.Namespace)
}
