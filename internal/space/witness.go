package space

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/smallest"
	"github.com/admsim/admsim/internal/space/diagram"
)

// A Witness is one request of many.
type Witness struct {
	Review *admissionv1.AdmissionReview

	// Namespace is a namespace that the cluster needs in addition, or nil if the namespace of the request exists in all
	// worlds, or if it has none.
	Namespace *corev1.Namespace

	// Open lists the conditions that nobody knows how to meet, each with its required result.
	Open []Condition
}

// A Condition is the text of a condition, and the result that it should have: true, false or an error.
type Condition struct {
	Text   string
	Result string
}

// results are the words for the values of conditions.
var results = []string{isTrue: "true", isFalse: "false", fails: "an error"}

// Witness picks a request of r. ok is false if there is none.
func (s *Space) Witness(r Requests) (w Witness, ok bool) {
	i := -1
	for at, set := range r {
		if set != diagram.None && (i < 0 || s.endpoints[at].compare(&s.endpoints[i]) < 0) {
			i = at
		}
	}
	if i < 0 {
		return w, false
	}
	values := map[diagram.Variable]int{}
	s.diagrams.Point(r[i], func(v diagram.Variable, value int) { values[v] = value })
	b := &witnessBuilder{Space: s, endpoint: &s.endpoints[i], values: values}
	return b.witness(), true
}

// compare says which of two endpoints makes the better witness: the one that people know better, or else the one that a
// line names first.
func (e *Endpoint) compare(other *Endpoint) int {
	return cmp.Or(cmp.Compare(other.rank(), e.rank()), cmp.Compare(e.Resource.Group, other.Resource.Group), cmp.Compare(e.Resource.Resource, other.Resource.Resource))
}

// rank says how well people know an endpoint: witnesses should be about well-known resources.
func (e *Endpoint) rank() int {
	rank := 1
	if e.Subresource == "" {
		rank += 4
	}
	switch e.Resource.Resource {
	case "pods", "configmaps", "namespaces", "deployments":
		rank += 2
	}
	if e.Resource.Resource == "pods" {
		rank++
	}
	return rank
}

// A witnessBuilder builds one witness.
type witnessBuilder struct {
	*Space
	endpoint *Endpoint
	values   map[diagram.Variable]int // of the dimensions that matter
}

func (p *witnessBuilder) witness() (w Witness) {
	e := p.endpoint
	req := &admissionv1.AdmissionRequest{
		UID:         "00000000-0000-4000-8000-000000000029",
		Kind:        metav1.GroupVersionKind(e.Kind),
		Resource:    metav1.GroupVersionResource(e.Resource),
		SubResource: e.Subresource,
		Operation:   e.Operation,
		DryRun:      new(false),
	}
	req.UserInfo.Username, req.UserInfo.Groups = unusedName("someone", p.users), []string{"system:authenticated"}
	labels := map[source]map[string]string{stored: {}, current: {}, before: {}}
	req.Name = p.nameOf(0)
	named := false
	for _, v := range slices.Sorted(maps.Keys(p.values)) {
		d, value := p.dimensions[v], p.values[v]
		switch d.is {
		case theLabel:
			maps.Copy(labels[d.of], p.labelled(d.key, value))
		case otherLabels:
			if value == 1 {
				labels[d.of][unusedName("example.com/other", slices.Collect(maps.Keys(p.Space.values)))] = "true"
			}
		case theName:
			req.Name, named = p.nameOf(value), true
		case theUser:
			if value > 0 {
				req.UserInfo.Username = p.users[value-1]
			}
		case theGroup:
			if value == 1 && !slices.Contains(req.UserInfo.Groups, d.key) {
				req.UserInfo.Groups = append(req.UserInfo.Groups, d.key)
			} else if value == 0 {
				req.UserInfo.Groups = slices.DeleteFunc(req.UserInfo.Groups, func(g string) bool { return g == d.key })
			}
		case theDryRun:
			req.DryRun = new(value == 1)
		case theCondition:
			w.Open = append(w.Open, Condition{d.key, results[value]})
		}
	}
	if len(req.UserInfo.Groups) == 0 {
		req.UserInfo.Groups = []string{"system:unauthenticated"}
	}
	if e.inNamespace() {
		at := p.values[p.namespaces.variable] // the first, if it does not matter
		req.Namespace = p.places[at].names[0]
		if !named && !e.isNamespace() && req.Name == "" {
			req.Name = "example"
		}
		p.namespace(&w, &p.places[at], labels[stored])
	}
	if e.isNamespace() {
		req.Name = req.Namespace
		for _, of := range []source{current, before} {
			labels[of][corev1.LabelMetadataName] = req.Name
		}
		labels[before] = p.labelsIn(req.Namespace, labels[stored])
	}
	switch e.Operation {
	case admissionv1.Create:
		req.Object = p.object(req, labels[current])
	case admissionv1.Update:
		req.Object, req.OldObject = p.object(req, labels[current]), p.object(req, labels[before])
	case admissionv1.Delete:
		if e.isNamespace() {
			labels[current] = labels[before]
		}
		req.OldObject = p.object(req, labels[current])
	case admissionv1.Connect:
		req.Object = p.options()
	}
	w.Review = &admissionv1.AdmissionReview{Request: req}
	w.Review.APIVersion, w.Review.Kind = admissionv1.SchemeGroupVersion.String(), "AdmissionReview"
	return w
}

