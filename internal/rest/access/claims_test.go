package access_test

import (
	"context"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/internal/rest/access"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// allowing allows questions with one of the verbs about drivers.
type allowing []string

func (a allowing) Authorize(_ context.Context, q authorizer.Attributes) (authorizer.Decision, string, error) {
	for _, verb := range a {
		if q.GetVerb() == verb && q.GetSubresource() == "driver" && q.GetName() == "d.example" && q.GetNamespace() == "shop" {
			return authorizer.DecisionAllow, "", nil
		}
	}
	return authorizer.DecisionNoOpinion, "because", nil
}

// A service account on the node of an allocation needs less to write the status of devices (AU-24).
func TestMayChangeClaim(t *testing.T) {
	node := func(names ...string) *corev1.NodeSelector {
		return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
			{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: names}}}}}
	}
	const driver = "system:serviceaccount:kube-system:driver"
	for _, test := range []struct {
		reason, user string
		onNode       string
		allocated    *corev1.NodeSelector
		allowed      allowing
		want         string
	}{
		{reason: "any node", user: "u", allocated: node("n"), allowed: allowing{"arbitrary-node:update"}},
		{reason: "its node", user: driver, onNode: "n", allocated: node("n"), allowed: allowing{"associated-node:update"}},
		{reason: "any node is enough for its node", user: driver, onNode: "n", allocated: node("n"), allowed: allowing{"arbitrary-node:update"}},
		{reason: "nothing for its node", user: driver, onNode: "n", allocated: node("n"), want: "[associated-node:update arbitrary-node:update]"},
		{reason: "another node", user: driver, onNode: "m", allocated: node("n"), allowed: allowing{"associated-node:update"}, want: "[arbitrary-node:update]"},
		{reason: "several nodes", user: driver, onNode: "n", allocated: node("n", "m"), allowed: allowing{"associated-node:update"}, want: "[arbitrary-node:update]"},
		{reason: "no node", user: driver, onNode: "n", allowed: allowing{"associated-node:update"}, want: "[arbitrary-node:update]"},
		{reason: "not a service account", user: "u", onNode: "n", allocated: node("n"), allowed: allowing{"associated-node:update"}, want: "[arbitrary-node:update]"},
	} {
		r, err := kubeversion.Parse("1.37")
		if err != nil {
			t.Fatal(err)
		}
		req := access.Request{
			Verb: "update", Resource: resourcev1.SchemeGroupVersion.WithResource("resourceclaims"), Subresource: "status", Namespace: "shop", Name: "c",
			User:  authenticationv1.UserInfo{Username: test.user, Extra: map[string]authenticationv1.ExtraValue{serviceaccount.NodeNameKey: {test.onNode}}},
			State: cluster.New(), Release: r, Types: kinds.New(nil, objects.Options{Release: r}), Authorizer: test.allowed,
		}
		old := &resourcev1.ResourceClaim{
			TypeMeta: metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceClaim"},
			Status:   resourcev1.ResourceClaimStatus{Allocation: &resourcev1.AllocationResult{NodeSelector: test.allocated}},
		}
		claim := old.DeepCopy()
		claim.Status.Devices = []resourcev1.AllocatedDeviceStatus{{Driver: "d.example"}}
		if test.want != "" {
			verb, _, _ := strings.Cut(strings.Trim(test.want, "[]"), " ")
			test.want = `status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="` + test.want +
				`" permission: resourceclaims.resource.k8s.io "d.example" is forbidden: User "` + test.user + `" cannot ` + verb +
				` resource "resourceclaims/driver" in API group "resource.k8s.io" in the namespace "shop": because`
		}
		got := ""
		if errs := req.MayChangeClaim(t.Context(), claim, old); len(errs) > 0 {
			got = errs.ToAggregate().Error()
		}
		if got != test.want {
			t.Errorf("%s: MayChangeClaim() = %q, want %q", test.reason, got, test.want)
		}
	}
}
