package scaffold

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/admsim/admsim/internal/scenario"
)

// namespacesIn returns the namespaces among manifests in which something can be created.
func namespacesIn(manifests []scenario.Manifest) (all []corev1.Namespace) {
	for _, m := range manifests {
		var n corev1.Namespace
		if m.Group == "" && m.Kind == "Namespace" && json.Unmarshal(m.JSON, &n) == nil && n.Status.Phase != corev1.NamespaceTerminating {
			all = append(all, n)
		}
	}
	return all
}

// namespace returns a namespace in which s is called, and the reason for it: default, one of the user's, or else a new
// one. Among the namespaces that its selectors match, one with its params is preferred.
func (all *samples) namespace(s subject) (name, why string) {
	declared := namespacesIn(all.manifests)
	fitting := slices.DeleteFunc(standardFirst(declared), func(n corev1.Namespace) bool { return !selected(n, s.namespaces) })
	params := all.withParams(s)
	for _, n := range fitting {
		if slices.Contains(params, n.Name) {
			return n.Name, "which has params of " + s.String()
		}
	}
	for _, name := range params {
		n := corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		declares := func(m scenario.Manifest) bool { return m.Kind == "Namespace" && m.Name == name }
		if !slices.ContainsFunc(all.manifests, declares) && selected(n, s.namespaces) {
			return all.newNamespace(labelsOf(n)), "which has params of " + s.String()
		}
	}
	if len(fitting) > 0 {
		return fitting[0].Name, "which " + s.String() + " selects"
	}
	return all.newNamespace(wantedLabels(s.namespaces)), "which is made for it: " + s.String() + " selects no other"
}

// standardFirst returns namespaces with default in front, which exists even if nobody declares it.
func standardFirst(declared []corev1.Namespace) []corev1.Namespace {
	standard := corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceDefault}}
	for _, n := range declared {
		if n.Name == standard.Name {
			standard = n
		}
	}
	return append([]corev1.Namespace{standard}, declared...)
}

func isAmong(all []corev1.Namespace, name string) bool {
	return slices.ContainsFunc(all, func(n corev1.Namespace) bool { return n.Name == name })
}

// labelsOf returns the labels of n with the label that every namespace has.
func labelsOf(n corev1.Namespace) labels.Set {
	return labels.Merge(n.Labels, labels.Set{corev1.LabelMetadataName: n.Name})
}

// withParams returns the namespaces that have params of s, if its params are in the namespace of each request.
func (all *samples) withParams(s subject) (names []string) {
	if s.paramKind == nil || s.paramRef == nil || s.paramRef.Namespace != "" {
		return nil
	}
	of := metav1.TypeMeta{APIVersion: s.paramKind.APIVersion, Kind: s.paramKind.Kind}
	kind := of.GroupVersionKind()
	if r, ok := all.world.Simulator().Resources().ForKind(kind); !ok || !r.Namespaced {
		return nil
	}
	for _, m := range all.manifests {
		var o metav1.PartialObjectMetadata
		if m.GroupKind() != kind.GroupKind() || json.Unmarshal(m.JSON, &o) != nil {
			continue
		}
		selector, err := metav1.LabelSelectorAsSelector(s.paramRef.Selector)
		if m.Name == s.paramRef.Name || s.paramRef.Name == "" && err == nil && selector.Matches(labels.Set(o.Labels)) {
			names = append(names, cmp.Or(m.Namespace, metav1.NamespaceDefault))
		}
	}
	return names
}

func selected(n corev1.Namespace, selectors []*metav1.LabelSelector) bool {
	set := labelsOf(n)
	return !slices.ContainsFunc(selectors, func(s *metav1.LabelSelector) bool {
		if s == nil {
			return false
		}
		selector, err := metav1.LabelSelectorAsSelector(s)
		return err != nil || !selector.Matches(set)
	})
}

// newNamespace returns the name of a new namespace with these labels.
func (all *samples) newNamespace(wanted map[string]string) string {
	name := wanted[corev1.LabelMetadataName] // every namespace has its name as a label
	if name == metav1.NamespaceSystem && len(wanted) == 1 || isAmong(namespacesIn(all.manifests), name) {
		return name
	}
	for n := 1; ; n++ {
		free := name
		if name == "" {
			free = fmt.Sprintf("sample-%d", n)
		}
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: free, Labels: wanted}}
		namespace.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
		data, err := manifest(namespace)
		if err != nil {
			panic(err) // the object is created here
		}
		file := "world/namespace-" + free + ".yaml"
		if there := all.files[file]; there == nil || string(there) == string(data) || name != "" {
			all.files[file] = data
			return free
		}
	}
}
