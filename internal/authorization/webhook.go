package authorization

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	authorizationv1beta1 "k8s.io/api/authorization/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/unset"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// WebhookConfiguration is the configuration name under which authorization webhooks are called, as in
// authorization/default.
const WebhookConfiguration = "authorization"

// defaultWebhook is the name of the only webhook in mode Webhook.
const defaultWebhook = "default"

// A webhook is an authorizer of mode Webhook (AU-50 to AU-55):
// kubernetes/apiserver:plugin/pkg/authorizer/webhook/webhook.go.
type webhook struct {
	version         string // of the SubjectAccessReviews that are sent
	url             string
	credentials     *dispatch.Credentials
	timeout         time.Duration // of one call
	authorizedTTL   time.Duration // 0: answers are not cached
	unauthorizedTTL time.Duration
	onError         authorizer.Decision
	conditions      []condition
}

// webhookOfFlags returns the webhook that the server's flags configure:
// kubernetes/kubernetes:pkg/kubeapiserver/options/authorization.go, buildAuthorizationConfiguration.
func webhookOfFlags(needs admission.Authorizers) (*webhook, error) {
	w := &webhook{
		version:         cmp.Or(needs.WebhookVersion, authorizationv1beta1.SchemeGroupVersion.Version),
		timeout:         30 * time.Second,
		authorizedTTL:   max(cmp.Or(needs.AuthorizedTTL, 5*time.Minute), 0),
		unauthorizedTTL: max(cmp.Or(needs.UnauthorizedTTL, 30*time.Second), 0),
		onError:         authorizer.DecisionNoOpinion,
	}
	if versions := []string{authorizationv1.SchemeGroupVersion.Version, authorizationv1beta1.SchemeGroupVersion.Version}; !slices.Contains(versions, w.version) {
		return nil, fmt.Errorf("unsupported webhook authorizer version %q, supported versions are %q, %q", w.version, versions[0], versions[1])
	}
	return w, w.at(needs.Webhook, needs.WebhookFile)
}

// at sets the URL and credentials of the webhook from a kubeconfig.
func (w *webhook) at(kubeconfig []byte, file string) (err error) {
	if w.credentials, err = dispatch.ParseKubeconfig(kubeconfig, file); err == nil {
		w.url, err = w.credentials.Server()
	}
	return err
}

// A webhookClient is a webhook with what it takes to ask it.
type webhookClient struct {
	*webhook
	name    string
	release *kubeversion.Release
	types   *objects.Types
	Asking
}

var errWebhookRules = errors.New("webhook authorizer does not support user rule resolution")

// webhookBackoff is the pause before a call is repeated: kubernetes/apiserver:pkg/server/options/authentication.go.
const webhookBackoff = 500 * time.Millisecond

// Authorize implements [authorizer.UnconditionalAuthorizer].
func (w webhookClient) Authorize(ctx context.Context, question authorizer.Attributes) (authorizer.Decision, string, error) {
	review := reviewOf(question)
	if applies, err := w.applies(ctx, review); err != nil {
		return w.onError, "", err
	} else if !applies {
		return authorizer.DecisionNoOpinion, "", nil
	}
	text, err := json.Marshal(review.Spec)
	if err != nil {
		return w.onError, "", err
	}
	key := w.name + "\n" + string(text)
	status, known := w.Notes.recall(key)
	if !known {
		if status, err = w.ask(ctx, review); err != nil {
			return w.onError, "", err
		}
		ttl := w.unauthorizedTTL
		if status.Allowed {
			ttl = w.authorizedTTL
		}
		if ttl > 0 && isShort(question) {
			w.Notes.remember(key, status, ttl)
		}
	}
	switch {
	case status.Denied && status.Allowed:
		return authorizer.DecisionDeny, status.Reason, errors.New("webhook subject access review returned both allow and deny response")
	case status.Denied:
		return authorizer.DecisionDeny, status.Reason, nil
	case status.Allowed:
		return authorizer.DecisionAllow, status.Reason, nil
	}
	return authorizer.DecisionNoOpinion, status.Reason, nil
}

