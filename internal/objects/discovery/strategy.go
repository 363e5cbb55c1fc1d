// kubernetes/kubernetes:pkg/registry/discovery/endpointslice/strategy.go
// kubernetes/kubernetes:pkg/apis/discovery/v1/defaults.go

package discovery

import (
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var endpointSlice = rules.Of[*discoveryv1.EndpointSlice]{
	Name: rules.DNSSubdomain,
	Defaults: func(s *discoveryv1.EndpointSlice) {
		for i := range s.Ports {
			rules.SetDefault(&s.Ports[i].Name, "")
			rules.SetDefault(&s.Ports[i].Protocol, corev1.ProtocolTCP)
		}
	},
	PrepareForCreate: func(s *discoveryv1.EndpointSlice, r rules.Request) {
		s.Generation = 1
		dropTopology(s, nil, r)
	},
	// The generation also counts dropped fields and labels.
	PrepareForUpdate: func(s, old *discoveryv1.EndpointSlice, r rules.Request) {
		counted := func(s *discoveryv1.EndpointSlice) any { return []any{s.Labels, s.AddressType, s.Endpoints, s.Ports} }
		if !semantic.DeepEqual(counted(s), counted(old)) {
			s.Generation = old.Generation + 1
		}
		dropTopology(s, old, r)
	},

	Validate:       validateSlice,
	ValidateUpdate: validateSliceUpdate,
	OnUpdate:       rules.CheckNothing,
	Warnings:       sliceWarnings,
	WarnsSince:     kubeversion.MoreKindWarnings,
}

// dropTopology drops the topology of endpoints, which only v1beta1 has, unless the endpoints do not change. The name of
// a node in it is kept if it was there before.
func dropTopology(s, old *discoveryv1.EndpointSlice, r rules.Request) {
	if r.IsBeta() || old != nil && semantic.DeepEqual(old.Endpoints, s.Endpoints) {
		return
	}
	known := map[string]bool{}
	if old != nil {
		for _, e := range old.Endpoints {
			known[e.DeprecatedTopology[corev1.LabelHostname]] = true
		}
	}
	for i := range s.Endpoints {
		e := &s.Endpoints[i]
		if name := e.DeprecatedTopology[corev1.LabelHostname]; e.NodeName == nil && known[name] && len(rules.DNSSubdomain(name, false)) == 0 {
			e.NodeName = &name
		}
		e.DeprecatedTopology = nil
	}
}
