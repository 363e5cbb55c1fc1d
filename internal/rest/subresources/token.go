package subresources

import (
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// TokenRequestKind is the kind in errors about a request for a token.
var TokenRequestKind = schema.GroupKind{Group: authenticationv1.GroupName, Kind: "TokenRequest"}

// CompleteToken fills in what the request for a token left out, and refuses what contradicts its URL. It returns the
// account whose token it is. audiences are those of the server.
func (r Request) CompleteToken(t *authenticationv1.TokenRequest, audiences []string, now time.Time) (*corev1.ServiceAccount, error) {
	completedFirst := r.Release.Has(kubeversion.TokensCompletedFirst)
	if completedFirst {
		if err := r.checkTokenName(t); err != nil {
			return nil, err
		}
	}
	account, ok := cluster.Get[*corev1.ServiceAccount](r.State, schema.GroupKind{Kind: "ServiceAccount"}, r.Namespace, r.Name)
	if !ok {
		return nil, apierrors.NewNotFound(r.Resource, r.Name)
	}
	if r.Release.Has(kubeversion.TokensNameUIDs) {
		if t.UID != "" && t.UID != account.UID {
			return nil, apierrors.NewConflict(schema.GroupResource{Group: TokenRequestKind.Group, Resource: TokenRequestKind.Kind}, r.Name,
				fmt.Errorf("the UID in the token request (%s) does not match the UID of the service account (%s)", t.UID, account.UID))
		}
		t.UID = account.UID
	}
	if completedFirst {
		t.Name, t.Namespace = account.Name, account.Namespace
		t.CreationTimestamp = metav1.NewTime(now)
	}
	t.Status = authenticationv1.TokenRequestStatus{}
	if len(t.Spec.Audiences) == 0 {
		t.Spec.Audiences = audiences
	}
	return account, nil
}

// checkTokenName refuses a request that names another service account than its URL.
func (r Request) checkTokenName(t *authenticationv1.TokenRequest) error {
	mismatch := func(name, value string) error {
		return r.invalid(TokenRequestKind, r.Name,
			field.Invalid(field.NewPath("metadata", name), value, "must match the service account "+name+" if specified"))
	}
	if t.Name != "" && t.Name != r.Name {
		return mismatch("name", t.Name)
	}
	if t.Namespace != "" && t.Namespace != r.Namespace {
		return mismatch("namespace", t.Namespace)
	}
	return nil
}

// BindToken finds the object that the token is bound to, if any. audiences are those of the server. attest checks whether
// the service account may state that reviews are about an API group.
func (r Request) BindToken(t *authenticationv1.TokenRequest, audiences []string, attest func(question authorizer.AttributesRecord) error) error {
	ref := t.Spec.BoundObjectRef
	if ref == nil {
		return nil
	}
	gvk := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
	var uid types.UID
	switch {
	case gvk.Group == "" && gvk.Kind == "Pod":
		pod, err := bound[*corev1.Pod](r, "Pod", "pods", r.Namespace, ref.Name)
		if err != nil {
			return err
		}
		if pod.Spec.ServiceAccountName != r.Name {
			return badRequest("cannot bind token for serviceaccount %q to pod running with different serviceaccount name.", r.Name)
		}
		uid = pod.UID
	case gvk.Group == "" && gvk.Kind == "Node":
		node, err := bound[*corev1.Node](r, "Node", "nodes", "", ref.Name)
		if err != nil {
			return err
		}
		uid = node.UID
	case gvk.Group == "" && gvk.Kind == "Secret":
		secret, err := bound[*corev1.Secret](r, "Secret", "secrets", r.Namespace, ref.Name)
		if err != nil {
			return err
		}
		uid = secret.UID
	case objects.BindsWebhooks(ref, r.Release):
		var err error
		if uid, err = r.bindWebhooks(t, gvk, audiences, attest); err != nil {
			return err
		}
	default:
		return badRequest("cannot bind token to object of type %s", gvk)
	}
	if ref.UID != "" && ref.UID != uid {
		return apierrors.NewConflict(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, ref.Name,
			fmt.Errorf("the UID in the bound object reference (%s) does not match the UID in record. The object might have been deleted and then recreated", ref.UID))
	}
	return nil
}

func bound[T runtime.Object](r Request, kind, resource, namespace, name string) (T, error) {
	object, ok := cluster.Get[T](r.State, schema.GroupKind{Kind: kind}, namespace, name)
	if err := objects.CheckKey(name); err != nil {
		return object, err
	}
	if !ok {
		return object, apierrors.NewNotFound(corev1.Resource(resource), name)
	}
	return object, nil
}
