package rest

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

// A policy reads its params as the server. So that nobody can have it tell what is in objects
// that they may not read themselves, who writes a policy must be allowed to read all objects
// of its paramKind, and who writes a binding those of its paramRef. That is asked only once
// the object is valid: kubernetes/kubernetes:pkg/registry/admissionregistration/*/authz.go.

var (
	validatingPolicy        = schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "ValidatingAdmissionPolicy"}
	validatingPolicyBinding = schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "ValidatingAdmissionPolicyBinding"}
	mutatingPolicy          = schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "MutatingAdmissionPolicy"}
	mutatingPolicyBinding   = schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "MutatingAdmissionPolicyBinding"}
)

// mayReadParams is the error for a policy or binding whose params its writer may not read.
// old is nil on create.
func (x *exchange) mayReadParams(ctx context.Context, object, old runtime.Object) field.ErrorList {
	kind := object.GetObjectKind().GroupVersionKind().GroupKind()
	if kind.Group != admissionregistrationv1.GroupName || slices.Contains(x.req.User.Groups, user.SystemPrivilegedGroup) {
		return nil
	}
	path, refused := field.NewPath("spec"), ""
	switch kind {
	case validatingPolicy, mutatingPolicy:
		path = path.Child("paramKind")
		wanted, had := x.paramKind(object, kind), x.paramKind(old, kind)
		if wanted != nil && (had == nil || *wanted != *had) {
			refused = x.refusedParamKind(ctx, wanted)
		}
	case validatingPolicyBinding:
		path = path.Child("paramRef")
		if b, ok := x.inV1(object, kind).(*admissionregistrationv1.ValidatingAdmissionPolicyBinding); ok && b.Spec.ParamRef != nil {
			if !x.mayRead(ctx, "get", x.paramKindOf(validatingPolicy, b.Spec.PolicyName), b.Spec.ParamRef.Namespace, b.Spec.ParamRef.Name) {
				refused = fmt.Sprintf(`user %v does not have "get" permission on the object referenced by paramRef`, x.whoAsks())
			}
		}
	case mutatingPolicyBinding:
		path = path.Child("paramRef")
		if b, ok := x.inV1(object, kind).(*admissionregistrationv1.MutatingAdmissionPolicyBinding); ok && b.Spec.ParamRef != nil {
			verb := "get"
			if b.Spec.ParamRef.Name == "" {
				verb = "list"
			}
			if !x.mayRead(ctx, verb, x.paramKindOf(mutatingPolicy, b.Spec.PolicyName), b.Spec.ParamRef.Namespace, b.Spec.ParamRef.Name) {
				// The server mixes up the two.
				refused = fmt.Sprintf(`user %v does not have "%v" permission on the object referenced by paramRef`, verb, x.whoAsks())
			}
		}
	}
	if refused == "" {
		return nil
	}
	return field.ErrorList{field.Forbidden(path, refused)}
}

func (x *exchange) refusedParamKind(ctx context.Context, k *admissionregistrationv1.ParamKind) string {
	if x.mayRead(ctx, "get", k, "*", "*") {
		return ""
	}
	return fmt.Sprintf(`user %v must have "get" permission on all objects of the referenced paramKind (kind=%s, apiVersion=%s)`,
		x.whoAsks(), k.Kind, k.APIVersion)
}

// mayRead asks whether the writer may read objects of a kind, or of any where it is not known.
func (x *exchange) mayRead(ctx context.Context, verb string, k *admissionregistrationv1.ParamKind, namespace, name string) bool {
	question := authorizer.AttributesRecord{
		User: x.whoAsks(), Verb: verb, Namespace: namespace, Name: name,
		APIGroup: "*", APIVersion: "*", Resource: "*", ResourceRequest: true,
	}
	if k != nil {
		if gv, err := schema.ParseGroupVersion(k.APIVersion); err == nil {
			question.APIGroup, question.APIVersion = gv.Group, gv.Version
			if r, ok := x.server.Resources.ForKind(gv.WithKind(k.Kind)); ok && r.Served {
				question.Resource = r.GroupVersionResource.Resource
			}
		}
	}
	decision, _, err := x.authorizerOf(question.User).Authorize(ctx, question)
	return err == nil && decision == authorizer.DecisionAllow
}

// paramKind is that of a policy, nil if there is none.
func (x *exchange) paramKind(policy runtime.Object, kind schema.GroupKind) *admissionregistrationv1.ParamKind {
	switch p := x.inV1(policy, kind).(type) {
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		return p.Spec.ParamKind
	case *admissionregistrationv1.MutatingAdmissionPolicy:
		return p.Spec.ParamKind
	}
	return nil
}

// paramKindOf is that of a policy in the cluster.
func (x *exchange) paramKindOf(kind schema.GroupKind, name string) *admissionregistrationv1.ParamKind {
	stored, ok := x.state.Find(cluster.Key{GroupKind: kind, Name: name})
	if !ok {
		return nil
	}
	return x.paramKind(stored.Object, kind)
}

// inV1 is an object in that version, nil if there is none.
func (x *exchange) inV1(object runtime.Object, kind schema.GroupKind) runtime.Object {
	if object == nil {
		return nil
	}
	converted, err := x.server.Types.Convert(object, kind.WithVersion("v1"))
	if err != nil {
		return nil
	}
	return converted
}
