package security

import (
	"context"
	"errors"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// AlwaysPullImages sets the pull policy of every container to Always, so that nobody can use an image that happens to
// be on a node but that they could not pull themselves (API-01 to API-04).
type AlwaysPullImages struct{ release *kubeversion.Release }

func NewAlwaysPullImages(r *kubeversion.Release) AlwaysPullImages { return AlwaysPullImages{r} }

func (p AlwaysPullImages) Mutate(_ context.Context, _ *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	pod, because, err := p.pulledFor(req)
	if because != "" || err != nil {
		return plugin.Skip(step, because), err
	}
	pod = pod.DeepCopy()
	changed := false
	for _, p := range pullPolicies(pod) {
		changed = changed || *p.policy != corev1.PullAlways
		*p.policy = corev1.PullAlways
	}
	if !changed {
		return plugin.Allow(step, "all images are always pulled"), nil
	}
	return plugin.Change(step, pod, "images were not always pulled"), nil
}

func (p AlwaysPullImages) Validate(_ context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	pod, because, err := p.pulledFor(req)
	if because != "" || err != nil {
		return plugin.Skip(step, because), err
	}
	var errs []error
	for _, image := range pullPolicies(pod) {
		if *image.policy != corev1.PullAlways {
			wrong := field.NotSupported(image.path, *image.policy, []corev1.PullPolicy{corev1.PullAlways})
			if !p.release.Has(kubeversion.PullPoliciesListed) {
				return plugin.Forbid(step, req, wrong.Error()), nil
			}
			errs = append(errs, apierrors.NewForbidden(req.Resource.GroupResource(), req.ErrorName(), errors.New(wrong.Error())))
		}
	}
	if len(errs) == 0 {
		return plugin.Allow(step, "all images are always pulled"), nil
	}
	// An aggregate of errors, even of a single one, has no status, so it becomes a plain 500 (API-03).
	return plugin.Deny(step, "a webhook changed a pull policy back", admission.StatusOf(errors.New(utilerrors.NewAggregate(errs).Error()))), nil
}

// pulledFor returns the pod of a request whose images have to be pulled. Otherwise because says why they do not.
func (p AlwaysPullImages) pulledFor(req admission.Request) (pod *corev1.Pod, because string, err error) {
	if !plugin.Concerns(req, "", "pods") {
		return nil, "not a pod", nil
	}
	pod, err = plugin.ObjectOf[*corev1.Pod](req)
	if err != nil || req.Operation != admissionv1.Update || !p.release.Has(kubeversion.OldImagesIgnored) {
		return pod, "", err
	}
	old, err := plugin.OldObjectOf[*corev1.Pod](req)
	if err != nil {
		return nil, "", err
	}
	before := imagesOf(old)
	if !slices.ContainsFunc(imagesOf(pod), func(image string) bool { return !slices.Contains(before, image) }) {
		return nil, "no image is new", nil
	}
	return pod, "", nil
}

func imagesOf(pod *corev1.Pod) []string {
	var images []string
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		images = append(images, c.Image)
	}
	for _, c := range pod.Spec.EphemeralContainers {
		images = append(images, c.Image)
	}
	return images
}

type pullPolicy struct {
	path   *field.Path
	policy *corev1.PullPolicy
}

// pullPolicies returns the pull policies of everything in pod that has an image.
func pullPolicies(pod *corev1.Pod) []pullPolicy {
	var all []pullPolicy
	spec := field.NewPath("spec")
	for i := range pod.Spec.InitContainers {
		all = append(all, pullPolicy{spec.Child("initContainers").Index(i).Child("imagePullPolicy"), &pod.Spec.InitContainers[i].ImagePullPolicy})
	}
	for i := range pod.Spec.Containers {
		all = append(all, pullPolicy{spec.Child("containers").Index(i).Child("imagePullPolicy"), &pod.Spec.Containers[i].ImagePullPolicy})
	}
	for i := range pod.Spec.EphemeralContainers {
		all = append(all, pullPolicy{spec.Child("ephemeralContainers").Index(i).Child("imagePullPolicy"), &pod.Spec.EphemeralContainers[i].ImagePullPolicy})
	}
	for i := range pod.Spec.Volumes {
		if image := pod.Spec.Volumes[i].Image; image != nil {
			all = append(all, pullPolicy{spec.Child("volumes").Index(i).Child("image", "pullPolicy"), &image.PullPolicy})
		}
	}
	return all
}
