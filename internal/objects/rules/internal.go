package rules

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// AsInternal wraps a value in an [internalForm].
func AsInternal(value any) any { return internalForm{value} }

// An internalForm shows a value as in those messages of the server that print one of its internal types: with the names
// of its Go fields, in their order there, and with nothing omitted. Types of apimachinery have their usual form.
type internalForm struct{ value any }

// MarshalJSON writes the internal form of the newest release. The packages that write messages call it.
func (s internalForm) MarshalJSON() ([]byte, error) {
	return internalIn{s, kubeversion.Default()}.MarshalJSON()
}

func (s internalForm) InGo() any { return s.value }

// An internalIn is an internalForm in the internal types of a release.
type internalIn struct {
	internalForm
	release *kubeversion.Release
}

// MarshalJSON writes the internal form of the release. The packages that write messages call it.
func (s internalIn) MarshalJSON() ([]byte, error) {
	p := asPart(s.value)
	b := internalWriter{release: s.release, asV1: s.release.Has(kubeversion.InternalTypesAsV1), annotations: p.annotations}
	err := b.write(reflect.ValueOf(p.value))
	return b.Bytes(), err
}

// An internalWriter writes internal types, with the fields that they have in a release.
type internalWriter struct {
	bytes.Buffer
	release *kubeversion.Release
	asV1    bool // their fields have the order of v1

	annotations map[string]string // of the object that contains the value
}

// A shownSecurityContext is the one type with a different internal structure: what a pod shares with its host was part
// of its security context.
type shownSecurityContext struct {
	HostNetwork           bool  `json:"hostNetwork"`
	HostPID               bool  `json:"hostPID"`
	HostIPC               bool  `json:"hostIPC"`
	ShareProcessNamespace *bool `json:"shareProcessNamespace"`
	HostUsers             *bool `json:"hostUsers"`
	corev1.PodSecurityContext
}

// internalOrder lists the fields of types whose internal order differed.
var internalOrder = map[reflect.Type]string{
	reflect.TypeFor[corev1.PodSpec](): `Volumes InitContainers Containers EphemeralContainers RestartPolicy TerminationGracePeriodSeconds
		ActiveDeadlineSeconds DNSPolicy NodeSelector ServiceAccountName AutomountServiceAccountToken NodeName SecurityContext
		ImagePullSecrets Hostname Subdomain SetHostnameAsFQDN Affinity SchedulerName Tolerations HostAliases PriorityClassName
		Priority PreemptionPolicy DNSConfig ReadinessGates RuntimeClassName Overhead EnableServiceLinks
		TopologySpreadConstraints OS SchedulingGates ResourceClaims Resources HostnameOverride SchedulingGroup`,
	reflect.TypeFor[corev1.PodSecurityContext](): `SELinuxOptions WindowsOptions RunAsUser RunAsGroup RunAsNonRoot SupplementalGroups
		SupplementalGroupsPolicy FSGroup FSGroupChangePolicy Sysctls SeccompProfile AppArmorProfile SELinuxChangePolicy`,
	reflect.TypeFor[corev1.Secret](): `TypeMeta ObjectMeta Immutable Data Type`,
	reflect.TypeFor[corev1.ServiceSpec](): `Type Ports Selector ClusterIP ClusterIPs IPFamilies IPFamilyPolicy ExternalName
		ExternalIPs LoadBalancerIP SessionAffinity SessionAffinityConfig LoadBalancerSourceRanges ExternalTrafficPolicy
		HealthCheckNodePort PublishNotReadyAddresses AllocateLoadBalancerNodePorts LoadBalancerClass InternalTrafficPolicy
		TrafficDistribution`,
	reflect.TypeFor[corev1.VolumeSource](): `HostPath EmptyDir GCEPersistentDisk AWSElasticBlockStore GitRepo Secret NFS ISCSI
		Glusterfs PersistentVolumeClaim RBD Quobyte FlexVolume Cinder CephFS Flocker DownwardAPI FC AzureFile ConfigMap
		VsphereVolume AzureDisk PhotonPersistentDisk Projected PortworxVolume ScaleIO StorageOS CSI Ephemeral Image`,
	reflect.TypeFor[corev1.PersistentVolumeSource](): `GCEPersistentDisk AWSElasticBlockStore HostPath Glusterfs NFS RBD Quobyte ISCSI
		FlexVolume Cinder CephFS FC Flocker AzureFile VsphereVolume AzureDisk PhotonPersistentDisk PortworxVolume ScaleIO
		Local StorageOS CSI`,
	reflect.TypeFor[batchv1.JobSpec](): `Parallelism Completions PodFailurePolicy SuccessPolicy ActiveDeadlineSeconds BackoffLimit
		BackoffLimitPerIndex MaxFailedIndexes Selector ManualSelector Template TTLSecondsAfterFinished CompletionMode Suspend
		PodReplacementPolicy ManagedBy`,
	reflect.TypeFor[storagev1.CSIDriverSpec](): `AttachRequired FSGroupPolicy PodInfoOnMount VolumeLifecycleModes StorageCapacity
		TokenRequests RequiresRepublish SELinuxMount NodeAllocatableUpdatePeriodSeconds ServiceAccountTokenInSecrets
		PreventPodSchedulingIfMissing`,
}

