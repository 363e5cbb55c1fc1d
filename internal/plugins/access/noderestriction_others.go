package access

import (
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// claims checks requests for claims: a kubelet reports the current size of a claim (NR-50).
func (r nodeRequest) claims() (trace.Step, error) {
	switch {
	case r.Subresource != "status":
		return r.forbid("may only update PVC status"), nil
	case r.Operation != admissionv1.Update:
		return r.forbid("unexpected operation %q", r.Operation), nil
	}
	claim, err := plugin.ObjectOf[*corev1.PersistentVolumeClaim](r.Request)
	if err != nil {
		return r.step, err
	}
	old, err := plugin.OldObjectOf[*corev1.PersistentVolumeClaim](r.Request)
	if err != nil {
		return r.step, err
	}
	if r.release.Disabled("ExpandPersistentVolumes") {
		return r.forbid(r.words("node %q is not allowed to update persistentvolumeclaim metadata", "node %q may not update persistentvolumeclaim metadata"), r.node), nil
	}
	claim, old = r.withoutReport(claim), r.withoutReport(old)
	if semantic.DeepEqual(claim, old) {
		return r.fine()
	}
	size := "status.quantity"
	if !r.release.Has(kubeversion.NodeClaimQuantities) {
		size = "status.capacity"
	}
	text := r.words("node %q is not allowed to update fields other than %s and status.conditions: %v", "node %q may not update fields other than %s and status.conditions: %v")
	return r.forbid(text, r.node, size, objects.InternalDiff(r.release, old, claim)), nil
}

// withoutReport returns a copy of the claim without the fields that a kubelet reports, and without a kind, which
// internal objects do not have.
func (r nodeRequest) withoutReport(claim *corev1.PersistentVolumeClaim) *corev1.PersistentVolumeClaim {
	claim = claim.DeepCopy()
	claim.TypeMeta = metav1.TypeMeta{}
	claim.ResourceVersion, claim.ManagedFields = "", nil
	claim.Status.Capacity, claim.Status.Conditions = nil, nil
	if r.release.Enabled("RecoverVolumeExpansionFailure") {
		claim.Status.AllocatedResourceStatuses, claim.Status.AllocatedResources = nil, nil
		rules.SetFormer(claim, nil, "status.resizeStatus")
	}
	return claim
}

// leases checks requests for leases: a kubelet renews its own lease (NR-60).
func (r nodeRequest) leases() (trace.Step, error) {
	if r.release.Disabled("NodeLease") {
		return r.forbid("disabled by feature gate NodeLease"), nil
	}
	if r.Namespace != corev1.NamespaceNodeLease {
		return r.forbid("can only access leases in the %q system namespace", corev1.NamespaceNodeLease), nil
	}
	name, err := r.nameOf()
	if err != nil {
		return r.step, err
	}
	if name != r.node {
		return r.forbid("can only access node lease with the same name as the requesting node"), nil
	}
	return r.fine()
}

// csiNodeNames returns the names of the resource and kind in which a kubelet reports the drivers of its node.
func (r nodeRequest) csiNodeNames() (resource schema.GroupResource, kind string) {
	if !r.release.Has(kubeversion.NodeDriversStored) {
		return schema.GroupResource{Group: "csi.storage.k8s.io", Resource: "csinodeinfos"}, "CSINodeInfo"
	}
	return schema.GroupResource{Group: storagev1.GroupName, Resource: "csinodes"}, "CSINode"
}

// csiNodes checks requests for CSINodes: a kubelet reports the drivers of its own node (NR-61).
func (r nodeRequest) csiNodes() (trace.Step, error) {
	watcher, ok := r.release.Gate("KubeletPluginsWatcher")
	switch {
	case ok && (!watcher || r.release.Disabled("CSINodeInfo")):
		return r.forbid("disabled by feature gates KubeletPluginsWatcher and CSINodeInfo"), nil
	case r.release.Disabled("CSINodeInfo"):
		return r.forbid("disabled by feature gates CSINodeInfo"), nil
	}
	name, err := r.nameOf()
	if err != nil {
		return r.step, err
	}
	if name != r.node {
		_, kind := r.csiNodeNames()
		return r.forbid("can only access %s with the same name as the requesting node", kind), nil
	}
	if r.Subresource == "status" {
		return r.csiNodeStatus()
	}
	return r.fine()
}

// csiNodeStatus checks status updates of CSINodes: a kubelet reports the health of volumes, and may change nothing else
// (NR-65).
func (r nodeRequest) csiNodeStatus() (trace.Step, error) {
	switch {
	case !r.release.Enabled("CSIVolumeHealth"):
		return r.forbid("CSIVolumeHealth feature gate is disabled"), nil
	case r.Operation != admissionv1.Update:
		return r.forbid("unexpected operation %q", r.Operation), nil
	}
	node, err := plugin.ObjectOf[*storagev1.CSINode](r.Request)
	if err != nil {
		return r.step, err
	}
	old, err := plugin.OldObjectOf[*storagev1.CSINode](r.Request)
	if err != nil {
		return r.step, err
	}
	if !semantic.DeepEqual(old.Spec, node.Spec) {
		return r.forbid("node %q is not allowed to modify CSINode spec via status", r.node), nil
	}
	return r.fine()
}

// nameOf returns the name of the object, which for a create request is in its metadata.
func (r nodeRequest) nameOf() (string, error) {
	if r.Operation != admissionv1.Create {
		return r.Name, nil
	}
	m, err := meta.Accessor(r.Object)
	if err != nil {
		return "", err
	}
	return m.GetName(), nil
}

// slices checks requests for resource slices: a kubelet publishes the devices of its own node. Updates are not checked
// (NR-62).
func (r nodeRequest) slices() (trace.Step, error) {
	object, verb := r.Object, "create"
	switch r.Operation {
	case admissionv1.Update:
		return plugin.Skip(r.step, "changes of a slice are not looked at"), nil
	case admissionv1.Delete:
		object, verb = r.OldObject, "delete"
	}
	node, err := r.nodeOfSlice(object)
	switch {
	case err != nil:
		return r.step, err
	case node != r.node:
		return r.forbid("can only %s ResourceSlice with the same NodeName as the requesting node", verb), nil
	}
	return r.fine()
}

// nodeOfSlice returns the node whose devices are in a slice, or "" if they do not belong to a single node.
func (r nodeRequest) nodeOfSlice(object runtime.Object) (string, error) {
	if first, ok := object.(*builtin.ResourceSliceV1alpha2); ok { // 1.30, which converts to no other
		return first.NodeName, nil
	}
	converted, err := r.types.Convert(object, resourcev1.SchemeGroupVersion.WithKind("ResourceSlice"))
	if err != nil {
		return "", err
	}
	slice, ok := converted.(*resourcev1.ResourceSlice)
	if !ok {
		return "", fmt.Errorf("a resource slice is of type %T", converted)
	}
	return ptr.Deref(slice.Spec.NodeName, ""), nil
}

// certificates checks certificate signing requests: a kubelet asks for certificates in its own name (NR-63).
func (r nodeRequest) certificates() (trace.Step, error) {
	if r.Operation != admissionv1.Create || r.Subresource != "" {
		return plugin.Skip(r.step, "no certificate is asked for"), nil
	}
	if r.release.Enabled("AllowInsecureKubeletCertificateSigningRequests") { // in effect on before 1.31
		return plugin.Skip(r.step, "the server does not look at the subject of certificates yet"), nil
	}
	csr, err := plugin.ObjectOf[*certificatesv1.CertificateSigningRequest](r.Request)
	if err != nil {
		return r.step, err
	}
	switch csr.Spec.SignerName {
	case certificatesv1.KubeletServingSignerName, certificatesv1.KubeAPIServerClientKubeletSignerName:
	default:
		return plugin.Skip(r.step, "not a certificate for kubelets"), nil
	}
	asked, err := parseCertificateRequest(csr.Spec.Request)
	if err != nil {
		return r.forbid("unable to parse csr: %v", err), nil
	}
	if name := nodeUserPrefix + r.node; asked.Subject.CommonName != name {
		return r.forbid("can only create a node CSR with CN=%s", name), nil
	}
	return r.fine()
}
