package equivalence

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/smallest"
	"github.com/admsim/admsim/internal/space/edges"
	"github.com/admsim/admsim/internal/survey"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/variation"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/simulator"
)

// A draft is a request to a point before any changes.
type draft struct {
	point      survey.Point
	object     map[string]any
	shape      variation.Shape
	namespaces map[string]map[string]any // labels by name, of the cluster
}

// newDraft returns the draft for a point. ok is false for subresources, for which no object is generated.
func newDraft(point survey.Point, sim *simulator.Simulator, namespaces map[string]map[string]any) (d draft, ok bool) {
	e := &point.Endpoint
	r, found := sim.Resources().Resource(e.Resource)
	if !found || e.Subresource != "" || e.Operation == admissionv1.Connect {
		return d, false
	}
	req := point.Witness.Review.Request
	name := req.Name
	if name == "" {
		name = "example"
	}
	object := smallest.Object(e.Kind, name, req.Namespace, r.CRD)
	if !e.Namespaced {
		delete(object["metadata"].(map[string]any), "namespace")
	}
	if spec, ok := object["spec"].(map[string]any); ok && e.Kind.Kind == "Pod" && e.Kind.Group == "" {
		spec["automountServiceAccountToken"] = false // otherwise every pod has a volume, however it was written
	}
	d = draft{point, object, variation.ShapeOf(e.Kind, r.CRD), namespaces}
	raw := req.Object.Raw
	if len(raw) == 0 {
		raw = req.OldObject.Raw
	}
	var seen struct {
		Metadata struct {
			Labels map[string]any `json:"labels"`
		} `json:"metadata"`
	}
	if json.Unmarshal(raw, &seen) == nil && len(seen.Metadata.Labels) > 0 {
		object["metadata"].(map[string]any)["labels"] = seen.Metadata.Labels
	}
	return d, true
}

// A request is a generated request.
type request struct {
	label    string
	changes  int    // number of changes to the draft
	manifest []byte // a List, as admsim run accepts it
	edge     bool   // it is at the edge of an expression
}

// namespaceName is the name of a generated namespace.
const namespaceName = "another-namespace"

// request returns the request with changes. ok is false if they do not apply to such a request.
func (d *draft) request(changes []variation.Change) (made request, ok bool) {
	req := d.point.Witness.Review.Request
	e := &d.point.Endpoint
	var labels []string
	object, old := d.object, d.object
	user := map[string]any{"username": req.UserInfo.Username, "groups": req.UserInfo.Groups}
	doc := map[string]any{
		"apiVersion": scenario.APIVersion, "kind": "Request", "operation": string(e.Operation),
		"resource": e.Resource.GroupResource().String() + "/" + e.Resource.Version,
	}
	namespace := d.point.Witness.Namespace
	if req.DryRun != nil && *req.DryRun {
		doc["dryRun"] = true
	}
	for _, c := range changes {
		labels = append(labels, c.String())
		ok := true
		switch c.Place.Root {
		case "object":
			if object, ok = c.Apply(object, d.shape); ok && !c.Alone {
				old, ok = c.Apply(old, d.shape)
			}
		case "oldObject":
			if e.Operation == admissionv1.Create {
				return made, false
			}
			old, ok = c.Apply(old, d.shape)
		case "namespaceObject":
			namespace, ok = d.otherNamespace(c)
		case "request":
			ok = d.ofRequest(c, doc, user)
		default:
			ok = false
		}
		if !ok {
			return made, false
		}
	}
	doc["user"] = user
	if name, given := doc["name"].(string); given {
		object, old = renamed(object, "name", name), renamed(old, "name", name)
		delete(doc, "name")
	}
	inNamespace := req.Namespace
	switch {
	case namespace != nil && e.Namespaced:
		inNamespace = namespace.Name
	case doc["namespace"] != nil:
		inNamespace, _ = doc["namespace"].(string)
	}
	delete(doc, "namespace")
	if e.Namespaced {
		object, old = renamed(object, "namespace", inNamespace), renamed(old, "namespace", inNamespace)
		doc["namespace"] = inNamespace
	}
	object, old = smallest.Agreeing(e.Kind.GroupKind(), object), smallest.Agreeing(e.Kind.GroupKind(), old)
	if nameOf(object) == "" || nameOf(old) == "" {
		return made, false
	}
	switch e.Operation {
	case admissionv1.Create:
		doc["object"] = object
	case admissionv1.Update:
		doc["name"], doc["object"], doc["oldObject"] = nameOf(object), object, renamed(old, "name", nameOf(object))
	case admissionv1.Delete:
		doc["name"], doc["oldObject"] = nameOf(old), old
	}
	items := []any{}
	if namespace != nil {
		items = append(items, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace.Name, "labels": namespace.Labels}})
	}
	manifest, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": append(items, doc)})
	if err != nil {
		return made, false
	}
	return request{label: strings.Join(labels, ", "), changes: len(changes), manifest: manifest}, true
}

