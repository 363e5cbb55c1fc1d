// kubernetes/kubernetes:pkg/api/pod/util.go

package pod

import (
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/podresources"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A gatedField is a field of pods that is dropped if its feature gate is off, unless the pod or template already uses
// it: kubernetes/kubernetes:pkg/api/pod/util.go, dropDisabledFields.
type gatedField struct {
	path  string // within the spec
	gate  string
	known kubeversion.Feature // without it, the field does not exist or is refused
	has   func(*corev1.PodSpec) bool
	drop  func(*corev1.PodSpec)
	uses  func(*corev1.PodSpec, *kubeversion.Release) bool // nil if every spec that has the field uses it
}

func (f gatedField) isUsed(old *corev1.PodSpec, r *kubeversion.Release) bool {
	switch {
	case old == nil:
		return false
	case f.uses == nil:
		return f.has(old)
	}
	return f.uses(old, r)
}

var gatedFields = []gatedField{
	{path: "containers[].restartPolicy", gate: "ContainerRestartRules", known: kubeversion.ContainerRestartPolicy, has: restartsByRules, drop: dropRestartRules},
	{
		path: "volumes[].image",
		gate: "ImageVolume", known: kubeversion.ImageVolumes,
		has:  func(s *corev1.PodSpec) bool { return slices.ContainsFunc(s.Volumes, isImage) },
		drop: dropImageVolumes,
	},
	{
		path: "schedulingGroup",
		gate: "GenericWorkload",
		has:  func(s *corev1.PodSpec) bool { return s.SchedulingGroup != nil },
		drop: func(s *corev1.PodSpec) { s.SchedulingGroup = nil },
	},
	{
		path: "containers[].securityContext.procMount",
		gate: "ProcMountType",
		has:  func(s *corev1.PodSpec) bool { return slices.ContainsFunc(Containers(s), hasOwnProcMount) },
		drop: func(s *corev1.PodSpec) {
			for _, c := range Containers(s) {
				if hasOwnProcMount(c) { // the default is kept, since pods were once forced to have it
					*c.SecurityContext.ProcMount = corev1.DefaultProcMount
				}
			}
		},
	},
	{
		path: "containers[].lifecycle.stopSignal",
		gate: "ContainerStopSignals",
		has:  func(s *corev1.PodSpec) bool { return slices.ContainsFunc(Containers(s), hasStopSignal) },
		drop: dropStopSignals,
	},
	{
		path: "volumes[].projected.sources[].clusterTrustBundle",
		gate: "ClusterTrustBundleProjection",
		has: func(s *corev1.PodSpec) bool {
			return slices.ContainsFunc(projections(s), func(p *corev1.VolumeProjection) bool { return p.ClusterTrustBundle != nil })
		},
		drop: func(s *corev1.PodSpec) {
			for _, p := range projections(s) {
				p.ClusterTrustBundle = nil
			}
		},
	},
	{
		path: "volumes[].projected.sources[].podCertificate",
		gate: "PodCertificateRequest",
		has: func(s *corev1.PodSpec) bool {
			return slices.ContainsFunc(projections(s), func(p *corev1.VolumeProjection) bool { return p.PodCertificate != nil })
		},
		drop: func(s *corev1.PodSpec) {
			for _, p := range projections(s) {
				p.PodCertificate = nil
			}
		},
	},
	{path: "volumes[].*.user", gate: "AtomicWriteVolumeUserFields", known: kubeversion.VolumeFileUsers, has: hasFileUser, drop: dropFileUsers},
	{
		path: "ephemeralContainers",
		gate: "EphemeralContainers",
		has:  func(s *corev1.PodSpec) bool { return s.EphemeralContainers != nil },
		drop: func(s *corev1.PodSpec) { s.EphemeralContainers = nil },
		uses: func(s *corev1.PodSpec, _ *kubeversion.Release) bool { return len(s.EphemeralContainers) > 0 },
	},
	{
		path: "initContainers[].restartPolicy",
		gate: "SidecarContainers",
		has: func(s *corev1.PodSpec) bool {
			return slices.ContainsFunc(s.InitContainers, func(c corev1.Container) bool { return c.RestartPolicy != nil })
		},
		drop: func(s *corev1.PodSpec) {
			for i := range s.InitContainers { // other containers must not have it
				s.InitContainers[i].RestartPolicy = nil
			}
		},
		uses: func(s *corev1.PodSpec, _ *kubeversion.Release) bool {
			return slices.ContainsFunc(s.InitContainers, func(c corev1.Container) bool { return podresources.IsSidecar(&c) })
		},
	},
	{
		path: "containers[].resizePolicy",
		gate: "InPlacePodVerticalScaling",
		has: func(s *corev1.PodSpec) bool {
			return slices.ContainsFunc(Containers(s), func(c *corev1.Container) bool { return c.ResizePolicy != nil })
		},
		drop: func(s *corev1.PodSpec) {
			for _, c := range Containers(s) {
				c.ResizePolicy = nil
			}
		},
		uses: IsResizable,
	},
}

// IsResizable reports whether a container has a policy for resizes. Init containers only count if they can be resized.
func IsResizable(s *corev1.PodSpec, r *kubeversion.Release) bool {
	return slices.ContainsFunc(s.Containers, hasResizePolicy) || r.Has(kubeversion.ResizeInConditions) && slices.ContainsFunc(s.InitContainers, hasResizePolicy)
}

func hasOwnProcMount(c *corev1.Container) bool {
	return c.SecurityContext != nil && c.SecurityContext.ProcMount != nil && *c.SecurityContext.ProcMount != corev1.DefaultProcMount
}

// GatedFields are some of the fields whose gates are off.
type GatedFields []gatedField

// Drop removes the fields from a spec, which is at a path.
func (g GatedFields) Drop(s *corev1.PodSpec, at string, r rules.Request) {
	for _, f := range g {
		f.drop(s)
		r.Drops(at+"."+f.path, f.gate)
	}
}

// GatedOff returns the fields of a spec that are to be dropped. old is the spec to be replaced, nil if there is none.
func GatedOff(s, old *corev1.PodSpec, r rules.Request) (off GatedFields) {
	for _, f := range gatedFields {
		if r.Release.Has(f.known) && r.Release.Disabled(f.gate) && f.has(s) && !f.isUsed(old, r.Release) {
			off = append(off, f)
		}
	}
	return off
}

// DropGatedTemplate drops such fields, and old annotations, from the pod template of obj, if it has one; old is nil on
// create.
func DropGatedTemplate(obj, old runtime.Object, r rules.Request) {
	t := TemplateOf(obj)
	if t == nil {
		return
	}
	var before *corev1.PodSpec
	if o := TemplateOf(old); o != nil {
		before = &o.Spec
	}
	off := GatedOff(&t.Spec, before, r)
	annotated := rules.HasInitContainerAnnotations(t.Annotations)
	if len(off) == 0 && !annotated {
		return
	}
	if c, ok := obj.(*corev1.ReplicationController); ok { // the other kinds have their template by value
		c.Spec.Template = t.DeepCopy()
		t = c.Spec.Template
	}
	if annotated {
		t.Annotations = maps.Clone(t.Annotations)
		rules.DropInitContainerAnnotations(t.Annotations)
	}
	if len(off) == 0 {
		return
	}
	t.Spec = *t.Spec.DeepCopy()
	off.Drop(&t.Spec, templatePath(obj)+".spec", r)
}

// TemplateOf returns the template for the pods that an object creates, or nil if it creates none.
func TemplateOf(obj runtime.Object) *corev1.PodTemplateSpec {
	switch o := obj.(type) {
	case *corev1.PodTemplate:
		return &o.Template
	case *corev1.ReplicationController:
		return o.Spec.Template
	case *appsv1.Deployment:
		return &o.Spec.Template
	case *appsv1.ReplicaSet:
		return &o.Spec.Template
	case *appsv1.StatefulSet:
		return &o.Spec.Template
	case *appsv1.DaemonSet:
		return &o.Spec.Template
	case *batchv1.Job:
		return &o.Spec.Template
	case *batchv1.CronJob:
		return &o.Spec.JobTemplate.Spec.Template
	}
	return nil
}

// templatePath returns where an object has its template.
func templatePath(obj runtime.Object) string {
	switch obj.(type) {
	case *corev1.PodTemplate:
		return "template"
	case *batchv1.CronJob:
		return "spec.jobTemplate.spec.template"
	}
	return "spec.template"
}

// oldSpec returns the spec of the pod, or of the template, that an update replaces, or nil if there is none.
func oldSpec(r rules.Request) *corev1.PodSpec {
	if p := rules.OldOf[*corev1.Pod](r); p != nil {
		return &p.Spec
	}
	if t := TemplateOf(r.Old); t != nil {
		return &t.Spec
	}
	return nil
}

func isImage(v corev1.Volume) bool { return v.Image != nil }

func dropImageVolumes(s *corev1.PodSpec) {
	var images []string
	for _, v := range s.Volumes {
		if isImage(v) {
			images = append(images, v.Name)
		}
	}
	s.Volumes = without(s.Volumes, isImage)
	for _, c := range Containers(s) {
		c.VolumeMounts = without(c.VolumeMounts, func(m corev1.VolumeMount) bool { return slices.Contains(images, m.Name) })
	}
}

// without removes the items that are to be dropped from a list. If nothing is left, the list is nil, as messages show.
func without[T any](list []T, drops func(T) bool) []T {
	if list = slices.DeleteFunc(list, drops); len(list) == 0 {
		return nil
	}
	return list
}

// restartsByRules reports whether a container has its own rules for restarts, other than an init container that is
// always restarted.
func restartsByRules(s *corev1.PodSpec) bool {
	for i := range s.InitContainers {
		if c := &s.InitContainers[i]; c.RestartPolicyRules != nil || c.RestartPolicy != nil && *c.RestartPolicy != corev1.ContainerRestartPolicyAlways {
			return true
		}
	}
	for _, c := range Containers(s)[len(s.InitContainers):] {
		if c.RestartPolicyRules != nil || c.RestartPolicy != nil {
			return true
		}
	}
	return false
}

func dropRestartRules(s *corev1.PodSpec) {
	for _, c := range Containers(s) {
		c.RestartPolicyRules = nil
		if c.RestartPolicy != nil && *c.RestartPolicy != corev1.ContainerRestartPolicyAlways {
			c.RestartPolicy = nil
		}
	}
	for i := range s.Containers {
		s.Containers[i].RestartPolicy = nil
	}
	for i := range s.EphemeralContainers {
		s.EphemeralContainers[i].RestartPolicy = nil
	}
}

func hasStopSignal(c *corev1.Container) bool {
	return c.Lifecycle != nil && c.Lifecycle.StopSignal != nil
}

func dropStopSignals(s *corev1.PodSpec) {
	for _, c := range Containers(s) {
		if !hasStopSignal(c) {
			continue
		}
		c.Lifecycle.StopSignal = nil
		if *c.Lifecycle == (corev1.Lifecycle{}) {
			c.Lifecycle = nil
		}
	}
}

func projections(s *corev1.PodSpec) []*corev1.VolumeProjection {
	var all []*corev1.VolumeProjection
	for _, v := range s.Volumes {
		if v.Projected == nil {
			continue
		}
		for i := range v.Projected.Sources {
			all = append(all, &v.Projected.Sources[i])
		}
	}
	return all
}

// Containers returns pointers to all containers of a pod, init containers first.
func Containers(s *corev1.PodSpec) []*corev1.Container {
	all := make([]*corev1.Container, 0, len(s.InitContainers)+len(s.Containers)+len(s.EphemeralContainers))
	for i := range s.InitContainers {
		all = append(all, &s.InitContainers[i])
	}
	for i := range s.Containers {
		all = append(all, &s.Containers[i])
	}
	for i := range s.EphemeralContainers {
		all = append(all, (*corev1.Container)(&s.EphemeralContainers[i].EphemeralContainerCommon))
	}
	return all
}