// namespace adds a namespace that does not exist to what the cluster needs, unless the request creates it.
func (p *witnessBuilder) namespace(w *Witness, at *place, labels map[string]string) {
	if at.exists && !at.partly || p.endpoint.isNamespace() && p.endpoint.Operation == admissionv1.Create {
		return
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: at.names[0], Labels: p.labelsIn(at.names[0], labels)}}
	ns.APIVersion, ns.Kind = "v1", "Namespace"
	w.Namespace = ns
}

// labelsIn returns the labels of a namespace: those it has, or else those chosen.
func (p *witnessBuilder) labelsIn(name string, chosen map[string]string) map[string]string {
	if at := &p.places[p.placeOf(name)]; at.exists {
		return at.labels[0]
	}
	labels := maps.Clone(chosen)
	labels[corev1.LabelMetadataName] = name
	return labels
}

// object returns an object of the endpoint's kind, with as little in it as possible.
func (p *witnessBuilder) object(req *admissionv1.AdmissionRequest, labels map[string]string) runtime.RawExtension {
	metadata := map[string]any{}
	if req.Name != "" {
		metadata["name"] = req.Name
	} else {
		metadata["generateName"] = "example-"
	}
	if p.endpoint.Namespaced {
		metadata["namespace"] = req.Namespace
	}
	if len(labels) > 0 {
		metadata["labels"] = labels
	}
	object := map[string]any{}
	if p.endpoint.crd != nil && p.endpoint.Subresource == "" {
		object = smallest.Object(p.endpoint.Kind, req.Name, req.Namespace, p.endpoint.crd)
	}
	object["metadata"] = metadata
	if p.endpoint.Kind == corev1.SchemeGroupVersion.WithKind("Pod") {
		object["spec"] = map[string]any{"containers": []any{map[string]any{"name": "example", "image": "example"}}}
	}
	return ofKind(p.endpoint.Kind, object)
}

func (p *witnessBuilder) options() runtime.RawExtension {
	return ofKind(p.endpoint.Kind, map[string]any{})
}

func ofKind(kind schema.GroupVersionKind, object map[string]any) runtime.RawExtension {
	object["apiVersion"], object["kind"] = kind.GroupVersion().String(), kind.Kind
	data, err := json.Marshal(object)
	if err != nil {
		panic(fmt.Sprintf("a map of strings does not encode: %v", err))
	}
	return runtime.RawExtension{Raw: data}
}
