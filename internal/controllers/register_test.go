package controllers_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
)

var apiService = schema.GroupKind{Group: "apiregistration.k8s.io", Kind: "APIService"}

// Each served version of custom resources has an APIService, which a client can neither delete nor change, as on a
// kube-apiserver 1.30.14. It goes with the definition, unless it is a client's.
func TestRegistration(t *testing.T) {
	l := start(t)
	const crds, services = "apiextensions.k8s.io/v1 -/customresourcedefinitions", "apiregistration.k8s.io/v1 -/apiservices"
	find := func(s *cluster.State, name string) *builtin.APIService {
		found, _ := cluster.Get[*builtin.APIService](s, apiService, "", name)
		return found
	}
	registered := func(name string) func(*cluster.State) bool {
		return func(s *cluster.State) bool {
			found := find(s, name)
			return found != nil && found.Labels[bootstrap.AutoManaged] == "true" && found.Spec.GroupPriorityMinimum == 1000 &&
				found.Spec.VersionPriority == 100 && len(found.Status.Conditions) == 1 && found.Status.Conditions[0].Reason == "Local"
		}
	}
	l.do(rest.Create, crds, `{"metadata":{"name":"things.shop.example"},"spec":{"group":"shop.example","scope":"Cluster","names":{"plural":"things","kind":"Thing"},"versions":[
		{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}},
		{"name":"v2","served":false,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`)
	l.soon("v1 is registered", registered("v1.shop.example"))
	first := find(l.Latest().State(), "v1.shop.example")
	if len(first.ManagedFields) != 1 || first.ManagedFields[0].Manager != "kube-apiserver" {
		t.Errorf("its fields are owned by %v, want the server alone", first.ManagedFields)
	}
	if find(l.Latest().State(), "v2.shop.example") != nil {
		t.Error("v2 is registered, although it is not served")
	}
	l.do(rest.Delete, services+"/v1.shop.example", "")
	l.soon("it is registered again", func(s *cluster.State) bool {
		return registered("v1.shop.example")(s) && find(s, "v1.shop.example").UID != first.UID
	})
	l.do(rest.Patch, services+"/v1.shop.example", `{"spec":{"versionPriority":50}}`)
	l.soon("its priority is that of custom resources again", registered("v1.shop.example"))
	l.do(rest.Patch, crds+"/things.shop.example", `{"spec":{"versions":[
		{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}},
		{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`)
	l.soon("v2 is served and registered", registered("v2.shop.example"))
	l.do(rest.Patch, services+"/v2.shop.example", `{"metadata":{"labels":null}}`)
	l.do(rest.Delete, crds+"/things.shop.example", "")
	l.soon("v1 is not registered any more", no(registered("v1.shop.example")))
	if find(l.Latest().State(), "v2.shop.example") == nil {
		t.Error("the APIService of a client is gone")
	}
}
