// kubernetes/kubernetes:pkg/api/pod/warnings.go

package pod

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Warnings returns warnings about a new pod, and about the addresses in a status. There are none for updates, since
// these are made by controllers and not by users: kubernetes/kubernetes:pkg/registry/core/pod/strategy.go.
func Warnings(p, old *corev1.Pod, r rules.Request) []string {
	w := &Warner{}
	switch {
	case r.Subresource == "status":
		for i, a := range p.Status.PodIPs {
			w.address(a.IP, field.NewPath("status", "podIPs").Index(i).Child("ip"), r)
		}
		for i, a := range p.Status.HostIPs {
			w.address(a.IP, field.NewPath("status", "hostIPs").Index(i).Child("ip"), r)
		}
	case old == nil:
		t := corev1.PodTemplateSpec{ObjectMeta: p.ObjectMeta, Spec: p.Spec}
		w.Texts = HostnameWarnings(p.Name, "the Pod's hostname", r)
		w.Template(&t, nil, r)
	}
	return w.Texts
}

// HostnameWarnings returns warnings about a name by which pods are known on the network.
func HostnameWarnings(name, usedIn string, r rules.Request) []string {
	faults := rules.DNS1123Label(name)
	if len(faults) == 0 || !r.Release.Has(kubeversion.HostnameWarnings) {
		return nil
	}
	return []string{fmt.Sprintf("metadata.name: this is used in %s, which can result in surprising behavior; a DNS label is recommended: %v", usedIn, faults)}
}

const Names = "Pod names and hostnames"

// TemplateWarnings returns warnings about a template at that path.
func TemplateWarnings(t *corev1.PodTemplateSpec, at *field.Path, r rules.Request) []string {
	w := &Warner{}
	w.Template(t, at, r)
	return w.Texts
}

// Template adds the warnings about a template, in the order of kubernetes/kubernetes:pkg/api/pod/warnings.go. A pod
// itself has no path.
func (w *Warner) Template(t *corev1.PodTemplateSpec, at *field.Path, r rules.Request) {
	spec := at.Child("spec")
	w.nodeLabels(&t.Spec, spec, r)
	w.spread(&t.Spec, spec, r)
	w.oldAnnotations(t, at)
	w.volumes(t.Spec.Volumes, spec, r)
	if r.Release.Has(kubeversion.OverlappingVolumeWarnings) {
		w.overlaps(t.Spec.Volumes, r.Release.Has(kubeversion.ProjectedSourcesApart))
	}
	w.repeated(&t.Spec, spec, r)
	for _, name := range byteResources {
		w.wholeBytes(t.Spec.Overhead, name, func() *field.Path { return spec.Child("overhead") })
	}
	s := t.Spec.SecurityContext
	w.seccomp(t, corev1.SeccompPodAnnotationKey, s != nil && s.SeccompProfile != nil, at, r)
	containers := placedContainers(&t.Spec, spec)
	for _, c := range containers {
		w.container(c, t, at, r)
	}
	ports := placedPorts(containers)
	if r.Release.Has(kubeversion.DuplicatePortWarnings) {
		w.ports(ports)
	}
	if r.Release.Has(kubeversion.DuplicatePortNameWarnings) {
		w.portNames(ports)
	}
	if grace := t.Spec.TerminationGracePeriodSeconds; r.Release.Has(kubeversion.NegativeGraceWarnings) && grace != nil && *grace < 0 {
		w.At(spec.Child("terminationGracePeriodSeconds"), "must be >= 0; negative values are invalid and will be treated as 1")
	}
	if r.Release.Has(kubeversion.NullSelectorWarnings) {
		w.selectors(t.Spec.Affinity, spec)
	}
	w.addresses(&t.Spec, spec, r)
}

