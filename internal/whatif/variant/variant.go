// Package variant builds worlds with other webhooks and policies, in order to try what these do: one of them alone,
// some in another order, those that a selector keeps from a request.
//
// Start with [AsIs], which returns the webhooks and mutating policies of a cluster, and [Variant.In]. Those of static
// manifests stay static in a variant: the server always calls them before the others. [Originally] makes the backends
// of the webhooks answer in such a cluster.
package variant

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
)

// A Variant is a set of webhooks and mutating policies of a world. Validating policies are not part of it. Each of its
// hooks is in a configuration of its own, whose name determines when the hook is called.
type Variant struct {
	mutators   []mutator
	validating []validatingHook
}

// A mutator is a mutating webhook, or a mutating policy with one of its bindings.
type mutator struct {
	webhook *admissionregistrationv1.MutatingWebhook // nil: a policy
	policy  *admissionregistrationv1.MutatingAdmissionPolicy
	binding *admissionregistrationv1.MutatingAdmissionPolicyBinding
	origin
}

type validatingHook struct {
	admissionregistrationv1.ValidatingWebhook
	origin
}

// An origin is the configuration or policy that a hook of a variant is from.
type origin struct {
	configuration, source string
	static                bool
}

// AsIs returns the variant in which nothing is changed.
func AsIs(sim *simulator.Simulator) (v Variant) {
	static := sim.Static()
	isStatic := func(o runtime.Object) bool {
		return slices.ContainsFunc(static, func(s cluster.Object) bool { return s.Object == o })
	}
	policies, _ := sim.Policies()
	for _, p := range policies {
		policy, ok := p.Object.Object.(*admissionregistrationv1.MutatingAdmissionPolicy)
		if !ok {
			continue
		}
		for _, b := range p.Bindings {
			if binding, ok := b.Object.Object.(*admissionregistrationv1.MutatingAdmissionPolicyBinding); ok {
				v.mutators = append(v.mutators, mutator{policy: policy, binding: binding, origin: origin{policy.Name, p.Source, isStatic(policy)}})
			}
		}
	}
	for o := range sim.WebhookConfigurations() {
		for _, w := range objects.Webhooks(o.Object) {
			from := origin{w.Configuration, o.Source, isStatic(o.Object)}
			if w.Mutating != nil {
				v.mutators = append(v.mutators, mutator{webhook: w.Mutating, origin: from})
			} else {
				v.validating = append(v.validating, validatingHook{w.ValidatingWebhook, from})
			}
		}
	}
	return v
}

// renamed returns the name of a configuration of a variant that is called after all with a lower number.
func renamed(number int, configuration string) string {
	return fmt.Sprintf("admsim-%05d.", number) + configuration
}

// Originally makes the backends of a variant those of the configurations that it was made from.
func Originally(resolver func(configuration, webhook string) dispatch.Backend) func(configuration, webhook string) dispatch.Backend {
	return func(configuration, webhook string) dispatch.Backend {
		return resolver(Original(configuration), webhook)
	}
}

// Original returns the name of the configuration that a configuration of a variant was made from.
func Original(configuration string) string {
	if rest, ok := strings.CutPrefix(configuration, "admsim-"); ok {
		if number, name, ok := strings.Cut(rest, "."); ok && len(number) == 5 {
			return name
		}
	}
	return configuration
}

// made matches what renamed adds to a name.
var made = regexp.MustCompile(`\badmsim-\d{5}\.`)

// Originals returns a message of the server with the names of the configurations and policies that a variant was made
// from.
func Originals(message string) string { return made.ReplaceAllString(message, "") }

// In returns the simulator of a cluster with the webhooks and mutating policies of the variant instead of its own. The
// backends of webhooks are those of [Originally].
func (v Variant) In(sim *simulator.Simulator) (*simulator.Simulator, error) {
	state := sim.State()
	for o := range objects.WebhookConfigurations(state) {
		state = state.Without(cluster.KeyOf(o.Object))
	}
	for _, kind := range mutatingKinds {
		for o := range state.List(kind, "") {
			state = state.Without(cluster.KeyOf(o.Object))
		}
	}
	static := slices.DeleteFunc(slices.Clone(sim.Static()), func(o cluster.Object) bool {
		return objects.IsWebhookConfiguration(o.Object) || slices.Contains(mutatingKinds, cluster.KeyOf(o.Object).GroupKind)
	})
	for o, isStatic := range v.objects {
		if isStatic {
			static = append(static, o)
		} else {
			state = state.With(o)
		}
	}
	return in(sim, state, static)
}

