package objects

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// podWarnings are about the spec of a pod, which hardly changes, so that they are the same
// on update: kubernetes/kubernetes:pkg/api/pod/warnings.go.
func podWarnings(p, _ *corev1.Pod, r request) []string {
	if r.Subresource == "status" {
		return nil
	}
	t := corev1.PodTemplateSpec{ObjectMeta: p.ObjectMeta, Spec: p.Spec}
	return templateWarnings(&t, nil)
}

// templateWarnings are about a template at that path; a pod itself has none.
func templateWarnings(t *corev1.PodTemplateSpec, at *field.Path) []string {
	w := &warner{}
	spec := at.Child("spec")
	w.spread(&t.Spec, spec)
	w.annotations(t, at)
	w.volumes(t.Spec.Volumes, spec)
	w.repeated(&t.Spec, spec)
	for _, name := range byteResources {
		w.wholeBytes(t.Spec.Overhead, name, func() *field.Path { return spec.Child("overhead") })
	}
	containers := placedContainers(&t.Spec, spec)
	for _, c := range containers {
		for _, name := range byteResources {
			w.wholeBytes(c.Resources.Limits, name, func() *field.Path { return c.at().Child("resources", "limits") })
			w.wholeBytes(c.Resources.Requests, name, func() *field.Path { return c.at().Child("resources", "requests") })
		}
		w.env(c)
	}
	w.ports(containers)
	w.selectors(t.Spec.Affinity, spec)
	return w.texts
}

var byteResources = []corev1.ResourceName{corev1.ResourceMemory, corev1.ResourceEphemeralStorage}

// A warner collects warnings.
type warner struct{ texts []string }

func (w *warner) at(path *field.Path, format string, args ...any) {
	w.texts = append(w.texts, fmt.Sprintf("%s: %s", path, fmt.Sprintf(format, args...)))
}

const matchesNothing = "a null labelSelector results in matching no pod"

func (w *warner) spread(s *corev1.PodSpec, at *field.Path) {
	for i, c := range s.TopologySpreadConstraints {
		if c.LabelSelector == nil {
			w.at(at.Child("topologySpreadConstraints").Index(i).Child("labelSelector"), matchesNothing)
		}
	}
}

// selectors warns of terms about other pods that are about none.
func (w *warner) selectors(a *corev1.Affinity, spec *field.Path) {
	if a == nil {
		return
	}
	at := spec.Child("affinity")
	check := func(must []corev1.PodAffinityTerm, may []corev1.WeightedPodAffinityTerm, at *field.Path) {
		for i, t := range must {
			if t.LabelSelector == nil {
				w.at(at.Child(requiredTerms).Index(i).Child("labelSelector"), matchesNothing)
			}
		}
		for i, t := range may {
			if t.PodAffinityTerm.LabelSelector == nil {
				w.at(at.Child(preferredTerms).Index(i).Child("podAffinityTerm", "labelSelector"), matchesNothing)
			}
		}
	}
	if p := a.PodAffinity; p != nil {
		check(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution, at.Child("podAffinity"))
	}
	if p := a.PodAntiAffinity; p != nil {
		check(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution, at.Child("podAntiAffinity"))
	}
}

// annotations warns of those that fields have replaced.
func (w *warner) annotations(t *corev1.PodTemplateSpec, at *field.Path) {
	replaced := func(key, since, by string) {
		if has(t.Annotations, key) {
			w.at(at.Child("metadata", "annotations").Key(key), "%s; use the %q field instead", since, by)
		}
	}
	replaced("scheduler.alpha.kubernetes.io/critical-pod", "non-functional in v1.16+", "priorityClassName")
	replaced("security.alpha.kubernetes.io/sysctls", "non-functional in v1.11+", "sysctls")
	replaced("security.alpha.kubernetes.io/unsafe-sysctls", "non-functional in v1.11+", "sysctls")
	s := t.Spec.SecurityContext
	if s == nil || s.SeccompProfile == nil {
		replaced("seccomp.security.alpha.kubernetes.io/pod", "non-functional in v1.27+", "seccompProfile")
	}
	for _, c := range containersOf(&t.Spec) {
		own := c.SecurityContext
		if own == nil || own.SeccompProfile == nil {
			replaced("container.seccomp.security.alpha.kubernetes.io/"+c.Name, "non-functional in v1.27+", "seccompProfile")
		}
		// The field of a pod itself was filled in from the annotation.
		if (s == nil || s.AppArmorProfile == nil) && (own == nil || own.AppArmorProfile == nil) {
			replaced(corev1.DeprecatedAppArmorBetaContainerAnnotationKeyPrefix+c.Name, "deprecated since v1.30", "appArmorProfile")
		}
	}
}