// ask sends a review, and returns the status in the response.
func (w webhookClient) ask(ctx context.Context, review *authorizationv1.SubjectAccessReview) (status authorizationv1.SubjectAccessReviewStatus, err error) {
	group := schema.GroupVersion{Group: authorizationv1.GroupName, Version: w.version}
	callback := dispatch.Callback{
		Configuration: WebhookConfiguration,
		Name:          w.name,
		URL:           w.url,
		Credentials:   w.credentials,
		Backend:       w.Backends(WebhookConfiguration, w.name),
		Codec:         reviewCodec(group, w.release, w.types),
		Version:       group.String(),
		Backoff:       webhookBackoff,
		Timeout:       w.timeout,
		Release:       w.release,
		Earlier:       w.Notes.calls(w.name),
	}
	asked, answered := runtime.Object(review), runtime.Object(&authorizationv1.SubjectAccessReview{})
	if w.version == authorizationv1beta1.SchemeGroupVersion.Version {
		asked, answered = inV1beta1(review), &authorizationv1beta1.SubjectAccessReview{}
	}
	if w.Notes != nil && admission.CourseOf(ctx) == nil { // CEL asks without the request's context
		ctx = w.Notes.ctx
	}
	exchange, err := callback.Ask(ctx, admission.Request{}, asked, answered)
	if err != nil {
		if !admission.CourseOf(ctx).IsOther() {
			w.Notes.unknown(err)
		}
		return status, err
	}
	hook := trace.Hook{Configuration: WebhookConfiguration, Name: w.name, Called: true, Calls: exchange.Calls, Duration: exchange.Took}
	if exchange.Failed != nil {
		hook.Outcome, hook.Because = w.failed(), exchange.Failed.Error()
		w.Notes.add(hook)
		return status, exchange.Failed
	}
	switch answered := answered.(type) {
	case *authorizationv1.SubjectAccessReview:
		status = answered.Status
	case *authorizationv1beta1.SubjectAccessReview:
		status = authorizationv1.SubjectAccessReviewStatus(answered.Status)
	}
	hook.Outcome, hook.Because = trace.Allowed, "no opinion about "+what(review.Spec)
	switch {
	case status.Denied:
		hook.Because = "denies to " + what(review.Spec)
	case status.Allowed:
		hook.Because = "allows to " + what(review.Spec)
	}
	if status.Reason != "" {
		hook.Because += ": " + status.Reason
	}
	w.Notes.add(hook)
	return status, nil
}

// failed returns the outcome of a failed call.
func (w *webhook) failed() trace.Outcome {
	if w.onError == authorizer.DecisionDeny {
		return trace.Failed
	}
	return trace.FailedOpen
}

// what summarizes what a review is about.
func what(spec authorizationv1.SubjectAccessReviewSpec) string {
	if n := spec.NonResourceAttributes; n != nil {
		return n.Verb + " " + n.Path
	}
	r := spec.ResourceAttributes
	resource := schema.GroupResource{Group: r.Group, Resource: r.Resource}.String()
	if r.Subresource != "" {
		resource += "/" + r.Subresource
	}
	return r.Verb + " " + resource
}

// isShort reports whether the values that the sender chose are short enough for the answer to be cached.
func isShort(q authorizer.Attributes) bool {
	const most = 10_000
	n := 0
	for _, text := range []string{q.GetNamespace(), q.GetVerb(), q.GetAPIGroup(), q.GetAPIVersion(), q.GetResource(), q.GetSubresource(), q.GetName(), q.GetPath()} {
		n += len(text)
	}
	return n < most
}