// objects yields the configurations of the variant, and whether each is in a static manifest.
func (v Variant) objects(yield func(o cluster.Object, static bool) bool) {
	named := v.names()
	for i, m := range v.mutators {
		if m.webhook != nil {
			c := &admissionregistrationv1.MutatingWebhookConfiguration{Webhooks: []admissionregistrationv1.MutatingWebhook{*m.webhook}}
			c.APIVersion, c.Kind, c.Name = webhooksVersion, "MutatingWebhookConfiguration", named[i]
			if !yield(cluster.Object{Object: c, Source: m.source}, m.static) {
				return
			}
			continue
		}
		policy, binding := *m.policy, *m.binding
		policy.Name, binding.Spec.PolicyName = named[i], named[i]
		if !yield(cluster.Object{Object: &policy, Source: m.source}, m.static) || !yield(cluster.Object{Object: &binding}, m.static) {
			return
		}
	}
	for i, w := range v.validating {
		c := &admissionregistrationv1.ValidatingWebhookConfiguration{Webhooks: []admissionregistrationv1.ValidatingWebhook{w.ValidatingWebhook}}
		c.APIVersion, c.Kind, c.Name = webhooksVersion, "ValidatingWebhookConfiguration", renamed(i, w.configuration)
		if !yield(cluster.Object{Object: c, Source: w.source}, w.static) {
			return
		}
	}
}

// names returns the names of the configurations of the mutators. A single one keeps its name, which messages mention.
func (v Variant) names() (all []string) {
	if len(v.mutators) == 1 {
		return []string{v.mutators[0].configuration}
	}
	for i, m := range v.mutators {
		all = append(all, renamed(i, m.configuration))
	}
	return all
}

// webhooksVersion is the version of the configurations of a variant.
const webhooksVersion = "admissionregistration.k8s.io/v1"

// in returns the simulator of a cluster in another state, and with other static webhooks and policies.
func in(sim *simulator.Simulator, state *cluster.State, static []cluster.Object) (*simulator.Simulator, error) {
	sim, err := sim.With(state)
	if err != nil {
		return nil, err
	}
	return sim.WithStatic(static)
}

func (m mutator) is(name document.Actor) bool {
	return m.plugin() == name.Plugin && m.configuration == name.Configuration && m.name() == name.Name
}

func (m mutator) plugin() string {
	if m.webhook != nil {
		return document.MutatingWebhooks
	}
	return document.MutatingPolicies
}

func (m mutator) name() string {
	if m.webhook != nil {
		return m.webhook.Name
	}
	return m.binding.Name
}

// Without returns the variant without the mutators named.
func (v Variant) Without(names ...document.Actor) Variant {
	v.mutators = slices.DeleteFunc(slices.Clone(v.mutators), func(m mutator) bool { return slices.ContainsFunc(names, m.is) })
	return v
}

// Only returns the variant with the mutators named, in that order, and no other hooks. Policies are always called
// before webhooks.
func (v Variant) Only(names ...document.Actor) (o Variant) {
	for _, name := range names {
		if i := v.index(name); i >= 0 {
			o.mutators = append(o.mutators, v.mutators[i])
		}
	}
	return o
}

func (v Variant) index(name document.Actor) int {
	return slices.IndexFunc(v.mutators, func(m mutator) bool { return m.is(name) })
}

// Possible reports whether a server may call these mutators in this order: policies come before webhooks, static ones
// of both before the others, and the bindings of a policy are called one after the other (W-271).
func (v Variant) Possible(order []document.Actor) bool {
	place := 0
	left := map[string]bool{} // policies of which another binding cannot come any more
	before := ""
	for _, name := range order {
		i := v.index(name)
		if i < 0 {
			continue
		}
		m := v.mutators[i]
		if m.place() < place {
			return false
		}
		place = m.place()
		if m.policy == nil || m.configuration == before {
			continue
		}
		if left[m.configuration] {
			return false
		}
		left[before], before = true, m.configuration
	}
	return true
}

// Orders returns the orders, other than the given one, in which a server may call these mutators: only those with the
// same place change theirs, and the bindings of a policy stay together. If there are more than most with the given one,
// it draws most others, and no order twice. random returns a number below n.
func (v Variant) Orders(names []document.Actor, most int, random func(n int) int) (orders [][]document.Actor, drawn bool) {
	places := v.places(names)
	if drawn = countOrders(places, most) > most; !drawn {
		return slices.DeleteFunc(allOrders(places), func(order []document.Actor) bool { return slices.Equal(order, names) }), false
	}
	for len(orders) < most {
		var order []document.Actor
		for _, blocks := range places {
			shuffle(blocks, random)
			for _, b := range blocks {
				shuffle(b, random)
				order = append(order, b...)
			}
		}
		known := func(other []document.Actor) bool { return slices.Equal(order, other) }
		if !known(names) && !slices.ContainsFunc(orders, known) {
			orders = append(orders, order)
		}
	}
	return orders, true
}

// A block holds mutators that are called one after the other: the bindings of a policy, or one webhook.
type block []document.Actor