func (w *warner) volumes(volumes []corev1.Volume, spec *field.Path) {
	for i, v := range volumes {
		old := func(name string, set bool, since string) {
			if set {
				w.at(spec.Child("volumes").Index(i).Child(name), "%s", since)
			}
		}
		old("photonPersistentDisk", v.PhotonPersistentDisk != nil, "deprecated in v1.11, non-functional in v1.16+")
		old("gitRepo", v.GitRepo != nil, "deprecated in v1.11, and disabled by default in v1.33+")
		old("scaleIO", v.ScaleIO != nil, "deprecated in v1.16, non-functional in v1.22+")
		old("flocker", v.Flocker != nil, "deprecated in v1.22, non-functional in v1.25+")
		old("storageOS", v.StorageOS != nil, "deprecated in v1.22, non-functional in v1.25+")
		old("quobyte", v.Quobyte != nil, "deprecated in v1.22, non-functional in v1.25+")
		old("glusterfs", v.Glusterfs != nil, "deprecated in v1.25, non-functional in v1.26+")
		old("cephfs", v.CephFS != nil, "deprecated in v1.28, non-functional in v1.31+")
		old("rbd", v.RBD != nil, "deprecated in v1.28, non-functional in v1.31+")
		if v.Projected == nil {
			continue
		}
		for _, s := range v.Projected.Sources {
			if s == (corev1.VolumeProjection{}) {
				w.texts = append(w.texts, fmt.Sprintf("volume %q (Projected) has no sources provided", v.Name))
			}
		}
	}
}

// repeated warns of what is there twice or has no name.
func (w *warner) repeated(s *corev1.PodSpec, at *field.Path) {
	addresses, names := sets.New[string](), sets.New[string]()
	for i, a := range s.HostAliases {
		if addresses.Has(a.IP) {
			w.at(at.Child("hostAliases").Index(i).Child("ip"), "duplicate ip %q", a.IP)
		}
		addresses.Insert(a.IP)
	}
	for i, p := range s.ImagePullSecrets {
		if names.Has(p.Name) {
			w.at(at.Child("imagePullSecrets").Index(i).Child("name"), "duplicate name %q", p.Name)
		}
		names.Insert(p.Name)
	}
	for i, p := range s.ImagePullSecrets {
		if p.Name == "" {
			w.at(at.Child("imagePullSecrets").Index(i).Child("name"), "invalid empty name %q", p.Name)
		}
	}
}

func (w *warner) wholeBytes(list corev1.ResourceList, name corev1.ResourceName, at func() *field.Path) {
	if q, ok := list[name]; ok && fractional(q) {
		w.at(at().Key(string(name)), "fractional byte value %q is invalid, must be an integer", q.String())
	}
}

func fractional(q resource.Quantity) bool { return q.MilliValue()%1000 != 0 }

// env warns of variables that hide one of the same name without use of it.
func (w *warner) env(c placedContainer) {
	names := sets.New[string]()
	for i, v := range c.Env {
		ref := "$(" + v.Name + ")"
		uses := v.ValueFrom == nil && v.Value != ref && strings.Contains(v.Value, ref)
		if names.Has(v.Name) && !uses {
			w.at(c.at().Child("env").Index(i), "hides previous definition of %q, which may be dropped when using apply", v.Name)
		}
		names.Insert(v.Name)
	}
}

// A shownPort has the fields of a port in the server's order.
type shownPort struct {
	Name                    string
	HostPort, ContainerPort int32
	Protocol                corev1.Protocol
	HostIP                  string
}

// ports warns of those that several containers listen on.
func (w *warner) ports(containers []placedContainer) {
	type use struct {
		port     int32
		protocol corev1.Protocol
	}
	type known struct {
		corev1.ContainerPort
		of    placedContainer
		index int
	}
	at := func(k known) *field.Path { return k.of.at().Child("ports").Index(k.index) }
	all := map[use][]known{}
	for _, c := range containers {
		for i, p := range c.Ports {
			this := known{p, c, i}
			if p.HostIP != "" && p.HostPort == 0 {
				w.at(at(this), "hostIP set without hostPort: %+v", shownPort{p.Name, p.HostPort, p.ContainerPort, p.Protocol, p.HostIP})
			}
			key := use{p.ContainerPort, p.Protocol}
			for _, other := range all[key] {
				switch {
				case p.HostIP == other.HostIP && p.HostPort == other.HostPort:
					w.at(at(this), "duplicate port definition with %s", at(other))
				case p.HostPort == 0 || other.HostPort == 0:
					w.at(at(this), "overlapping port definition with %s", at(other))
				case p.HostPort == other.HostPort && (p.HostIP == "" || other.HostIP == ""):
					w.at(at(this), "overlapping port definition with %s", at(other))
				}
			}
			all[key] = append(all[key], this)
		}
	}
}

// replacedBy warns of an annotation of a pod that a field has replaced.
func replacedBy(key, since, by string) string {
	return fmt.Sprintf("%s: %s; use the %q field instead", metadataPath.Child("annotations").Key(key), since, by)
}
