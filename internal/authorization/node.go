package authorization

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/rbac"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const (
	nodeUser  = "system:node:"
	nodeGroup = "system:nodes"
)

var errNodeRules = errors.New("node authorizer does not support user rule resolution")

// An identity tells which node a user is: kubernetes/kubernetes:pkg/auth/nodeidentifier/default.go.
type identity struct {
	isNode bool
	name   string
}

func nodeOf(who user.Info) identity {
	name, ok := strings.CutPrefix(who.GetName(), nodeUser)
	if !ok || !slices.Contains(who.GetGroups(), nodeGroup) {
		return identity{}
	}
	return identity{true, name}
}

// A nodeQuestion is a question from a node. Its rules follow the order of
// kubernetes/kubernetes:plugin/pkg/auth/authorizer/node/node_authorizer.go.
type nodeQuestion struct {
	*Authorizer
	authorizer.Attributes
	node identity
}

func allow() (authorizer.Decision, string)             { return authorizer.DecisionAllow, "" }
func pass(reason string) (authorizer.Decision, string) { return authorizer.DecisionNoOpinion, reason }

func (q nodeQuestion) verbIn(verbs ...string) bool    { return slices.Contains(verbs, q.GetVerb()) }
func (q nodeQuestion) enabled(gate string) bool       { return q.release.Enabled(gate) }
func (q nodeQuestion) isOff(gate string) bool         { return q.release.Disabled(gate) }
func (q nodeQuestion) has(f kubeversion.Feature) bool { return q.release.Has(f) }

// knows reports whether the release has a feature, or a gate that may switch it on.
func (q nodeQuestion) knows(gate string, f kubeversion.Feature) bool {
	_, ok := q.release.Gate(gate)
	return ok || q.has(f)
}

// ifOn returns the answer to a question that has no answer while a gate is off.
func (q nodeQuestion) ifOn(gate string, answer func() (authorizer.Decision, string)) (authorizer.Decision, string) {
	if q.isOff(gate) {
		return pass("disabled by feature gate " + gate)
	}
	return answer()
}

func (q nodeQuestion) of(group, resource string) bool {
	return q.GetAPIGroup() == group && q.GetResource() == resource
}

func (q nodeQuestion) answer() (authorizer.Decision, string) {
	switch {
	case !q.node.isNode:
		return pass("")
	case q.node.name == "":
		return pass(fmt.Sprintf("unknown node for user %q", q.GetUser().GetName()))
	}
	if q.IsResourceRequest() {
		switch {
		case q.of("", "secrets"):
			return q.read(q.secret)
		case q.of("", "configmaps"):
			return q.read(q.configMap)
		case q.of("", "persistentvolumeclaims"):
			if q.GetSubresource() == "status" && !q.isOff("ExpandPersistentVolumes") {
				return q.updateStatus(q.claim)
			}
			return q.get(q.claim)
		case q.of("", "persistentvolumes"):
			return q.get(q.volume)
		case q.of(resourcev1.GroupName, "resourceclaims") && q.has(kubeversion.NodeResourceClaims):
			return q.get(q.resourceClaim)
		case q.of(storagev1.GroupName, "volumeattachments"):
			return q.ifOn("CSIPersistentVolume", func() (authorizer.Decision, string) { return q.get(q.attachment) })
		case q.of("", "serviceaccounts"):
			return q.ifOn("TokenRequest", q.serviceAccounts)
		case q.of(coordinationv1.GroupName, "leases") && q.knows("NodeLease", kubeversion.NodeLeases):
			return q.ifOn("NodeLease", q.leases)
		case q.of(q.csiNodeNames().Group, q.csiNodeNames().Resource) && q.knows("CSINodeInfo", kubeversion.NodeDriversStored):
			return q.csiNodes()
		case q.of(resourcev1.GroupName, "resourceslices") && q.has(kubeversion.NodeResourceSlices):
			return q.slices()
		case q.of("", "nodes") && q.has(kubeversion.NodeSelectors):
			return q.nodes()
		case q.of("", "pods") && q.has(kubeversion.NodeSelectors):
			return q.pods()
		case q.of(certificatesv1.GroupName, "podcertificaterequests") && q.has(kubeversion.NodePodCertificates):
			if q.has(kubeversion.NodeSelectors) && q.enabled("PodCertificateRequest") {
				return q.podCertificates()
			}
			if q.has(kubeversion.NodePodCertificatesByGate) {
				return pass("")
			}
		}
	}
	if rbac.Allow(q.nodeRules(), q) {
		return allow()
	}
	return pass("")
}

