package security

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	imagepolicyv1alpha1 "k8s.io/api/imagepolicy/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

const imagePolicy = "ImagePolicyWebhook"

// ImagePolicyBackend is the webhook name that ImagePolicyWebhook asks for in the Backends of package plugins, with an empty
// configuration.
const ImagePolicyBackend = "imagepolicy"

// ImagePolicyWebhook asks a service whether the images of a pod may run, and caches its answers for a while (IPW-01 to
// IPW-06).
type ImagePolicyWebhook struct {
	service           dispatch.Callback
	allowTTL, denyTTL time.Duration // 0: do not cache
	debuggers         bool          // also ask about the images of ephemeral containers
	defaultAllow      bool
	now               func() time.Time
}

// An imageVerdict is the answer about images, and until when it is valid.
type imageVerdict struct {
	status imagepolicyv1alpha1.ImageReviewStatus
	until  time.Time
}

// imageVerdicts is how many verdicts the server caches.
const imageVerdicts = 1024

// auditImagePolicy is the prefix of the plugin's audit annotations.
const auditImagePolicy = "imagepolicywebhook.image-policy.k8s.io/"

func (p *ImagePolicyWebhook) Validate(ctx context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, "", "pods") && !(p.debuggers && plugin.ConcernsSub(req, "", "pods", "ephemeralcontainers")) {
		return plugin.Skip(step, "not a pod"), nil
	}
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	if err != nil {
		return step, err
	}
	review := imageReview(req, pod)
	asked, err := json.Marshal(review.Spec)
	if err != nil {
		return step, err
	}

	known, ok := s.Memory(imagePolicy).(plugin.Recent[imageVerdict])
	if !ok {
		known = plugin.NewRecent[imageVerdict](imageVerdicts)
	}
	now := p.now().Add(req.Elapsed)
	if v, ok := known.Get(string(asked)); ok && !now.After(v.until) {
		step.Remember(known.With(string(asked), v))
		return p.decideImages(step, req, v.status, " (as it said before)"), nil
	}

	answer := &imagepolicyv1alpha1.ImageReview{}
	exchange, err := p.service.Ask(ctx, req, review, answer)
	if err != nil {
		return step, err
	}
	step.Duration = exchange.Took
	hook := trace.Hook{Name: ImagePolicyBackend, Called: true, Calls: exchange.Calls, Start: req.Elapsed, Duration: exchange.Took}
	if exchange.Failed != nil {
		return p.fail(step, req, pod, hook, exchange.Failed), nil
	}
	if ttl := p.ttl(answer.Status); ttl > 0 {
		step.Remember(known.With(string(asked), imageVerdict{answer.Status, now.Add(exchange.Took + ttl)}))
	}
	step = p.decideImages(step, req, answer.Status, "")
	hook.Outcome, hook.Because, hook.Denial = step.Outcome, step.Because, step.Denial
	step.Hooks = []trace.Hook{hook}
	return step, nil
}

func (p *ImagePolicyWebhook) ttl(s imagepolicyv1alpha1.ImageReviewStatus) time.Duration {
	if s.Allowed {
		return p.allowTTL
	}
	return p.denyTTL
}

// fail decides about a request if the service gives no answer (IPW-05).
func (p *ImagePolicyWebhook) fail(step trace.Step, req admission.Request, pod *corev1.Pod, hook trace.Hook, failed error) trace.Step {
	if p.defaultAllow {
		step.Outcome, hook.Outcome = trace.Allowed, trace.FailedOpen
		step.Because = failed.Error() + "; defaultAllow is true, and what validates the pod after this sees it annotated"
		p.audit(&step, "failed-open", "true")
		annotated := pod.DeepCopy()
		metav1.SetMetaDataAnnotation(&annotated.ObjectMeta, "alpha.image-policy.k8s.io/failed-open", "true")
		step.Show(annotated)
	} else {
		step = plugin.Deny(step, failed.Error()+"; defaultAllow is false", wrapped(req, failed))
		step.Outcome, hook.Outcome = trace.Failed, trace.Failed
		hook.Denial = step.Denial
	}
	hook.Because = step.Because
	step.Hooks = []trace.Hook{hook}
	return step
}

// audit adds an annotation to the audit log, in releases in which the plugin does (IPW-04).
func (p *ImagePolicyWebhook) audit(step *trace.Step, key, value string) {
	if p.service.Release.Has(kubeversion.ImageReviewsAudited) {
		step.Annotate(trace.Annotation{Key: auditImagePolicy + key, Value: value})
	}
}

// wrapped returns the usual refusal for err, or err itself if it is one already (ER-02).
func wrapped(req admission.Request, err error) *metav1.Status {
	if apierrors.IsForbidden(err) {
		return admission.StatusOf(err)
	}
	return admission.Forbidden(req, err.Error())
}

// decideImages follows the verdict (IPW-03, IPW-04).
func (p *ImagePolicyWebhook) decideImages(step trace.Step, req admission.Request, verdict imagepolicyv1alpha1.ImageReviewStatus, how string) trace.Step {
	for _, key := range slices.Sorted(maps.Keys(verdict.AuditAnnotations)) {
		p.audit(&step, key, verdict.AuditAnnotations[key])
	}
	if verdict.Allowed {
		return plugin.Allow(step, "the backend allows the images"+how)
	}
	err := errors.New("one or more images rejected by webhook backend")
	if verdict.Reason != "" {
		err = errors.New("image policy webhook backend denied one or more images: " + verdict.Reason)
	}
	return plugin.Deny(step, "the backend denies the images"+how, wrapped(req, err))
}

// imageReview returns the review that is sent to the service (IPW-02).
func imageReview(req admission.Request, pod *corev1.Pod) *imagepolicyv1alpha1.ImageReview {
	review := &imagepolicyv1alpha1.ImageReview{
		TypeMeta: metav1.TypeMeta{APIVersion: dispatch.ImageReviews, Kind: "ImageReview"},
		Spec:     imagepolicyv1alpha1.ImageReviewSpec{Namespace: req.Namespace},
	}
	add := func(image string) {
		review.Spec.Containers = append(review.Spec.Containers, imagepolicyv1alpha1.ImageReviewContainerSpec{Image: image})
	}
	if req.Subresource == "" {
		for _, c := range slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers) {
			add(c.Image)
		}
	} else {
		for _, c := range pod.Spec.EphemeralContainers {
			add(c.Image)
		}
	}
	for key, value := range pod.Annotations {
		if strings.Contains(key, ".image-policy.k8s.io/") {
			if review.Spec.Annotations == nil {
				review.Spec.Annotations = map[string]string{}
			}
			review.Spec.Annotations[key] = value
		}
	}
	return review
}
