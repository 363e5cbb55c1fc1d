package access

import (
	"context"
	"fmt"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/pkg/cluster"
)

// A policy reads its params with the rights of the server. So that nobody can use one to read objects that they may not
// read themselves, the author of a policy must be allowed to read all objects of its paramKind, and the author of a
// binding those of its paramRef. This is checked only once the object is valid:
// kubernetes/kubernetes:pkg/registry/admissionregistration/*/authz.go.

var (
	validatingPolicy        = schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "ValidatingAdmissionPolicy"}
	validatingPolicyBinding = schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "ValidatingAdmissionPolicyBinding"}
	mutatingPolicy          = schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "MutatingAdmissionPolicy"}
	mutatingPolicyBinding   = schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "MutatingAdmissionPolicyBinding"}
)

// MayReadParams returns the error for a policy or binding whose params its author may not read. old is nil on create.
func (r Request) MayReadParams(ctx context.Context, object, old runtime.Object) field.ErrorList {
	kind := object.GetObjectKind().GroupVersionKind().GroupKind()
	if kind.Group != admissionregistrationv1.GroupName || slices.Contains(r.User.Groups, user.SystemPrivilegedGroup) {
		return nil
	}
	path, refused := field.NewPath("spec"), ""
	switch kind {
	case validatingPolicy, mutatingPolicy:
		path = path.Child("paramKind")
		wanted, had := r.paramKind(object, kind), r.paramKind(old, kind)
		if wanted != nil && (had == nil || *wanted != *had) {
			refused = r.refusedParamKind(ctx, wanted)
		}
	case validatingPolicyBinding:
		path = path.Child("paramRef")
		if b, ok := r.Types.InV1(object, kind).(*admissionregistrationv1.ValidatingAdmissionPolicyBinding); ok && b.Spec.ParamRef != nil {
			if !r.mayRead(ctx, "get", r.paramKindOf(validatingPolicy, b.Spec.PolicyName), b.Spec.ParamRef.Namespace, b.Spec.ParamRef.Name) {
				refused = fmt.Sprintf(`user %v does not have "get" permission on the object referenced by paramRef`, r.Who())
			}
		}
	case mutatingPolicyBinding:
		path = path.Child("paramRef")
		if b, ok := r.Types.InV1(object, kind).(*admissionregistrationv1.MutatingAdmissionPolicyBinding); ok && b.Spec.ParamRef != nil {
			verb := "get"
			if b.Spec.ParamRef.Name == "" {
				verb = "list"
			}
			if !r.mayRead(ctx, verb, r.paramKindOf(mutatingPolicy, b.Spec.PolicyName), b.Spec.ParamRef.Namespace, b.Spec.ParamRef.Name) {
				// The server swaps the two arguments.
				refused = fmt.Sprintf(`user %v does not have "%v" permission on the object referenced by paramRef`, verb, r.Who())
			}
		}
	}
	if refused == "" {
		return nil
	}
	return field.ErrorList{field.Forbidden(path, refused)}
}

func (r Request) refusedParamKind(ctx context.Context, k *admissionregistrationv1.ParamKind) string {
	if r.mayRead(ctx, "get", k, "*", "*") {
		return ""
	}
	return fmt.Sprintf(`user %v must have "get" permission on all objects of the referenced paramKind (kind=%s, apiVersion=%s)`,
		r.Who(), k.Kind, k.APIVersion)
}

// mayRead checks whether the author may read objects of a kind, or of any kind if it is unknown.
func (r Request) mayRead(ctx context.Context, verb string, k *admissionregistrationv1.ParamKind, namespace, name string) bool {
	question := authorizer.AttributesRecord{
		User: r.Who(), Verb: verb, Namespace: namespace, Name: name,
		APIGroup: "*", APIVersion: "*", Resource: "*", ResourceRequest: true,
	}
	if k != nil {
		if gv, err := schema.ParseGroupVersion(k.APIVersion); err == nil {
			question.APIGroup, question.APIVersion = gv.Group, gv.Version
			if r, ok := r.Resources.ForKind(gv.WithKind(k.Kind)); ok && r.Served {
				question.Resource = r.GroupVersionResource.Resource
			}
		}
	}
	decision, _, err := r.authorizerOf(question.User).Authorize(ctx, question)
	return err == nil && decision == authorizer.DecisionAllow
}

// paramKind returns the paramKind of a policy, or nil if it has none.
func (r Request) paramKind(policy runtime.Object, kind schema.GroupKind) *admissionregistrationv1.ParamKind {
	switch p := r.Types.InV1(policy, kind).(type) {
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		return p.Spec.ParamKind
	case *admissionregistrationv1.MutatingAdmissionPolicy:
		return p.Spec.ParamKind
	}
	return nil
}

// paramKindOf returns the paramKind of a policy in the cluster.
func (r Request) paramKindOf(kind schema.GroupKind, name string) *admissionregistrationv1.ParamKind {
	stored, ok := r.State.Find(cluster.Key{GroupKind: kind, Name: name})
	if !ok {
		return nil
	}
	return r.paramKind(stored.Object, kind)
}