// A relation reports whether the object of the question belongs to the node.
type relation func() bool

func (q nodeQuestion) updateStatus(related relation) (authorizer.Decision, string) {
	if !q.verbIn("update", "patch") {
		return pass("can only get/update/patch this type")
	}
	return q.related(related)
}

func (q nodeQuestion) get(related relation) (authorizer.Decision, string) {
	switch {
	case !q.verbIn("get"):
		return pass("can only get individual resources of this type")
	case q.GetSubresource() != "":
		return pass("cannot get subresource")
	}
	return q.related(related)
}

func (q nodeQuestion) read(related relation) (authorizer.Decision, string) {
	switch {
	case !q.verbIn("get", "list", "watch"):
		return pass("can only read resources of this type")
	case q.GetSubresource() != "":
		return pass("cannot read subresource")
	case q.GetNamespace() == "":
		return pass("can only read namespaced object of this type")
	}
	return q.related(related)
}

func (q nodeQuestion) related(related relation) (authorizer.Decision, string) {
	if q.GetName() == "" {
		return pass("No Object name found")
	}
	return q.belongs(related)
}

func (q nodeQuestion) belongs(related relation) (authorizer.Decision, string) {
	if related() {
		return allow()
	}
	if !q.has(kubeversion.NodeRulesUnknown) {
		return pass(fmt.Sprintf("no relationship found between node %q and this object", q.node.name))
	}
	return pass(fmt.Sprintf("no relationship found between node '%s' and this object", q.node.name))
}

func (q nodeQuestion) serviceAccounts() (authorizer.Decision, string) {
	if q.has(kubeversion.NodeServiceAccounts) && q.verbIn("get") && q.GetSubresource() == "" {
		if !q.enabled("KubeletServiceAccountTokenForCredentialProviders") && !q.enabled("PodCertificateRequest") {
			return pass("not allowed to get service accounts")
		}
		return q.read(q.serviceAccount)
	}
	switch {
	case !q.verbIn("create") || q.GetName() == "":
		return pass("can only create tokens for individual service accounts")
	case q.GetSubresource() != "token":
		return pass("can only create token subresource of serviceaccount")
	}
	return q.belongs(q.serviceAccount)
}

func (q nodeQuestion) leases() (authorizer.Decision, string) {
	switch {
	case !q.verbIn("get", "create", "update", "patch", "delete"):
		return pass("can only get, create, update, patch, or delete a node lease")
	case q.GetNamespace() != corev1.NamespaceNodeLease:
		return pass(fmt.Sprintf("can only access leases in the %q system namespace", corev1.NamespaceNodeLease))
	case !q.verbIn("create") && q.GetName() != q.node.name: // NodeRestriction checks creations
		return pass("can only access node lease with the same name as the requesting node")
	}
	return allow()
}

// csiNodeNames returns the resource in which a kubelet reports the drivers of its node.
func (q nodeQuestion) csiNodeNames() schema.GroupResource {
	if !q.has(kubeversion.NodeDriversStored) {
		return schema.GroupResource{Group: "csi.storage.k8s.io", Resource: "csinodeinfos"}
	}
	return schema.GroupResource{Group: storagev1.GroupName, Resource: "csinodes"}
}

