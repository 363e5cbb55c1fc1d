package pods

import (
	"context"
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

var podPresetKind = schema.GroupKind{Group: builtin.SettingsV1alpha1.Group, Kind: "PodPreset"}

const podPresetAnnotations = "podpreset.admission.kubernetes.io/"

// PodPreset applies the presets of the namespace to new pods, either all of them or none (PP-01 to PP-08, PP-11). It existed
// up to 1.19.
type PodPreset struct{ release *kubeversion.Release }

func NewPodPreset(r *kubeversion.Release) PodPreset { return PodPreset{r} }

func (p PodPreset) Mutate(ctx context.Context, s *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, "", "pods") || req.Operation != admissionv1.Create {
		return plugin.Skip(step, "not a new pod"), nil
	}
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	if err != nil {
		return step, err
	}
	switch {
	case plugin.IsMirror(pod): // PP-01
		return plugin.Skip(step, "mirror pods get no presets"), nil
	case pod.Annotations[podPresetAnnotations+"exclude"] == "true":
		return plugin.Skip(step, "the pod wants no presets"), nil
	}
	presets, unreadable := presetsFor(s, req.Namespace, pod)
	if n := len(unreadable); n > 0 { // PP-07
		first := unreadable[0]
		if n > 1 {
			first = unreadable[admission.CourseOf(ctx).OneOf(n, "the selectors of several presets cannot be read, and the server names any of them")]
		}
		err := fmt.Errorf("filtering pod presets failed: %w", first.err)
		return plugin.Deny(plugin.DecidedBy(step, first.preset), "the selector of a preset cannot be read", admission.StatusOf(err)), nil
	}
	if len(presets) == 0 {
		return plugin.Allow(step, "no preset selects the pod"), nil
	}
	changed := pod.DeepCopy()
	if conflict := p.applyPresets(changed, p.inOrder(ctx, pod, presets)); conflict != "" { // PP-04
		step.Hint = "the server only logs this conflict, and leaves the pod as it is"
		return plugin.Allow(step, conflict), nil
	}
	if semantic.DeepEqual(changed, pod) {
		return plugin.Allow(step, "the pod has what its presets give"), nil
	}
	return plugin.Change(step, changed, "the pod gets what its presets give: "+presetNames(presets)), nil
}

// An unreadablePreset is a preset whose selector cannot be read.
type unreadablePreset struct {
	preset cluster.Object
	err    error
}

// presetsFor returns the presets that select the pod (PP-02), and those that cannot be read.
func presetsFor(s *cluster.State, namespace string, pod *corev1.Pod) (all []*builtin.PodPreset, unreadable []unreadablePreset) {
	for o := range s.List(podPresetKind, namespace) {
		preset, ok := o.Object.(*builtin.PodPreset)
		if !ok {
			continue
		}
		selector, err := metav1.LabelSelectorAsSelector(&preset.Spec.Selector)
		if err != nil {
			unreadable = append(unreadable, unreadablePreset{o, fmt.Errorf("label selector conversion failed: %v for selector: %w", preset.Spec.Selector, err)})
			continue
		}
		if selector.Matches(labels.Set(pod.Labels)) {
			all = append(all, preset)
		}
	}
	return all, unreadable
}

// inOrder returns the presets in the order in which they apply, which is any order (PP-05).
func (p PodPreset) inOrder(ctx context.Context, pod *corev1.Pod, presets []*builtin.PodPreset) []*builtin.PodPreset {
	if !p.orderMatters(pod, presets) {
		return presets
	}
	ordered := make([]*builtin.PodPreset, len(presets))
	for i, at := range admission.CourseOf(ctx).Order(len(presets), "several presets change the pod, and the server applies them in any order") {
		ordered[i] = presets[at]
	}
	return ordered
}

// orderMatters reports whether the pod depends on the order of two of the presets. If they conflict, it stays as it is.
func (p PodPreset) orderMatters(pod *corev1.Pod, presets []*builtin.PodPreset) bool {
	for i, one := range presets {
		for _, other := range presets[:i] {
			before, after := pod.DeepCopy(), pod.DeepCopy()
			if p.applyPresets(before, []*builtin.PodPreset{other, one}) != "" {
				return false
			}
			p.applyPresets(after, []*builtin.PodPreset{one, other})
			if !semantic.DeepEqual(before, after) {
				return true
			}
		}
	}
	return false
}

