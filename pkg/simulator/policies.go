package simulator

import (
	"iter"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/plugins/hooks"
)

// A Policy is an admission policy with the bindings that name it.
type Policy struct {
	cluster.Key
	cluster.Object
	Bindings []Binding
}

// A Binding applies a policy.
type Binding struct {
	cluster.Key
	cluster.Object
	Policy cluster.Key
}

// Policies returns the policies of static manifests and of the cluster, and the bindings whose policy does not exist.
// All are converted to v1, even if the release stores another version.
func (s *Simulator) Policies() (all []Policy, lost []Binding) {
	all = s.staticPolicies()
	for _, name := range []string{"ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"} {
		kind := schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: name}
		bound := map[cluster.Key][]Binding{}
		for o := range s.inV1(schema.GroupKind{Group: kind.Group, Kind: kind.Kind + "Binding"}) {
			b := Binding{cluster.KeyOf(o.Object), o, cluster.Key{GroupKind: kind, Name: hooks.PolicyName(o)}}
			if _, exists := s.state.Find(b.Policy); !exists {
				lost = append(lost, b)
			}
			bound[b.Policy] = append(bound[b.Policy], b)
		}
		for o := range s.inV1(kind) {
			key := cluster.KeyOf(o.Object)
			all = append(all, Policy{key, o, bound[key]})
		}
	}
	return all, lost
}

func (s *Simulator) staticPolicies() (all []Policy) {
	bound := map[cluster.Key][]Binding{}
	for _, o := range s.parts.release.static {
		key := cluster.KeyOf(o.Object)
		if name := hooks.PolicyName(o); name != "" {
			policy := cluster.Key{GroupKind: schema.GroupKind{Group: key.Group, Kind: strings.TrimSuffix(key.Kind, "Binding")}, Name: name}
			bound[policy] = append(bound[policy], Binding{key, o, policy})
		}
	}
	for _, o := range s.parts.release.static {
		if key := cluster.KeyOf(o.Object); strings.HasSuffix(key.Kind, "Policy") {
			all = append(all, Policy{key, o, bound[key]})
		}
	}
	return all
}

// inV1 returns the objects of a kind, converted to v1. Objects that the release does not know as that kind are skipped;
// the server does not evaluate them either.
func (s *Simulator) inV1(kind schema.GroupKind) iter.Seq[cluster.Object] {
	return func(yield func(cluster.Object) bool) {
		for o := range s.state.List(kind, "") {
			converted, err := s.parts.view.Types().Convert(o.Object, kind.WithVersion("v1"))
			if err == nil && !yield(o.Replaced(converted)) {
				return
			}
		}
	}
}