func (q nodeQuestion) csiNodes() (authorizer.Decision, string) {
	kind := "CSINode"
	if !q.has(kubeversion.NodeDriversStored) {
		kind = "CSINodeInfo"
	}
	watcher, gated := q.release.Gate("KubeletPluginsWatcher")
	switch {
	case gated && (!watcher || q.isOff("CSINodeInfo")):
		return pass("disabled by feature gates KubeletPluginsWatcher and CSINodeInfo")
	case q.isOff("CSINodeInfo"):
		return pass("disabled by feature gates CSINodeInfo")
	}
	switch sub := q.GetSubresource(); {
	case sub == "status" && q.has(kubeversion.NodeCSIStatus):
		if !q.enabled("CSIVolumeHealth") {
			return pass("CSINode status access requires CSIVolumeHealth feature")
		}
		if !q.verbIn("get", "update", "patch") {
			return pass("can only get, update, or patch CSINode status")
		}
	case !q.has(kubeversion.NodeCSIStatus) && !q.verbIn("get", "create", "update", "patch", "delete"):
		return pass("can only get, create, update, patch, or delete a " + kind)
	case sub != "":
		return pass("cannot authorize " + kind + " subresources")
	case !q.verbIn("get", "create", "update", "patch", "delete"):
		return pass("can only get, create, update, patch, or delete a CSINode")
	}
	if !q.verbIn("create") && q.GetName() != q.node.name {
		return pass("can only access " + kind + " with the same name as the requesting node")
	}
	return allow()
}

func (q nodeQuestion) slices() (authorizer.Decision, string) {
	if q.GetSubresource() != "" {
		return pass("cannot authorize ResourceSlice subresources")
	}
	switch {
	case q.verbIn("create"):
		return allow()
	case q.verbIn("get", "update", "patch", "delete"):
		return q.related(q.slice)
	case q.verbIn("watch", "list") && !q.has(kubeversion.NodeSelectors):
		return allow()
	case !q.has(kubeversion.NodeSlicesDeleted):
		return pass("can only get, create, update, patch, or delete a ResourceSlice")
	case q.verbIn("watch", "list", "deletecollection"):
		if !q.has(kubeversion.NodeSelectors) || q.selects(resourcev1.ResourceSliceSelectorNodeName) {
			return allow()
		}
		return pass("can only list/watch/deletecollection resourceslices with nodeName field selector")
	}
	return pass("only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection")
}

// selects reports whether a list is limited to objects in which a field is the name of the node.
func (q nodeQuestion) selects(field string) bool {
	requirements, _ := q.GetFieldSelector()
	for _, r := range requirements {
		if r.Field == field && r.Operator == selection.Equals && r.Value == q.node.name {
			return true
		}
	}
	return false
}

func (q nodeQuestion) podCertificates() (authorizer.Decision, string) {
	switch {
	case q.GetSubresource() != "":
		return pass("nodes may not access the status subresource of PodCertificateRequests")
	case q.verbIn("create"):
		return allow()
	case q.verbIn("get"):
		return q.related(q.podCertificate)
	case q.verbIn("list", "watch"):
		if q.selects("spec.nodeName") {
			return allow()
		}
		return pass("can only list/watch podcertificaterequests with nodeName field selector")
	}
	return pass(fmt.Sprintf("nodes may not %s podcertificaterequests", q.GetVerb()))
}

func (q nodeQuestion) nodes() (authorizer.Decision, string) {
	switch sub := q.GetSubresource(); {
	case sub == "" && q.verbIn("create", "update", "patch"):
		return allow()
	case sub == "" && q.verbIn("get", "list", "watch"):
		switch q.GetName() {
		case q.node.name:
			return allow()
		case "":
			return pass(fmt.Sprintf("node '%s' cannot read all nodes, only its own Node object", q.node.name))
		}
		return pass(fmt.Sprintf("node '%s' cannot read '%s', only its own Node object", q.node.name, q.GetName()))
	case sub == "status" && q.verbIn("update", "patch"):
		return allow()
	}
	return pass("")
}

func (q nodeQuestion) pods() (authorizer.Decision, string) {
	switch sub := q.GetSubresource(); {
	case sub == "" && q.verbIn("get"):
		return q.get(q.pod)
	case sub == "" && q.verbIn("list", "watch"):
		if q.selects("spec.nodeName") {
			return allow()
		}
		if q.GetName() != "" {
			return q.related(q.pod)
		}
		return pass("can only list/watch pods with spec.nodeName field selector")
	case sub == "" && q.verbIn("create", "delete"),
		sub == "status" && q.verbIn("update", "patch"),
		sub == "eviction" && q.verbIn("create"):
		return allow() // NodeRestriction checks whose pods these are
	}
	return pass("")
}
