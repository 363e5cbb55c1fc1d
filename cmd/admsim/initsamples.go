package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/admsim/admsim/pkg/convert"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/scenario"
)

// samples are objects that webhooks and policies are asked about, each in a file of testdata.
type samples struct {
	*beginning
	world      *loaded
	namespaces []corev1.Namespace // of the manifests
	all        []*sample
}

// A sample is one of them.
type sample struct {
	name, kind string
	key        string    // what makes it another one
	subjects   []subject // that it is for
}

func (s *sample) file() string { return "testdata/" + s.name + ".yaml" }

// add adds an object that s is asked about, unless one of the others is as good.
func (all *samples) add(s subject, stderr io.Writer) error {
	resource, ok := creatable(all.world.Simulator().Resources().All(), s.rules)
	if !ok {
		hint := "is a CustomResourceDefinition missing in what was given?"
		if !s.creates() {
			hint = "its rules are about other operations: write a case with a request for one of them"
		}
		printWarnings(stderr, []*scenario.Error{{
			Source:  s.at,
			Message: s.String() + " is not asked about anything that is created; there is no case for it",
			Hint:    hint,
		}})
		return nil
	}
	namespace, wanted := "", wantedLabels(s.objects)
	if resource.Namespaced {
		namespace = all.namespace(s.namespaces)
	}
	key := fmt.Sprint(resource.Kind, namespace, wanted)
	if i := slices.IndexFunc(all.all, func(one *sample) bool { return one.key == key }); i >= 0 {
		all.all[i].subjects = append(all.all[i].subjects, s)
		return nil
	}
	one := &sample{kind: strings.ToLower(resource.Kind.Kind), key: key, subjects: []subject{s}}
	taken := func(name string) bool { return all.files["testdata/"+name+".yaml"] != nil }
	if one.name = one.kind; taken(one.name) {
		one.name = plainName(one.kind + "-for-" + s.word())
	}
	one.name = freeName(one.name, taken)
	object := convert.Sample(resource.Kind, "sample", namespace, resource.CRD)
	if len(wanted) > 0 {
		object["metadata"].(map[string]any)["labels"] = wanted
	}
	data, err := manifest(object)
	if err != nil {
		return err
	}
	all.files[one.file()] = data
	all.all = append(all.all, one)
	return nil
}

// skipped tells of one that the sample is for and that is not asked about it.
func (s *sample) skipped(h report.Hook) bool {
	return !wasCalled(h) && slices.ContainsFunc(s.subjects, func(one subject) bool { return one.configuration == h.Configuration && one.name == h.Name })
}

// notAsked tells which of those that a sample is for are not asked about it, and why.
func (s *sample) notAsked(r *report.Result) (warnings []*scenario.Error) {
	for _, one := range s.subjects {
		h := one.in(r)
		why := ""
		switch {
		case h != nil && wasCalled(*h):
			continue
		case h != nil:
			why = h.Because
		case !r.Allowed && r.Status != nil:
			why = "before it the request is refused: " + r.Status.Message
		default:
			continue // its plugin does not run
		}
		warnings = append(warnings, &scenario.Error{
			Source:  one.at,
			Message: fmt.Sprintf("%s is not asked about %s: %s", one, s.file(), why),
			Hint:    "change that object until it is, and with it what its case expects",
		})
	}
	return warnings
}

// namespacesIn are those among manifests that something can be created in.
func namespacesIn(manifests []scenario.Manifest) (all []corev1.Namespace) {
	for _, m := range manifests {
		var n corev1.Namespace
		if m.Group == "" && m.Kind == "Namespace" && json.Unmarshal(m.JSON, &n) == nil && n.Status.Phase != corev1.NamespaceTerminating {
			all = append(all, n)
		}
	}
	return all
}

// namespace is one that selectors match: default, one of the user's, or else a new one.
func (all *samples) namespace(selectors []*metav1.LabelSelector) string {
	standard := corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceDefault}}
	if i := slices.IndexFunc(all.namespaces, func(n corev1.Namespace) bool { return n.Name == standard.Name }); i >= 0 {
		standard = all.namespaces[i]
	}
	for _, n := range append([]corev1.Namespace{standard}, all.namespaces...) {
		if selected(n, selectors) {
			return n.Name
		}
	}
	return all.made(wantedLabels(selectors))
}

func selected(n corev1.Namespace, selectors []*metav1.LabelSelector) bool {
	set := labels.Merge(n.Labels, labels.Set{corev1.LabelMetadataName: n.Name}) // which every namespace has
	return !slices.ContainsFunc(selectors, func(s *metav1.LabelSelector) bool {
		if s == nil {
			return false
		}
		selector, err := metav1.LabelSelectorAsSelector(s)
		return err != nil || !selector.Matches(set)
	})
}

// made is a new namespace with these labels.
func (all *samples) made(wanted map[string]string) string {
	name := wanted[corev1.LabelMetadataName] // every namespace has its name as a label
	if name == metav1.NamespaceSystem && len(wanted) == 1 || slices.ContainsFunc(all.namespaces, func(n corev1.Namespace) bool { return n.Name == name }) {
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
			panic(err) // it is made here
		}
		file := "world/namespace-" + free + ".yaml"
		if there := all.files[file]; there == nil || string(there) == string(data) || name != "" {
			all.files[file] = data
			return free
		}
	}
}