// container warns about one container of a template.
func (w *Warner) container(c placedContainer, t *corev1.PodTemplateSpec, at *field.Path, r rules.Request) {
	own := c.SecurityContext
	if len(t.Annotations) > 0 {
		w.seccomp(t, corev1.SeccompContainerAnnotationKeyPrefix+c.Name, own != nil && own.SeccompProfile != nil, at, r)
		if r.Release.Has(kubeversion.AppArmorFields) {
			w.appArmor(c, t, at)
		}
	}
	for _, name := range byteResources {
		w.wholeBytes(c.Resources.Limits, name, func() *field.Path { return c.at().Child("resources", "limits") })
		w.wholeBytes(c.Resources.Requests, name, func() *field.Path { return c.at().Child("resources", "requests") })
	}
	w.env(c, r.Release)
}

var byteResources = []corev1.ResourceName{corev1.ResourceMemory, corev1.ResourceEphemeralStorage}

// A Warner collects warnings.
type Warner struct{ Texts []string }

func (w *Warner) At(path *field.Path, format string, args ...any) {
	w.Texts = append(w.Texts, fmt.Sprintf("%s: %s", path, fmt.Sprintf(format, args...)))
}

const matchesNothing = "a null labelSelector results in matching no pod"

// OldNodeLabel warns about a node label with an old name.
func (w *Warner) OldNodeLabel(key string, at *field.Path, r *kubeversion.Release) {
	if since, old := OldNodeLabel(key, r); old {
		w.At(at, "%s", since)
	}
}

// OldNodeLabels warns about node labels with old names, each with its path. The server iterates over the map in random
// order.
func (w *Warner) OldNodeLabels(labels map[string]string, at func(key string) *field.Path, r rules.Request) {
	before := len(w.Texts)
	for key := range rules.Sorted(labels) {
		w.OldNodeLabel(key, at(key), r.Release)
	}
	found := slices.Clone(w.Texts[before:])
	if len(found) < 2 {
		return
	}
	paths := make([][]string, len(found))
	for i, text := range found {
		paths[i] = []string{text}
	}
	say := func(i int, say func(in, text string, once bool)) { say("warnings", found[i], false) }
	for i, at := range r.Course.Arrange(paths, say, "the server walks through labels in any order") {
		w.Texts[before+i] = found[at]
	}
}

// nodeLabels warns about node labels with old names.
func (w *Warner) nodeLabels(s *corev1.PodSpec, at *field.Path, r rules.Request) {
	w.OldNodeLabels(s.NodeSelector, func(key string) *field.Path { return at.Child("nodeSelector").Key(key) }, r)
	if s.Affinity == nil || s.Affinity.NodeAffinity == nil {
		return
	}
	at = at.Child("affinity", "nodeAffinity")
	if must := s.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution; must != nil {
		for i, t := range must.NodeSelectorTerms {
			w.nodeTerm(t, false, at.Child(RequiredTerms, "nodeSelectorTerms").Index(i), r.Release)
		}
	}
	for i, t := range s.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution {
		w.nodeTerm(t.Preference, r.Release.Has(kubeversion.PreferredValueWarnings), at.Child(preferredTerms).Index(i).Child("preference"), r.Release)
	}
}

func (w *Warner) nodeTerm(t corev1.NodeSelectorTerm, checkValues bool, at *field.Path, r *kubeversion.Release) {
	for i, e := range t.MatchExpressions {
		at := at.Child("matchExpressions").Index(i)
		if since, old := OldNodeLabel(e.Key, r); old {
			w.At(at.Child("key"), "%s is %s", e.Key, since)
		}
		for j, value := range e.Values {
			if !checkValues {
				break
			}
			for _, fault := range content.IsLabelValue(value) {
				w.At(at.Child("values").Index(j), "%s is invalid, %s", value, fault)
			}
		}
	}
}

func (w *Warner) spread(s *corev1.PodSpec, at *field.Path, r rules.Request) {
	for i, c := range s.TopologySpreadConstraints {
		at := at.Child("topologySpreadConstraints").Index(i)
		if since, old := OldNodeLabel(c.TopologyKey, r.Release); old {
			w.At(at.Child("topologyKey"), "%s is %s", c.TopologyKey, since)
		}
		if c.LabelSelector == nil && r.Release.Has(kubeversion.NullSelectorWarnings) {
			w.At(at.Child("labelSelector"), matchesNothing)
		}
	}
}