func (b *internalWriter) write(v reflect.Value) error {
	switch {
	case !v.IsValid(), isNil(v):
		b.WriteString("null")
		return nil
	case v.Kind() == reflect.Pointer, v.Kind() == reflect.Interface:
		return b.write(v.Elem())
	case v.Kind() == reflect.Struct && isAPIType(v.Type()):
		return b.members('{', '}', func(member func(name string, v reflect.Value) error) error {
			return b.fields(v, member)
		})
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		return b.members('[', ']', func(member func(string, reflect.Value) error) error {
			for i := range v.Len() {
				if err := member("", v.Index(i)); err != nil {
					return err
				}
			}
			return nil
		})
	case v.Kind() == reflect.Map:
		return b.members('{', '}', func(member func(string, reflect.Value) error) error {
			entries := map[string]reflect.Value{}
			for _, k := range v.MapKeys() {
				entries[k.String()] = v.MapIndex(k)
			}
			for _, k := range slices.Sorted(maps.Keys(entries)) {
				if err := member(k, entries[k]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if v.CanAddr() && v.Kind() == reflect.Struct {
		v = v.Addr() // quantities cache their text
	}
	data, err := json.Marshal(v.Interface())
	b.Write(data)
	return err
}

func (b *internalWriter) members(open, end byte, all func(member func(name string, v reflect.Value) error) error) error {
	b.WriteByte(open)
	first := true
	err := all(func(name string, v reflect.Value) error {
		if !first {
			b.WriteByte(',')
		}
		first = false
		if name != "" || open == '{' {
			key, _ := json.Marshal(name) // marshaling a string does not fail
			b.Write(key)
			b.WriteByte(':')
		}
		return b.write(v)
	})
	b.WriteByte(end)
	return err
}

// internalNames returns the names of the fields of an internal type in their order, which is that of v1 or not.
func internalNames(t reflect.Type, asV1 bool) (names []string) {
	if order, ok := internalOrder[t]; ok && !asV1 {
		return strings.Fields(order)
	}
	for i := range t.NumField() {
		names = append(names, t.Field(i).Name)
	}
	return names
}

// InternalFields returns the names of the fields of a struct in the server's internal types, in their order there.
func InternalFields(r *kubeversion.Release, t reflect.Type) (names []string) {
	for _, name := range internalNames(t, r.Has(kubeversion.InternalTypesAsV1)) {
		if f, _ := t.FieldByName(name); hasInternal(r, t, f) {
			names = append(names, name)
		}
	}
	return names
}

// HasGoField reports whether a struct has a field in the release, given its name in Go.
func HasGoField(r *kubeversion.Release, t reflect.Type, name string) bool {
	f, ok := t.FieldByName(name)
	return ok && hasInternal(r, t, f)
}

// InternalType returns the name that the counterpart of a type has in the server.
func InternalType(r *kubeversion.Release, t reflect.Type) string {
	return internalDescriber{release: r}.typeName(t)
}

// hasInternal reports whether an internal type has a field in the release.
func hasInternal(r *kubeversion.Release, t reflect.Type, f reflect.StructField) bool {
	if t == reflect.TypeFor[shownSecurityContext]() {
		t = reflect.TypeFor[corev1.PodSpec]()
	}
	if t == reflect.TypeFor[metav1.ListMeta]() { // only shown within the result of initializers, before it had more fields
		return f.Name == "SelfLink" || f.Name == "ResourceVersion" || f.Name == "Continue"
	}
	if t.PkgPath() == definitions {
		return HasField(r, "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."+t.Name(), strings.ToLower(f.Name[:1])+f.Name[1:])
	}
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	model, ok := builtin.OpenAPIName(t)
	return !ok || name == "" || HasField(r, model, name)
}

// definitions is the package of the internal types of CustomResourceDefinitions. Its fields have the names of v1.
const definitions = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

func (b *internalWriter) fields(v reflect.Value, member func(name string, v reflect.Value) error) error {
	outer := b.annotations
	defer func() { b.annotations = outer }()
	b.annotations = annotationsWithin(v, outer)
	for _, name := range internalNames(v.Type(), b.asV1) {
		f, _ := v.Type().FieldByName(name)
		value := v.FieldByIndex(f.Index)
		if err := b.former(v.Type(), name, member); err != nil {
			return err
		}
		if !hasInternal(b.release, v.Type(), f) {
			continue
		}
		if f.Anonymous {
			write := b.fields
			if !isAPIType(f.Type) {
				write = b.writeUsual
			}
			if err := write(value, member); err != nil {
				return err
			}
			continue
		}
		if s, ok := v.Interface().(corev1.PodSpec); ok && name == "SecurityContext" && !b.asV1 {
			value = reflect.ValueOf(securityContextOf(s))
		}
		if err := member(name, value); err != nil {
			return err
		}
	}
	return b.former(v.Type(), "", member)
}

// former writes the former fields before the named one.
func (b *internalWriter) former(t reflect.Type, next string, member func(name string, v reflect.Value) error) error {
	for name, value := range formerBefore(b.release, t, next, b.annotations) {
		if err := member(name, value); err != nil {
			return err
		}
	}
	return nil
}

// HasField reports whether a release that has a type also has a field of it, on or off. model is the name of the type in
// OpenAPI.
func HasField(r *kubeversion.Release, model, name string) bool {
	return !slices.Contains(r.AbsentFields(model), name)
}

// writeUsual writes the members of a value in its usual form, which is metadata.
func (b *internalWriter) writeUsual(v reflect.Value, member func(name string, v reflect.Value) error) error {
	value := v.Interface()
	if m, ok := value.(metav1.ObjectMeta); ok {
		value = shownMetadata(m)
	}
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if err := member(name.(string), reflect.ValueOf(value)); err != nil {
			return err
		}
	}
	return nil
}

func securityContextOf(s corev1.PodSpec) shownSecurityContext {
	shown := shownSecurityContext{
		HostNetwork: s.HostNetwork, HostPID: s.HostPID, HostIPC: s.HostIPC,
		ShareProcessNamespace: s.ShareProcessNamespace, HostUsers: s.HostUsers,
	}
	if s.SecurityContext != nil {
		shown.PodSecurityContext = *s.SecurityContext
	}
	return shown
}

var removedTypes = reflect.TypeFor[builtin.PodPreset]().PkgPath()

func isAPIType(t reflect.Type) bool {
	return strings.HasPrefix(t.PkgPath(), "k8s.io/api/") || t.PkgPath() == removedTypes || t == reflect.TypeFor[shownSecurityContext]()
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		return v.IsNil()
	}
	return false
}