// reviewOf returns the review that is sent to the webhook (AU-51).
func reviewOf(question authorizer.Attributes) *authorizationv1.SubjectAccessReview {
	review := &authorizationv1.SubjectAccessReview{}
	if who := question.GetUser(); who != nil {
		review.Spec.User, review.Spec.UID, review.Spec.Groups = who.GetName(), who.GetUID(), who.GetGroups()
		for key, values := range who.GetExtra() {
			if review.Spec.Extra == nil {
				review.Spec.Extra = map[string]authorizationv1.ExtraValue{}
			}
			review.Spec.Extra[key] = values
		}
	}
	if !question.IsResourceRequest() {
		review.Spec.NonResourceAttributes = &authorizationv1.NonResourceAttributes{Path: question.GetPath(), Verb: question.GetVerb()}
		return review
	}
	about := &authorizationv1.ResourceAttributes{
		Namespace: question.GetNamespace(), Verb: question.GetVerb(), Group: question.GetAPIGroup(), Version: question.GetAPIVersion(),
		Resource: question.GetResource(), Subresource: question.GetSubresource(), Name: question.GetName(),
	}
	if all := fieldRequirements(question); len(all) > 0 {
		about.FieldSelector = &authorizationv1.FieldSelectorAttributes{Requirements: all}
	}
	if all := labelRequirements(question); len(all) > 0 {
		about.LabelSelector = &authorizationv1.LabelSelectorAttributes{Requirements: all}
	}
	review.Spec.ResourceAttributes = about
	return review
}

func fieldRequirements(question authorizer.Attributes) (all []metav1.FieldSelectorRequirement) {
	selected, _ := question.GetFieldSelector() // the others only narrow the result
	for _, one := range selected {
		requirement := metav1.FieldSelectorRequirement{Key: one.Field, Values: []string{one.Value}}
		switch one.Operator {
		case selection.Equals, selection.DoubleEquals, selection.In:
			requirement.Operator = metav1.FieldSelectorOpIn
		case selection.NotEquals, selection.NotIn:
			requirement.Operator = metav1.FieldSelectorOpNotIn
		default:
			continue
		}
		all = append(all, requirement)
	}
	return all
}

func labelRequirements(question authorizer.Attributes) (all []metav1.LabelSelectorRequirement) {
	selected, _ := question.GetLabelSelector()
	for _, one := range selected {
		requirement := metav1.LabelSelectorRequirement{Key: one.Key(), Values: one.ValuesUnsorted()}
		switch one.Operator() {
		case selection.Equals, selection.DoubleEquals, selection.In:
			requirement.Operator = metav1.LabelSelectorOpIn
		case selection.NotEquals, selection.NotIn:
			requirement.Operator = metav1.LabelSelectorOpNotIn
		case selection.Exists:
			requirement.Operator = metav1.LabelSelectorOpExists
		case selection.DoesNotExist:
			requirement.Operator = metav1.LabelSelectorOpDoesNotExist
		default:
			continue
		}
		all = append(all, requirement)
	}
	return all
}

// inV1beta1 converts a review to the older version, in which the field of the groups is called group.
func inV1beta1(r *authorizationv1.SubjectAccessReview) *authorizationv1beta1.SubjectAccessReview {
	old := &authorizationv1beta1.SubjectAccessReview{}
	old.Spec.User, old.Spec.UID, old.Spec.Groups = r.Spec.User, r.Spec.UID, r.Spec.Groups
	for key, values := range r.Spec.Extra {
		if old.Spec.Extra == nil {
			old.Spec.Extra = map[string]authorizationv1beta1.ExtraValue{}
		}
		old.Spec.Extra[key] = authorizationv1beta1.ExtraValue(values)
	}
	if about := r.Spec.ResourceAttributes; about != nil {
		old.Spec.ResourceAttributes = (*authorizationv1beta1.ResourceAttributes)(about)
	}
	if about := r.Spec.NonResourceAttributes; about != nil {
		old.Spec.NonResourceAttributes = (*authorizationv1beta1.NonResourceAttributes)(about)
	}
	return old
}

var reviewScheme = sync.OnceValue(func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{authorizationv1.AddToScheme, authorizationv1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return scheme
})

var reviewCodecs = sync.OnceValue(func() serializer.CodecFactory { return serializer.NewCodecFactory(reviewScheme()) })

// reviewCodec returns the codec for reviews of a version as the servers of a release use it. It knows other kinds, too.
func reviewCodec(version schema.GroupVersion, r *kubeversion.Release, types *objects.Types) runtime.Codec {
	codec := objects.Codec{Codec: reviewCodecs().LegacyCodec(version), Scheme: reviewScheme(), Types: types, Release: r}
	if r.Has(kubeversion.OmitsZeroTimes) {
		return codec
	}
	return unset.Codec{Codec: codec}
}
