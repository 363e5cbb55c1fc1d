package resources

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/apiversion"
	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// PersistentVolumeLabel labels new cloud volumes with their location, and restricts them to the nodes there (PVL-01 to
// PVL-05). The server asks the cloud. Here the plugin's configuration has the answers (PVL-06). It existed up to 1.30.
type PersistentVolumeLabel struct {
	release *kubeversion.Release
	known   []knownVolume
}

const (
	provisionedByAnnotation = "pv.kubernetes.io/provisioned-by"
	beingProvisioned        = "placeholder-for-provisioning"
	zoneSeparator           = "__"
)

func (p PersistentVolumeLabel) Mutate(ctx context.Context, _ *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, "", "persistentvolumes") {
		return plugin.Skip(step, "not a persistent volume"), nil
	}
	volume, err := plugin.ObjectOf[*corev1.PersistentVolume](req)
	if err != nil {
		return step, err
	}
	labels := p.provisionedLabels(volume) // PVL-01
	if labels == nil {
		var problem string
		if labels, problem = p.ask(volume); problem != "" { // PVL-03
			step.Hint = "no cloud is asked: what it knows of its volumes stands in the plugin's configuration, see admsim plugins PersistentVolumeLabel"
			return plugin.Forbid(step, req, problem), nil
		}
	}
	if len(labels) == 0 {
		return plugin.Allow(step, "no cloud knows where the volume is"), nil
	}
	labelled := volume.DeepCopy()
	if labelled.Labels == nil {
		labelled.Labels = map[string]string{}
	}
	maps.Copy(labelled.Labels, labels) // PVL-04
	if p.release.Has(kubeversion.AzureVolumesLabelled) {
		wanted, problem := p.requirements(labels)
		if problem != "" {
			return plugin.Forbid(step, req, problem), nil
		}
		if !p.release.Disabled("VolumeScheduling") && addNodeAffinity(labelled, wanted) && len(wanted) > 1 {
			admission.CourseOf(ctx).Loosen("the order of matchExpressions: PersistentVolumeLabel adds one for each label, in any order")
		}
	}
	if semantic.DeepEqual(labelled, volume) {
		return plugin.Allow(step, "the volume says where it is"), nil
	}
	return plugin.Change(step, labelled, "the volume is where its cloud says"), nil
}

// provisionedLabels returns the zone and region labels that the provisioner set on a volume, if it set both: the newer
// pair if it is there, else the older one.
func (p PersistentVolumeLabel) provisionedLabels(volume *corev1.PersistentVolume) map[string]string {
	if _, ok := volume.Annotations[provisionedByAnnotation]; !ok || !p.release.Has(kubeversion.ProvisionersTrusted) {
		return nil
	}
	for _, pair := range [][2]string{
		{corev1.LabelTopologyZone, corev1.LabelTopologyRegion},
		{corev1.LabelFailureDomainBetaZone, corev1.LabelFailureDomainBetaRegion},
	} {
		if pair[0] == corev1.LabelTopologyZone && !p.release.Has(kubeversion.TopologyOfProvisioners) {
			continue
		}
		zone, hasZone := volume.Labels[pair[0]]
		region, hasRegion := volume.Labels[pair[1]]
		if hasZone && hasRegion {
			return map[string]string{pair[0]: zone, pair[1]: region}
		}
	}
	return nil
}

// A cloudVolume identifies a volume in its cloud, and has the server's name for such volumes and its words if it has no
// such cloud.
type cloudVolume struct{ source, id, name, unconfigured string }

// cloudVolumesOf returns the volume as each cloud knows it that the release asks (PVL-02), in order. There can be several,
// because the volume is not validated yet.
func (p PersistentVolumeLabel) cloudVolumesOf(spec *corev1.PersistentVolumeSpec) (all []cloudVolume) {
	if v := spec.AWSElasticBlockStore; v != nil && !p.release.Has(kubeversion.AWSVolumesLeft) {
		all = append(all, cloudVolume{"awsElasticBlockStore", v.VolumeID, "AWS EBS volume", "unable to build AWS cloud provider for EBS"})
	}
	if v := spec.GCEPersistentDisk; v != nil {
		all = append(all, cloudVolume{"gcePersistentDisk", v.PDName, "GCE PD volume", "unable to build GCE cloud provider for PD"})
	}
	if v := spec.AzureDisk; v != nil && p.asks(kubeversion.AzureVolumesLabelled, kubeversion.AzureVolumesLeft) {
		all = append(all, cloudVolume{"azureDisk", v.DiskName, "AzureDisk volume", "unable to build Azure cloud provider for AzureDisk"})
	}
	if v := spec.Cinder; v != nil && p.asks(kubeversion.CinderVolumesLabelled, kubeversion.CinderVolumesLeft) {
		all = append(all, cloudVolume{"cinder", v.VolumeID, "Cinder volume", "no OpenStack cloud provider config file given"})
	}
	if v := spec.VsphereVolume; v != nil && p.asks(kubeversion.VSphereVolumesLabelled, kubeversion.AzureVolumesLeft) {
		all = append(all, cloudVolume{"vsphereVolume", v.VolumePath, "vSphere Volume", "unable to build vSphere cloud provider"})
	}
	return all
}