// otherNamespace returns a namespace that differs from that of the request by a change.
func (d *draft) otherNamespace(c variation.Change) (*corev1.Namespace, bool) {
	req := d.point.Witness.Review.Request
	if !d.point.Endpoint.Namespaced {
		return nil, false
	}
	labels := map[string]any{}
	if is := d.point.Witness.Namespace; is != nil {
		for key, value := range is.Labels {
			labels[key] = value
		}
	} else {
		maps.Copy(labels, d.namespaces[req.Namespace])
	}
	labels[corev1.LabelMetadataName] = namespaceName
	object := map[string]any{"metadata": map[string]any{"name": namespaceName, "labels": labels}}
	changed, ok := c.Apply(object, variation.ShapeOf(corev1.SchemeGroupVersion.WithKind("Namespace"), nil))
	if !ok {
		return nil, false
	}
	ns := &corev1.Namespace{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(changed, ns); err != nil || ns.Name != namespaceName || ns.Labels[corev1.LabelMetadataName] != namespaceName {
		return nil, false
	}
	return ns, true
}

// ofRequest changes the fields of a request outside its objects.
func (d *draft) ofRequest(c variation.Change, doc, user map[string]any) bool {
	text, isText := c.Value.Is.(string)
	isText = isText && text != "" && c.Value.Sort != edges.Absent
	switch place := c.Place.String(); {
	case place == "request.userInfo.username" && isText:
		user["username"] = text
	case (place == "request.userInfo.groups" || place == "request.userInfo.groups[*]") && isText:
		groups := append(slices.Clone(d.point.Witness.Review.Request.UserInfo.Groups), text)
		user["groups"] = groups
	case place == "request.name" && isText:
		doc["name"] = text
	case place == "request.namespace" && isText && d.namespaces[text] != nil:
		doc["namespace"] = text
	case place == "request.dryRun" && c.Value.Is == true:
		doc["dryRun"] = true
	default:
		return false
	}
	return true
}

// renamed returns an object with another value for a field of its metadata.
func renamed(object map[string]any, field, value string) map[string]any {
	metadata, _ := object["metadata"].(map[string]any)
	object, metadata = maps.Clone(object), maps.Clone(metadata)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata[field] = value
	object["metadata"] = metadata
	return object
}

func nameOf(object map[string]any) string {
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	return name
}

// asWitness returns the witness of a point.
func asWitness(point survey.Point) request {
	return request{label: "an example of the region", manifest: point.Shown.Manifest}
}

// A ready request is a generated request that was parsed.
type ready struct {
	request
	read      scenario.Request
	namespace runtime.Object // nil: the cluster has it
}

// read parses the manifest of a request, as admsim run does.
func (r request) read() (ready, error) {
	found, err := scenario.Parse("request", r.manifest)
	if err != nil {
		return ready{}, err
	}
	bag, err := scenario.Sort(found, scenario.Options{})
	if err != nil {
		return ready{}, err
	}
	if len(bag.Requests) != 1 {
		return ready{}, fmt.Errorf("%d requests where one was made", len(bag.Requests))
	}
	made := ready{request: r, read: bag.Requests[0]}
	made.read.Label, made.read.Source = r.label, scenario.Source{}
	for _, o := range bag.Objects {
		ns := &corev1.Namespace{}
		if err := json.Unmarshal(o.JSON, ns); err != nil {
			return ready{}, err
		}
		made.namespace = ns
	}
	return made, nil
}

// ask prepares the request for a world as it was loaded.
func (r ready) ask(w *world.World, sim *simulator.Simulator, d scenario.Defaults) (world.Asked, error) {
	if r.namespace != nil {
		var err error
		state := simulator.AssumeControllers(sim.State().With(cluster.Object{Object: r.namespace}))
		if sim, err = sim.With(state); err != nil {
			return world.Asked{}, err
		}
	}
	return w.Ask(sim, r.read, d)
}

// step returns the request as a step of a corpus that begins with the cluster as it was loaded.
func (r ready) step(d scenario.Defaults) traffic.Step {
	return traffic.Step{Begins: true, Ask: func(w *world.World, sim *simulator.Simulator) (world.Asked, error) { return r.ask(w, sim, d) }}
}