// selectors warns about terms that match no pods.
func (w *Warner) selectors(a *corev1.Affinity, spec *field.Path) {
	if a == nil {
		return
	}
	at := spec.Child("affinity")
	check := func(must []corev1.PodAffinityTerm, may []corev1.WeightedPodAffinityTerm, at *field.Path) {
		for i, t := range must {
			if t.LabelSelector == nil {
				w.At(at.Child(RequiredTerms).Index(i).Child("labelSelector"), matchesNothing)
			}
		}
		for i, t := range may {
			if t.PodAffinityTerm.LabelSelector == nil {
				w.At(at.Child(preferredTerms).Index(i).Child("podAffinityTerm", "labelSelector"), matchesNothing)
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

// oldAnnotations warns about annotations that were replaced by fields long ago.
func (w *Warner) oldAnnotations(t *corev1.PodTemplateSpec, at *field.Path) {
	for _, old := range []struct{ key, since, by string }{
		{"scheduler.alpha.kubernetes.io/critical-pod", "v1.16+", "priorityClassName"},
		{"security.alpha.kubernetes.io/sysctls", "v1.11+", "sysctls"},
		{"security.alpha.kubernetes.io/unsafe-sysctls", "v1.11+", "sysctls"},
	} {
		if rules.Has(t.Annotations, old.key) {
			w.At(at.Child("metadata", "annotations").Key(old.key), "non-functional in %s; use the %q field instead", old.since, old.by)
		}
	}
}

// seccomp warns about a profile that is no longer read.
func (w *Warner) seccomp(t *corev1.PodTemplateSpec, key string, replaced bool, at *field.Path, r rules.Request) {
	if !rules.Has(t.Annotations, key) || replaced {
		return
	}
	since := "deprecated since v1.19"
	switch {
	case r.Release.Has(kubeversion.SeccompAnnotationsIgnored):
		since = "non-functional in v1.27+"
	case r.Release.Has(kubeversion.SeccompAnnotationsOneWay):
		since += ", non-functional in a future release"
	case r.Release.Has(kubeversion.SeccompAnnotationsLimited):
		since += ", non-functional in v1.25+"
	}
	w.At(at.Child("metadata", "annotations").Key(key), "%s; use the %q field instead", since, "seccompProfile")
}

// appArmor warns about a profile in an annotation of a template. In a pod, it was copied to the field.
func (w *Warner) appArmor(c placedContainer, t *corev1.PodTemplateSpec, at *field.Path) {
	key := corev1.DeprecatedAppArmorBetaContainerAnnotationKeyPrefix + c.Name
	annotation, ok := t.Annotations[key]
	if !ok || at == nil || c.SecurityContext != nil && c.SecurityContext.AppArmorProfile != nil {
		return
	}
	s := t.Spec.SecurityContext
	if s == nil || s.AppArmorProfile == nil || !semantic.DeepEqual(s.AppArmorProfile, appArmorProfile(annotation)) {
		w.At(at.Child("metadata", "annotations").Key(key), "deprecated since v1.30; use the %q field instead", "appArmorProfile")
	}
}

func (w *Warner) volumes(volumes []corev1.Volume, spec *field.Path, r rules.Request) {
	for i, v := range volumes {
		old := func(name string, set bool, since string) {
			if set {
				w.At(spec.Child("volumes").Index(i).Child(name), "%s", since)
			}
		}
		old("photonPersistentDisk", v.PhotonPersistentDisk != nil, "deprecated in v1.11, non-functional in v1.16+")
		gitRepo := "deprecated in v1.11"
		if r.Release.Has(kubeversion.GitRepoDisabled) {
			gitRepo += ", and disabled by default in v1.33+"
		}
		old("gitRepo", v.GitRepo != nil, gitRepo)
		old("scaleIO", v.ScaleIO != nil, "deprecated in v1.16, non-functional in v1.22+")
		gone25, gone26 := "deprecated in v1.22, non-functional in v1.25+", "deprecated in v1.25, non-functional in v1.26+"
		if !r.Release.Has(kubeversion.VolumesGone) {
			gone25 = "deprecated in v1.22, support removal is planned in v1.26"
			gone26 = "deprecated in v1.25, this feature will be removed soon after in a subsequent release"
		}
		old("flocker", v.Flocker != nil, gone25)
		old("storageOS", v.StorageOS != nil, gone25)
		old("quobyte", v.Quobyte != nil, gone25)
		old("glusterfs", v.Glusterfs != nil && r.Release.Has(kubeversion.NodeLabelWarnings), gone26)
		if e := v.Ephemeral; r.Release.Has(kubeversion.ClaimWarnings) && e != nil && e.VolumeClaimTemplate != nil {
			w.Claim(&e.VolumeClaimTemplate.Spec, spec.Child("volumes").Index(i).Child("ephemeral", "volumeClaimTemplate", "spec"))
		}
		if r.Release.Has(kubeversion.OldStorageWarnings) {
			old("cephfs", v.CephFS != nil, "deprecated in v1.28, non-functional in v1.31+")
			old("rbd", v.RBD != nil, "deprecated in v1.28, non-functional in v1.31+")
		}
	}
}

// Claim warns about storage that is not a whole number of bytes.
func (w *Warner) Claim(s *corev1.PersistentVolumeClaimSpec, at *field.Path) {
	w.wholeBytes(s.Resources.Requests, corev1.ResourceStorage, func() *field.Path { return at.Child("resources", "requests") })
	w.wholeBytes(s.Resources.Limits, corev1.ResourceStorage, func() *field.Path { return at.Child("resources", "limits") })
}

// repeated warns about duplicate and empty names.
func (w *Warner) repeated(s *corev1.PodSpec, at *field.Path, r rules.Request) {
	addresses, names := sets.New[string](), sets.New[string]()
	for i, a := range s.HostAliases {
		if addresses.Has(a.IP) {
			w.At(at.Child("hostAliases").Index(i).Child("ip"), "duplicate ip %q", a.IP)
		}
		addresses.Insert(a.IP)
	}
	for i, p := range s.ImagePullSecrets {
		if names.Has(p.Name) {
			w.At(at.Child("imagePullSecrets").Index(i).Child("name"), "duplicate name %q", p.Name)
		}
		names.Insert(p.Name)
	}
	for i, p := range s.ImagePullSecrets {
		if p.Name == "" {
			w.At(at.Child("imagePullSecrets").Index(i).Child("name"), "invalid empty name %q", p.Name)
		}
	}
	if r.Release.Has(kubeversion.NoVolumeNameWarnings) {
		return
	}
	for i, v := range s.Volumes {
		if slices.ContainsFunc(s.Volumes[:i], func(before corev1.Volume) bool { return before.Name == v.Name }) {
			w.At(at.Child("volumes").Index(i).Child("name"), "duplicate name %q", v.Name)
		}
	}
}

func (w *Warner) wholeBytes(list corev1.ResourceList, name corev1.ResourceName, at func() *field.Path) {
	if q, ok := list[name]; ok && fractional(q) {
		w.At(at().Key(string(name)), "fractional byte value %q is invalid, must be an integer", q.String())
	}
}

func fractional(q resource.Quantity) bool { return q.MilliValue()%1000 != 0 }

// env warns about variables that hide an earlier one with the same name without using it. Up to 1.27, any variable with
// the name of an earlier one was reported.
func (w *Warner) env(c placedContainer, r *kubeversion.Release) {
	for i := range c.Env {
		v := &c.Env[i]
		if !slices.ContainsFunc(c.Env[:i], func(before corev1.EnvVar) bool { return before.Name == v.Name }) {
			continue
		}
		if !r.Has(kubeversion.HiddenVariableWarnings) {
			w.At(c.at().Child("env").Index(i).Child("name"), "duplicate name %q", v.Name)
			continue
		}
		ref, consequence := "$("+v.Name+")", ", which may be dropped when using apply"
		if !r.Has(kubeversion.HiddenVariableReason) {
			consequence = ""
		}
		if uses := v.ValueFrom == nil && v.Value != ref && strings.Contains(v.Value, ref); !uses {
			w.At(c.at().Child("env").Index(i), "hides previous definition of %q%s", v.Name, consequence)
		}
	}
}

// A shownPort has the fields of a port in the server's order.
type shownPort struct {
	Name                    string
	HostPort, ContainerPort int32
	Protocol                corev1.Protocol
	HostIP                  string
}

// A placedPort is a port with its position.
type placedPort struct {
	*corev1.ContainerPort
	of    placedContainer
	index int
}

func (p placedPort) at() *field.Path { return p.of.at().Child("ports").Index(p.index) }

// placedPorts returns all ports of some containers with their paths.
func placedPorts(containers []placedContainer) []placedPort {
	n := 0
	for _, c := range containers {
		n += len(c.Ports)
	}
	all := make([]placedPort, 0, n)
	for _, c := range containers {
		for i := range c.Ports {
			all = append(all, placedPort{&c.Ports[i], c, i})
		}
	}
	return all
}

// ports warns about ports that several containers listen on.
func (w *Warner) ports(all []placedPort) {
	for i, p := range all {
		if p.HostIP != "" && p.HostPort == 0 {
			w.At(p.at(), "hostIP set without hostPort: %+v", shownPort{p.Name, p.HostPort, p.ContainerPort.ContainerPort, p.Protocol, p.HostIP})
		}
		for _, other := range all[:i] {
			switch {
			case p.ContainerPort.ContainerPort != other.ContainerPort.ContainerPort || p.Protocol != other.Protocol:
			case p.HostIP == other.HostIP && p.HostPort == other.HostPort:
				w.At(p.at(), "duplicate port definition with %s", other.at())
			case p.HostPort == 0 || other.HostPort == 0:
				w.At(p.at(), "overlapping port definition with %s", other.at())
			case p.HostPort == other.HostPort && (p.HostIP == "" || other.HostIP == ""):
				w.At(p.at(), "dangerously ambiguous port definition with %s", other.at())
			}
		}
	}
}

// portNames warns about port names that are used again: only the first port is found.
func (w *Warner) portNames(all []placedPort) {
	for i, p := range all {
		first := slices.IndexFunc(all[:i], func(before placedPort) bool { return before.Name == p.Name })
		if p.Name != "" && first >= 0 {
			at := all[first].at()
			w.At(p.at(), "duplicate port name %q with %s, services and probes that select ports by name will use %s", p.Name, at, at)
		}
	}
}

// addresses warns about addresses in unusual forms.
func (w *Warner) addresses(s *corev1.PodSpec, at *field.Path, r rules.Request) {
	if s.DNSConfig != nil {
		for i, server := range s.DNSConfig.Nameservers {
			w.address(server, at.Child("dnsConfig", "nameservers").Index(i), r)
		}
	}
	for i, a := range s.HostAliases {
		w.address(a.IP, at.Child("hostAliases").Index(i).Child("ip"), r)
	}
}

// Balancer warns about the address of a load balancer in a status.
func (w *Warner) Balancer(ip string, i int, r rules.Request) {
	if ip != "" {
		w.address(ip, field.NewPath("status", "loadBalancer", "ingress").Index(i), r)
	}
}

func (w *Warner) address(ip string, at *field.Path, r rules.Request) {
	w.Texts = append(w.Texts, rules.AddressWarnings(at, ip, r)...)
}

// replacedBy returns the warning about an annotation of a pod that was replaced by a field.
func replacedBy(key, since, by string) string {
	return fmt.Sprintf("%s: %s; use the %q field instead", rules.MetadataPath.Child("annotations").Key(key), since, by)
}