func (p PersistentVolumeLabel) asks(since, left kubeversion.Feature) bool {
	return p.release.Has(since) && !p.release.Has(left)
}

// ask returns the labels that the cloud has for a volume, or the server's message if it has none. Up to 1.16, a volume of
// several clouds has the labels of the last one.
func (p PersistentVolumeLabel) ask(volume *corev1.PersistentVolume) (labels map[string]string, problem string) {
	for _, v := range p.cloudVolumesOf(&volume.Spec) {
		if labels, problem = p.askAbout(v); problem != "" || p.release.Has(kubeversion.ProvisionersTrusted) {
			return labels, problem
		}
	}
	return labels, ""
}

func (p PersistentVolumeLabel) askAbout(v cloudVolume) (labels map[string]string, problem string) {
	if v.id == beingProvisioned && v.source != "vsphereVolume" {
		return nil, ""
	}
	failed := func(err string) string { return fmt.Sprintf("error querying %s %s: %s", v.name, v.id, err) }
	for _, known := range p.known {
		switch {
		case known.Source != v.source || known.ID != v.id:
		case known.Error != "":
			return nil, failed(known.Error)
		default:
			return known.Labels, ""
		}
	}
	return nil, failed(v.unconfigured)
}

// requirements returns what the labels mean for nodes.
func (p PersistentVolumeLabel) requirements(labels map[string]string) (all []corev1.NodeSelectorRequirement, problem string) {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		values := []string{labels[key]}
		if key == corev1.LabelFailureDomainBetaZone || key == corev1.LabelTopologyZone && p.release.Has(kubeversion.TopologyOfProvisioners) {
			if values = zones(labels[key]); values == nil {
				return nil, fmt.Sprintf("failed to convert label string for Zone: %s to a Set", labels[key])
			}
		}
		all = append(all, corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: values})
	}
	return all, ""
}

// addNodeAffinity adds requirements to the node affinity of the volume, unless it has one with the same key (PVL-05).
func addNodeAffinity(volume *corev1.PersistentVolume, wanted []corev1.NodeSelectorRequirement) (added bool) {
	if volume.Spec.NodeAffinity == nil {
		volume.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{}
	}
	if volume.Spec.NodeAffinity.Required == nil {
		volume.Spec.NodeAffinity.Required = &corev1.NodeSelector{}
	}
	required := volume.Spec.NodeAffinity.Required
	if len(required.NodeSelectorTerms) == 0 {
		required.NodeSelectorTerms = make([]corev1.NodeSelectorTerm, 1)
	}
	for _, term := range required.NodeSelectorTerms {
		for _, r := range term.MatchExpressions {
			if slices.ContainsFunc(wanted, func(w corev1.NodeSelectorRequirement) bool { return w.Key == r.Key }) {
				return false
			}
		}
	}
	for i := range required.NodeSelectorTerms {
		term := &required.NodeSelectorTerms[i]
		term.MatchExpressions = append(term.MatchExpressions, wanted...)
	}
	return true
}

// zones returns the zones in a label, in order, or nil if one is empty.
func zones(label string) []string {
	var all []string
	for _, zone := range strings.Split(label, zoneSeparator) {
		if zone = strings.TrimSpace(zone); zone == "" {
			return nil
		}
		all = append(all, zone)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// volumeZones is the plugin's configuration, which takes the place of the cloud.
type volumeZones struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Volumes    []knownVolume `json:"volumes"`
}

// A knownVolume is a volume that the cloud has an answer for.
type knownVolume struct {
	Source string            `json:"source"` // as in the spec of a volume: awsElasticBlockStore, …
	ID     string            `json:"id"`     // volumeID, pdName, diskName or volumePath
	Labels map[string]string `json:"labels"`
	Error  string            `json:"error"` // the cloud's error instead
}

func NewPersistentVolumeLabel(r *kubeversion.Release, configuration []byte) (PersistentVolumeLabel, error) {
	if configuration == nil {
		return PersistentVolumeLabel{release: r}, nil
	}
	var c volumeZones
	if err := plugin.Configured(configuration, &c, apiversion.Kinds("VolumeZones")...); err != nil {
		return PersistentVolumeLabel{}, err
	}
	return PersistentVolumeLabel{r, c.Volumes}, nil
}
