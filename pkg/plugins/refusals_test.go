package plugins

import (
	"context"
	"errors"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// unsure is an authorizer that cannot answer; that of roles always can.
type unsure struct{}

func (unsure) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionNoOpinion, "", errors.New("no connection")
}

// TestUnsureAuthorizer checks the messages of plugins when the authorizer fails.
func TestUnsureAuthorizer(t *testing.T) {
	w := newWorld(t, "AlwaysAdmit", txtar.Parse([]byte(`
-- cluster.yaml --
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, uid: u1}
spec: {nodeName: n1, serviceAccountName: default, containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: default, namespace: shop, uid: u2}
---
apiVersion: v1
kind: Node
metadata: {name: n1, uid: u3}
`)))
	tests := []struct {
		plugin, line, body, want string
		code                     int32
		release                  string
	}{
		{"Initializers", "create configmaps shop/map", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map, annotations: {former.admsim.dev/metadata.initializers: '{\"pending\":[{\"name\":\"a.b.c\"}]}'}}",
			"it is not known whether the user may initialize it: no connection", 500, ""},
		{"NodeRestriction", "create serviceaccounts/token shop/default as system:node:n1,system:nodes",
			"apiVersion: authentication.k8s.io/v1\nkind: TokenRequest\nspec: {audiences: [a], boundObjectRef: {apiVersion: v1, kind: Pod, name: web, uid: u1}}",
			`error authorizing system:node:n1 to request tokens for audience "a": no connection`, 403, ""},
		{"NodeRestriction", "create serviceaccounts/token shop/default as system:node:n1,system:nodes",
			"apiVersion: authentication.k8s.io/v1\nkind: TokenRequest\nspec: {audiences: [a], boundObjectRef: {apiVersion: v1, kind: Pod, name: web, uid: u1}}",
			`audience "a" not found in pod spec volume, error authorizing system:node:n1 to request tokens for this audience: no connection`, 403, "1.36"},
		{"NodeRestriction", "create podcertificaterequests shop/c as system:node:n1,system:nodes",
			"apiVersion: certificates.k8s.io/v1\nkind: PodCertificateRequest\nspec: {signerName: a/b, podName: web, podUID: u1, serviceAccountName: default, serviceAccountUID: u2, nodeName: n1, nodeUID: u3}",
			`error authorizing system:node:n1 to request podcertificaterequests for signer "a/b": no connection`, 403, ""},
	}
	for _, test := range tests {
		o := w.options(t, nil)
		o.Authorizer = unsure{}
		if test.release != "" {
			release, err := kubeversion.Parse(test.release)
			if err != nil {
				t.Fatal(err)
			}
			o.Release = release
		}
		p, _, err := build(test.plugin, o)
		if err != nil {
			t.Fatal(err)
		}
		step, err := p.Mutator.Mutate(context.Background(), w.State, w.request(t, test.line, []byte(test.body)), nil)
		if err != nil || step.Denial == nil {
			t.Fatalf("%s: %+v, %v", test.plugin, step, err)
		}
		said := step.Because
		if step.Denial.Code == 500 {
			said += ": " + step.Denial.Message
		}
		if said != test.want || step.Denial.Code != test.code {
			t.Errorf("%s: %d %s, want %d %s", test.plugin, step.Denial.Code, said, test.code, test.want)
		}
	}
}
