package access

import (
	"context"
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// podCertificates checks requests for pod certificates: a kubelet asks for the certificates of the pods on its node.
// The first check that fails decides. The server reports some failures as errors, not as refusals (NR-64).
func (r nodeRequest) podCertificates(ctx context.Context) (trace.Step, error) {
	switch {
	case !r.release.Enabled("PodCertificateRequest"):
		return r.forbid("PodCertificateRequest feature gate is disabled"), nil
	case r.Operation != admissionv1.Create:
		return r.forbid("unexpected operation %v", r.Operation), nil
	case r.Subresource != "":
		return r.forbid("unexpected subresource %v", r.Subresource), nil
	}
	asked, err := r.certificateAsked()
	if err != nil {
		return r.step, err
	}
	if string(asked.NodeName) != r.node {
		return r.forbid("PodCertificateRequest.Spec.NodeName=%q, which is not the requesting node %q", asked.NodeName, r.node), nil
	}
	if found, err := r.checkCertificateNode(asked); err != nil {
		return r.failAt(found, "Node", "", string(asked.NodeName), err), nil
	}
	podName := r.Namespace + "/" + asked.PodName
	found, pod := r.findPod(asked.PodName)
	r.step = plugin.DecidedBy(r.step, found)
	switch {
	case pod == nil:
		err := apierrors.NewNotFound(schema.GroupResource{Resource: "pod"}, asked.PodName)
		step := r.fail(fmt.Errorf("while retrieving pod %q named in the PodCertificateRequest: %s", podName, err))
		return plugin.Lacking(step, "Pod", r.Namespace, asked.PodName), nil
	case asked.PodUID != pod.UID:
		return r.fail(fmt.Errorf("PodCertificateRequest for pod %q contains pod UID (%q) which differs from running pod %q", podName, asked.PodUID, pod.UID)), nil
	case pod.Spec.NodeName != string(asked.NodeName):
		return r.forbid("pod %q is not running on node %q named in the PodCertificateRequest", podName, asked.NodeName), nil
	case plugin.IsMirror(pod):
		return r.forbid("pod %q is a mirror pod", podName), nil
	case asked.ServiceAccountName != pod.Spec.ServiceAccountName:
		return r.forbid("PodCertificateRequest for pod %q contains serviceAccountName (%q) that differs from running pod (%q)", podName, asked.ServiceAccountName, pod.Spec.ServiceAccountName), nil
	}
	if found, err := r.checkCertificateAccount(podName, asked); err != nil {
		return r.failAt(found, "ServiceAccount", r.Namespace, asked.ServiceAccountName, err), nil
	}
	if r.release.Has(kubeversion.CertificateSigners) && !namesSigner(pod, asked.SignerName) {
		return r.mayUseSigner(ctx, podName, asked), nil
	}
	return r.fine()
}

// namesSigner reports whether the pod has a volume for certificates of a signer.
func namesSigner(pod *corev1.Pod, signer string) bool {
	for _, v := range pod.Spec.Volumes {
		if v.Projected == nil {
			continue
		}
		for _, s := range v.Projected.Sources {
			if s.PodCertificate != nil && s.PodCertificate.SignerName == signer {
				return true
			}
		}
	}
	return false
}

// mayUseSigner checks whether the node may have certificates of a signer that no volume names. Slashes are replaced,
// since RBAC does not allow them in the name of a resource.
func (r nodeRequest) mayUseSigner(ctx context.Context, podName string, asked certificatesv1beta1.PodCertificateRequestSpec) trace.Step {
	q := plugin.Question(r.Request, "request-serviceaccounts-podcertificate-signer")
	q.APIGroup, q.APIVersion = r.Request.Resource.Group, r.Request.Resource.Version
	q.Resource, q.Namespace, q.Name = strings.ReplaceAll(asked.SignerName, "/", ":"), r.Namespace, asked.ServiceAccountName
	decision, _, err := r.authorizer.Authorize(ctx, q)
	switch {
	case decision == authorizer.DecisionAllow:
		return plugin.Allow(r.step, fmt.Sprintf("the node may ask for certificates of %q", asked.SignerName))
	case err != nil:
		return r.forbid("error authorizing %s to request podcertificaterequests for signer %q: %v", r.User.Username, asked.SignerName, err)
	}
	step := r.forbid("pod %q does not mount a podCertificate projected volume for signer %q", podName, asked.SignerName)
	step.Hint = fmt.Sprintf("give the pod a volume with a certificate of %q, or bind a role with the verb request-serviceaccounts-podcertificate-signer on it", asked.SignerName)
	return step
}

// certificateAsked returns what the request asks for. All versions of the kind have the fields that are checked, under
// the same names.
func (r nodeRequest) certificateAsked() (certificatesv1beta1.PodCertificateRequestSpec, error) {
	if first, ok := r.Object.(*builtin.PodCertificateRequest); ok {
		return certificatesv1beta1.PodCertificateRequestSpec{
			SignerName: first.Spec.SignerName, PodName: first.Spec.PodName, PodUID: first.Spec.PodUID,
			ServiceAccountName: first.Spec.ServiceAccountName, ServiceAccountUID: first.Spec.ServiceAccountUID,
			NodeName: first.Spec.NodeName, NodeUID: first.Spec.NodeUID,
		}, nil
	}
	if latest, ok := r.Object.(*certificatesv1.PodCertificateRequest); ok {
		return certificatesv1beta1.PodCertificateRequestSpec{
			SignerName: latest.Spec.SignerName, PodName: latest.Spec.PodName, PodUID: latest.Spec.PodUID,
			ServiceAccountName: latest.Spec.ServiceAccountName, ServiceAccountUID: latest.Spec.ServiceAccountUID,
			NodeName: latest.Spec.NodeName, NodeUID: latest.Spec.NodeUID,
		}, nil
	}
	request, err := plugin.ObjectOf[*certificatesv1beta1.PodCertificateRequest](r.Request)
	if err != nil {
		return certificatesv1beta1.PodCertificateRequestSpec{}, err
	}
	return request.Spec, nil
}

// failAt fails because of an object, or because it is missing.
func (r nodeRequest) failAt(found cluster.Object, kind, namespace, name string, err error) trace.Step {
	if found.Object == nil {
		return plugin.Lacking(r.fail(err), kind, namespace, name)
	}
	return plugin.DecidedBy(r.fail(err), found)
}

func (r nodeRequest) checkCertificateNode(asked certificatesv1beta1.PodCertificateRequestSpec) (cluster.Object, error) {
	found, _ := r.cluster.Find(cluster.Key{GroupKind: plugin.NodeKind, Name: string(asked.NodeName)})
	node, ok := found.Object.(*corev1.Node)
	if !ok {
		err := apierrors.NewNotFound(schema.GroupResource{Resource: "node"}, string(asked.NodeName))
		return found, fmt.Errorf("while retrieving node %q named in the PodCertificateRequest: %s", asked.NodeName, err)
	}
	if asked.NodeUID != node.UID {
		return found, fmt.Errorf("PodCertificateRequest for pod %q names node UID %q, inconsistent with the running node (%q)",
			r.Namespace+"/"+asked.PodName, asked.NodeUID, node.UID)
	}
	return found, nil
}

func (r nodeRequest) checkCertificateAccount(podName string, asked certificatesv1beta1.PodCertificateRequestSpec) (cluster.Object, error) {
	found, _ := r.cluster.Find(cluster.Key{GroupKind: plugin.ServiceAccountKind, Namespace: r.Namespace, Name: asked.ServiceAccountName})
	account, ok := found.Object.(*corev1.ServiceAccount)
	if !ok {
		err := apierrors.NewNotFound(schema.GroupResource{Resource: "serviceaccount"}, asked.ServiceAccountName)
		return found, fmt.Errorf("while retrieving service account %q named in the PodCertificateRequest: %s", r.Namespace+"/"+asked.ServiceAccountName, err)
	}
	if asked.ServiceAccountUID != account.UID {
		return found, fmt.Errorf("PodCertificateRequest for pod %q names service account UID %q, which differs from the running service account (%q)",
			podName, asked.ServiceAccountUID, account.UID)
	}
	return found, nil
}
