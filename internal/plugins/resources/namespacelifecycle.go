package resources

import (
	"context"
	"fmt"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// NamespaceLifecycle refuses new objects in namespaces that do not exist or are being deleted, and the deletion of
// namespaces that a cluster needs (W-007, NL-01 to NL-10).
type NamespaceLifecycle struct {
	release *kubeversion.Release
	now     func() time.Time
}

func NewNamespaceLifecycle(r *kubeversion.Release, now func() time.Time) NamespaceLifecycle {
	return NamespaceLifecycle{r, now}
}

func (p NamespaceLifecycle) Mutate(_ context.Context, s *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	if req.Kind.Group == "" && req.Kind.Kind == "Namespace" {
		return p.immortal(s, req, step), nil
	}
	switch {
	case req.Namespace == "":
		return plugin.Skip(step, "the object is cluster-scoped"), nil // NL-02
	case req.Operation == admissionv1.Delete:
		return plugin.Skip(step, "deleting is always possible"), nil // NL-04
	case req.Operation == admissionv1.Update && p.release.Has(kubeversion.UpdatesOutliveNamespaces):
		return plugin.Skip(step, "updating is always possible"), nil
	case isLocalReview(req.Resource):
		return plugin.Skip(step, "access reviews need no namespace"), nil // NL-05
	}

	found, _ := s.Live().Find(cluster.Key{GroupKind: plugin.NamespaceKind, Name: req.Namespace})
	ns, ok := found.Object.(*corev1.Namespace)
	if !ok {
		return plugin.DenyWithoutNamespace(step, req), nil
	}
	if ns.Status.Phase == corev1.NamespaceActive && deletedLately(s).Has(req.Namespace, p.now().Add(req.Elapsed)) {
		step.LookUp(req.Elapsed, plugin.Namespaces, "", req.Namespace, true)
	}
	if req.Operation != admissionv1.Create || ns.Status.Phase != corev1.NamespaceTerminating { // NL-07 to NL-09
		step.Because = fmt.Sprintf("namespace %q exists", req.Namespace)
		return step, nil
	}
	status := admission.Forbidden(req, fmt.Sprintf("unable to create new content in namespace %s because it is being terminated", req.Namespace))
	if p.release.Has(kubeversion.TerminatingCauses) {
		status.Details.Causes = append(status.Details.Causes, metav1.StatusCause{
			Type:    corev1.NamespaceTerminatingCause,
			Message: fmt.Sprintf("namespace %s is being terminated", req.Namespace),
			Field:   "metadata.namespace",
		})
	}
	return plugin.Deny(plugin.DecidedBy(step, found), "the namespace is terminating", status), nil
}

// immortal handles requests for namespaces themselves (NL-01, NL-03). It remembers which ones are deleted:
// for a while, the server does not trust its caches that such a namespace exists.
func (p NamespaceLifecycle) immortal(s *cluster.State, req admission.Request, step trace.Step) trace.Step {
	if req.Operation != admissionv1.Delete {
		return plugin.Skip(step, "the object is a namespace")
	}
	switch req.Name {
	case metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic:
		return plugin.Deny(step, "the cluster needs this namespace", admission.Forbidden(req, "this namespace may not be deleted"))
	}
	step.Remember(deletedLately(s).With(req.Name, p.now().Add(req.Elapsed)))
	step.Because = "not one of the namespaces that a cluster needs"
	return step
}

func deletedLately(s *cluster.State) plugin.Lately {
	known, _ := s.Memory("NamespaceLifecycle").(plugin.Lately)
	return known
}

func isLocalReview(r schema.GroupVersionResource) bool {
	return r.Group == authorizationv1.GroupName && r.Resource == "localsubjectaccessreviews"
}