func presetNames(presets []*builtin.PodPreset) string {
	var names []string
	for _, p := range presets {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// applyPresets changes pod, or describes the first conflict between the presets and the pod (PP-03, PP-05, PP-06).
func (p PodPreset) applyPresets(pod *corev1.Pod, presets []*builtin.PodPreset) (conflict string) {
	volumes := func(of *builtin.PodPreset) []corev1.Volume { return of.Spec.Volumes }
	if pod.Spec.Volumes, conflict = merged(pod.Spec.Volumes, presets, "volume", volumes, nameOfVolume); conflict != "" {
		return conflict + " than the pod"
	}
	lists := [][]corev1.Container{pod.Spec.Containers}
	if p.release.Has(kubeversion.PresetsOfInitContainers) { // PP-11
		lists = append(lists, pod.Spec.InitContainers)
	}
	for _, list := range lists {
		for i := range list {
			if conflict = p.applyToContainer(&list[i], presets); conflict != "" {
				return fmt.Sprintf("%s than container %q", conflict, list[i].Name)
			}
		}
	}
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	for _, preset := range presets {
		pod.Annotations[podPresetAnnotations+"podpreset-"+preset.Name] = preset.ResourceVersion
	}
	return ""
}

func nameOfVolume(v corev1.Volume) string { return v.Name }

func (p PodPreset) applyToContainer(c *corev1.Container, presets []*builtin.PodPreset) (conflict string) {
	env := func(of *builtin.PodPreset) []corev1.EnvVar { return of.Spec.Env }
	if c.Env, conflict = merged(c.Env, presets, "variable", env, func(e corev1.EnvVar) string { return e.Name }); conflict != "" {
		return conflict
	}
	// A mount must equal any mount of the same name, even at another path. Whether a mount is already there is decided
	// by the path.
	mounts := func(of *builtin.PodPreset) []corev1.VolumeMount { return of.Spec.VolumeMounts }
	if _, conflict = merged(c.VolumeMounts, presets, "mount of volume", mounts, func(m corev1.VolumeMount) string { return m.Name }); conflict != "" {
		return conflict
	}
	if c.VolumeMounts, conflict = merged(c.VolumeMounts, presets, "mount at", mounts, func(m corev1.VolumeMount) string { return m.MountPath }); conflict != "" {
		return conflict
	}
	c.EnvFrom = p.mergedSources(c.EnvFrom, presets)
	return ""
}

// merged returns the list with what the presets add to it, without duplicates. conflict describes two items that have
// the same key but differ.
func merged[T any](list []T, presets []*builtin.PodPreset, what string, added func(*builtin.PodPreset) []T, key func(T) string) (all []T, conflict string) {
	all = slices.Clone(list)
	known := map[string]T{}
	for _, one := range list {
		known[key(one)] = one
	}
	for _, p := range presets {
		for _, one := range added(p) {
			k := key(one)
			other, ok := known[k]
			switch {
			case !ok:
				known[k] = one
				all = append(all, one)
			case !semantic.DeepEqual(other, one):
				return nil, fmt.Sprintf("preset %q has another %s %q", p.Name, what, k)
			}
		}
	}
	return all, ""
}

// mergedSources does the same for envFrom. It compares only with the container's own sources. If a source has the same
// key as one of these but differs otherwise, all sources are lost: the server ignores its own error there.
func (p PodPreset) mergedSources(list []corev1.EnvFromSource, presets []*builtin.PodPreset) []corev1.EnvFromSource {
	own := map[string]corev1.EnvFromSource{}
	if p.release.Has(kubeversion.PresetSourcesCompared) {
		for _, source := range list {
			own[keyOfSource(source)] = source
		}
	}
	all := slices.Clone(list)
	for _, preset := range presets {
		for _, source := range preset.Spec.EnvFrom {
			other, ok := own[keyOfSource(source)]
			switch {
			case !ok:
				all = append(all, source)
			case !semantic.DeepEqual(other, source):
				return nil
			}
		}
	}
	return all
}

func keyOfSource(s corev1.EnvFromSource) string {
	key := []string{s.Prefix, "", ""}
	if s.ConfigMapRef != nil {
		key[1] = s.ConfigMapRef.Name
	}
	if s.SecretRef != nil {
		key[2] = s.SecretRef.Name
	}
	return strings.Join(key, "\x00")
}