// places returns the blocks of mutators by their place, in the order of the places.
func (v Variant) places(names []document.Actor) [][]block {
	byPlace := map[int][]block{}
	where := func(name document.Actor) (place int, policy string) {
		i := v.index(name)
		if i < 0 {
			return 0, ""
		}
		if v.mutators[i].policy != nil {
			policy = name.Configuration
		}
		return v.mutators[i].place(), policy
	}
	for _, name := range names {
		place, of := where(name)
		same := slices.IndexFunc(byPlace[place], func(b block) bool {
			_, other := where(b[0])
			return of != "" && other == of
		})
		if same < 0 {
			byPlace[place], same = append(byPlace[place], nil), len(byPlace[place])
		}
		byPlace[place][same] = append(byPlace[place][same], name)
	}
	var all [][]block
	for _, place := range slices.Sorted(maps.Keys(byPlace)) {
		all = append(all, byPlace[place])
	}
	return all
}

// countOrders returns how many orders there are, or a number above most.
func countOrders(places [][]block, most int) int {
	count := 1
	times := func(n int) {
		for ; n > 1 && count <= most; n-- {
			count *= n
		}
	}
	for _, blocks := range places {
		times(len(blocks))
		for _, b := range blocks {
			times(len(b))
		}
	}
	return count
}

func allOrders(places [][]block) [][]document.Actor {
	orders := [][]document.Actor{nil}
	for _, blocks := range places {
		var longer [][]document.Actor
		for _, arranged := range permutations(blocks) {
			some := orders
			for _, b := range arranged {
				some = followed(some, permutations([]document.Actor(b)))
			}
			longer = append(longer, some...)
		}
		orders = longer
	}
	return orders
}

// followed returns every one of some orders, followed by every one of others.
func followed(some, others [][]document.Actor) (all [][]document.Actor) {
	for _, one := range some {
		for _, other := range others {
			all = append(all, slices.Concat(one, other))
		}
	}
	return all
}

// permutations returns all orders of a list, the given one first.
func permutations[S ~[]E, E any](list S) (all []S) {
	if len(list) < 2 {
		return []S{list}
	}
	for i, first := range list {
		for _, rest := range permutations(slices.Concat(list[:i], list[i+1:])) {
			all = append(all, append(S{first}, rest...))
		}
	}
	return all
}

func shuffle[E any](all []E, random func(n int) int) {
	for i := len(all) - 1; i > 0; i-- {
		j := random(i + 1)
		all[i], all[j] = all[j], all[i]
	}
}

// place returns which mutators the server calls before which others, whatever their names.
func (m mutator) place() (n int) {
	if m.webhook != nil {
		n += 2
	}
	if !m.static {
		n++
	}
	return n
}

// IfNeeded returns the variant with only its mutators, all of which are called again if the object changes after them.
func (v Variant) IfNeeded() (o Variant) {
	o.mutators = slices.Clone(v.mutators)
	for i, m := range o.mutators {
		if m.webhook != nil {
			webhook, policy := *m.webhook, admissionregistrationv1.IfNeededReinvocationPolicy
			webhook.ReinvocationPolicy = &policy
			o.mutators[i].webhook = &webhook
			continue
		}
		policy := *m.policy
		policy.Spec.ReinvocationPolicy = admissionregistrationv1.IfNeededReinvocationPolicy
		o.mutators[i].policy = &policy
	}
	return o
}

// Unselected returns the variant with only the webhooks named, without selectors and conditions. If they are mutating
// webhooks, it also has all policies, which the server calls before them.
func (v Variant) Unselected(names ...document.Actor) (o Variant) {
	for _, m := range v.mutators {
		if m.webhook != nil && slices.ContainsFunc(names, m.is) {
			webhook := *m.webhook
			webhook.NamespaceSelector, webhook.ObjectSelector, webhook.MatchConditions = &metav1.LabelSelector{}, &metav1.LabelSelector{}, nil
			o.mutators = append(o.mutators, mutator{webhook: &webhook, origin: m.origin})
		}
	}
	if len(o.mutators) > 0 {
		policies := slices.DeleteFunc(slices.Clone(v.mutators), func(m mutator) bool { return m.policy == nil })
		o.mutators = slices.Concat(policies, o.mutators)
	}
	for _, w := range v.validating {
		is := func(by document.Actor) bool {
			return by.Plugin == document.ValidatingWebhooks && by.Configuration == w.configuration && by.Name == w.Name
		}
		if slices.ContainsFunc(names, is) {
			w.NamespaceSelector, w.ObjectSelector, w.MatchConditions = &metav1.LabelSelector{}, &metav1.LabelSelector{}, nil
			o.validating = append(o.validating, w)
		}
	}
	return o
}

// Mutates reports whether the variant has mutating webhooks or policies.
func (v Variant) Mutates() bool { return len(v.mutators) > 0 }
