package access

import (
	"context"
	"fmt"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// NodeRestriction limits kubelets to their own node and the pods on it (NR-01 to NR-64). Each file noderestriction_*.go
// holds the rules for the resources in its name.
type NodeRestriction struct {
	release    *kubeversion.Release
	types      *objects.Types
	authorizer authorizer.UnconditionalAuthorizer
}

func NewNodeRestriction(r *kubeversion.Release, types *objects.Types, by authorizer.UnconditionalAuthorizer) NodeRestriction {
	return NodeRestriction{r, types, by}
}

const nodeUserPrefix = "system:node:"

// A nodeRequest is a request from a kubelet.
type nodeRequest struct {
	admission.Request
	NodeRestriction
	node    string
	cluster *cluster.State
	step    trace.Step
}

func (p NodeRestriction) Mutate(ctx context.Context, s *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	if !isNode(req.User) {
		return plugin.Skip(step, "the user is no node"), nil // NR-01
	}
	r := nodeRequest{req, p, strings.TrimPrefix(req.User.Username, nodeUserPrefix), s, step}
	if r.node == "" {
		return r.forbid("could not determine node from user %q", req.User.Username), nil
	}
	csiNodes, _ := r.csiNodeNames()
	switch req.Resource.GroupResource() { // NR-03
	case schema.GroupResource{Resource: "pods"}:
		return r.pods()
	case schema.GroupResource{Resource: "nodes"}:
		return r.nodes()
	case schema.GroupResource{Resource: "persistentvolumeclaims"}:
		return r.claims()
	case schema.GroupResource{Resource: "serviceaccounts"}:
		return r.tokens(ctx)
	case schema.GroupResource{Group: coordinationv1.GroupName, Resource: "leases"}:
		return r.leases()
	case csiNodes:
		return r.csiNodes()
	case schema.GroupResource{Group: resourcev1.GroupName, Resource: "resourceslices"}:
		return r.slices()
	case schema.GroupResource{Group: certificatesv1.GroupName, Resource: "certificatesigningrequests"}:
		return r.certificates()
	case schema.GroupResource{Group: certificatesv1.GroupName, Resource: "podcertificaterequests"}:
		return r.podCertificates(ctx)
	}
	return plugin.Skip(step, "nothing that nodes are kept from"), nil
}

func isNode(u authenticationv1.UserInfo) bool {
	return strings.HasPrefix(u.Username, nodeUserPrefix) && slices.Contains(u.Groups, user.NodesGroup)
}

// forbid returns the usual refusal.
func (r nodeRequest) forbid(format string, args ...any) trace.Step {
	return plugin.Forbid(r.step, r.Request, fmt.Sprintf(format, args...))
}

// fail refuses with an error as it is: that of a lookup, or an error without a status (ER-04).
func (r nodeRequest) fail(err error) trace.Step {
	return plugin.Deny(r.step, err.Error(), admission.StatusOf(err))
}

func (r nodeRequest) fine() (trace.Step, error) {
	return plugin.Allow(r.step, fmt.Sprintf("node %q may do that", r.node)), nil
}
