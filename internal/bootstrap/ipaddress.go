package bootstrap

import (
	"encoding/json"
	"net/netip"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	networkingv1beta1 "k8s.io/api/networking/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// WithIPAddresses returns the cluster in which the address of each service has an IPAddress, as a controller of the server
// makes it when the server starts: kubernetes/kubernetes:pkg/registry/core/service/ipallocator/controller/repairip.go.
func WithIPAddresses(s *cluster.State, r *kubeversion.Release) *cluster.State {
	if !r.Has(kubeversion.AddressObjects) {
		return s
	}
	var made []cluster.Object
	ranges := ServiceRanges(s, r)
	for kept := range s.List(schema.GroupKind{Kind: "Service"}, "") {
		service, ok := kept.Object.(*corev1.Service)
		if !ok || service.Spec.Type == corev1.ServiceTypeExternalName {
			continue
		}
		for _, ip := range service.Spec.ClusterIPs {
			address, ok := ParseAddress(ip)
			if !ok || !ranges.Allow(address) {
				continue
			}
			object := IPAddress(service, address, r)
			if m, err := meta.Accessor(object); err == nil {
				m.SetUID(types.UID(uidsOfAddress + Digits("/"+m.GetName())))
				m.SetResourceVersion("1")
			}
			if _, exists := s.Find(cluster.KeyOf(object)); !exists {
				made = append(made, cluster.Object{Object: object})
			}
		}
	}
	if made == nil {
		return s
	}
	return s.With(made...)
}

// AddressManager is the label of the IPAddresses that a server creates.
const AddressManager = "ipallocator.k8s.io"

// AddressVersion returns the version in which a server of a release writes IPAddresses.
func AddressVersion(r *kubeversion.Release) schema.GroupVersion {
	switch {
	case r.Has(kubeversion.AddressObjectsStable):
		return networkingv1.SchemeGroupVersion
	case r.Has(kubeversion.AddressObjectsBeta):
		return networkingv1beta1.SchemeGroupVersion
	}
	return builtin.NetworkingV1alpha1
}

// formerUID is the path of a field that IPAddresses had.
const formerUID = "spec.parentRef.uid"

// IPAddress returns the IPAddress that a server of a release creates for an address of a service, in the version in which
// it writes it.
func IPAddress(s *corev1.Service, address netip.Addr, r *kubeversion.Release) runtime.Object {
	version := AddressVersion(r)
	kind := metav1.TypeMeta{APIVersion: version.String(), Kind: "IPAddress"}
	m := metav1.ObjectMeta{Name: address.String(), Labels: map[string]string{
		networkingv1.LabelIPAddressFamily: string(FamilyOf(address)),
		networkingv1.LabelManagedBy:       AddressManager,
	}}
	parent := &networkingv1.ParentReference{Resource: "services", Namespace: s.Namespace, Name: s.Name}
	if s.UID != "" && r.HasFormer(parent.OpenAPIModelName(), "uid") {
		uid, _ := json.Marshal(s.UID) // a string always has JSON
		m.Annotations = map[string]string{moved.Key(formerUID): string(uid)}
	}
	switch version {
	case networkingv1.SchemeGroupVersion:
		return &networkingv1.IPAddress{TypeMeta: kind, ObjectMeta: m, Spec: networkingv1.IPAddressSpec{ParentRef: parent}}
	case networkingv1beta1.SchemeGroupVersion:
		return &networkingv1beta1.IPAddress{TypeMeta: kind, ObjectMeta: m, Spec: networkingv1beta1.IPAddressSpec{ParentRef: (*networkingv1beta1.ParentReference)(parent)}}
	}
	return &builtin.IPAddress{TypeMeta: kind, ObjectMeta: m, Spec: networkingv1.IPAddressSpec{ParentRef: parent}}
}

// ParentText returns what an IPAddress refers to as a server of a release prints it.
func ParentText(a *networkingv1.IPAddress, r *kubeversion.Release) string {
	parent := a.Spec.ParentRef
	text := parent.String()
	if parent != nil && r.HasFormer(parent.OpenAPIModelName(), "uid") {
		text = strings.TrimSuffix(text, "}") + "UID:" + rules.Former[string](a.Annotations, formerUID) + ",}"
	}
	return text
}
