package manifest

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/yamldoc"
)

// Manifests returns the objects in a document: the document itself, or the items of a list.
func Manifests(d yamldoc.Document, errs *Errors) []Manifest {
	return appendManifests(nil, d, "", "", errs)
}

// appendManifests applies the kind and apiVersion that a typed list gives its items.
func appendManifests(to []Manifest, d yamldoc.Document, apiVersion, kind string, errs *Errors) []Manifest {
	object, ok := d.Value.(map[string]any)
	if !ok {
		errs.Add(d.Source, objectHint(d), "not a Kubernetes object: %s instead of a mapping", TypeName(d.Value))
		return to
	}
	if kind != "" {
		setMissing(object, "apiVersion", apiVersion)
		setMissing(object, "kind", kind)
	}
	if isAdmissionRequest(object) {
		gvk := schema.GroupVersionKind{Group: admissionGroup, Version: "v1", Kind: "AdmissionRequest"}
		return append(to, Manifest{GroupVersionKind: gvk, Source: d.Source, Places: d.Places, JSON: Encode(object)})
	}
	gvk, ok := kindOf(d, object, errs)
	if !ok {
		return to
	}
	if items, isList := itemsOf(gvk, object); isList {
		itemVersion, itemKind := gvk.GroupVersion().String(), strings.TrimSuffix(gvk.Kind, "List")
		for i, item := range items {
			one := yamldoc.Document{Value: item, Source: d.Source, Text: d.Text}
			if one.Places = d.Places.Item(i); one.Places != nil {
				one.Source = one.Places.Or(d.Source)
			}
			to = appendManifests(to, one, itemVersion, itemKind, errs)
		}
		return to
	}
	return appendOne(to, d, object, gvk, errs)
}

func appendOne(to []Manifest, d yamldoc.Document, object map[string]any, gvk schema.GroupVersionKind, errs *Errors) []Manifest {
	m := Manifest{GroupVersionKind: gvk, Source: d.Source, Places: d.Places}
	_, m.Status = object["status"]
	var ok bool
	if m.Namespace, m.Name, ok = nameOf(m, object, errs); !ok {
		return to
	}
	m.JSON = Encode(object)
	if m.HasExpressions() || m.Group == Group { // the text is only shown for these
		m.Text = d.Text
	}
	if d.Again != nil && gvk.Group != Group { // forms need all places anyway
		m.Places, m.again = nil, sync.OnceValue(d.Again)
		if f, ok := d.Places.Field("webhooks"); ok && f.Value != nil {
			for _, webhook := range f.Value.Items {
				m.webhooks = append(m.webhooks, webhook.Position)
			}
		}
	}
	return append(to, m)
}

// Encode encodes a value that was decoded.
func Encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("a decoded value does not encode: %v", err))
	}
	return data
}

// objectHint says what to do about a document that is not an object. Some belong to tools that make objects.
func objectHint(d yamldoc.Document) string {
	if base := path.Base(d.Source.File); base == "Chart.yaml" || strings.HasPrefix(base, "values") && isManifest(base) {
		return "this belongs to a Helm chart: name the folder of the chart, and admsim runs helm template; or give what that makes"
	}
	if list, ok := d.Value.([]any); ok && len(list) > 0 {
		if operation, ok := list[0].(map[string]any); ok && operation["op"] != nil && operation["path"] != nil {
			return "this is a patch, such as of kustomize: name the folder with its kustomization.yaml, which admsim builds"
		}
	}
	if _, isList := d.Value.([]any); isList {
		return "for several objects, write {apiVersion: v1, kind: List, items: […]}, or documents with --- between them"
	}
	if line, ok := d.Value.(map[string]any); ok && line["v"] != nil && line["t"] != nil {
		return "this is a recording: admsim replay runs it again"
	}
	return "every object begins with apiVersion and kind"
}

// kindOf reads apiVersion and kind.
func kindOf(d yamldoc.Document, object map[string]any, errs *Errors) (schema.GroupVersionKind, bool) {
	none := schema.GroupVersionKind{}
	if object["apiVersion"] == nil && object["kind"] == nil && misspelt(object) == "" {
		errs.Add(d.Source, objectHint(d), "not a Kubernetes object: no apiVersion and no kind")
		return none, false
	}
	apiVersion, ok := typeField(d, object, "apiVersion", errs)
	kind, okKind := typeField(d, object, "kind", errs)
	if !ok || !okKind {
		return none, false
	}
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil || gv.Version == "" {
		errs.Add(d.Places.Find("apiVersion").Or(d.Source), "it is a version, such as v1, or group/version, such as apps/v1",
			"%q is not an apiVersion", apiVersion)
		return none, false
	}
	return gv.WithKind(kind), true
}

func typeField(d yamldoc.Document, object map[string]any, name string, errs *Errors) (string, bool) {
	switch v := object[name].(type) {
	case string:
		if v != "" {
			return v, true
		}
		errs.Add(d.Places.Find(name).Or(d.Source), objectHint(d), "%s is empty", name)
	case nil:
		hint := objectHint(d)
		if key := misspelt(object, name); key != "" {
			hint = fmt.Sprintf("write %q instead of %q", name, key)
		}
		errs.Add(d.Source, hint, "not a Kubernetes object: no %s", name)
	default:
		errs.Add(d.Places.Find(name).Or(d.Source), "", "%s: %s instead of a string", name, TypeName(v))
	}
	return "", false
}

// misspelt finds a key that differs from one of names only in case.
func misspelt(object map[string]any, names ...string) string {
	if names == nil {
		names = []string{"apiVersion", "kind"}
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		for _, name := range names {
			if key != name && strings.EqualFold(key, name) {
				return key
			}
		}
	}
	return ""
}

// itemsOf returns the items of a list; ok is false for other objects. A kind that ends in List is a
// list, even without items, except for kinds that merely have such a name.
func itemsOf(gvk schema.GroupVersionKind, object map[string]any) ([]any, bool) {
	if !strings.HasSuffix(gvk.Kind, "List") {
		return nil, false
	}
	items, has := object["items"]
	list, isList := items.([]any)
	return list, isList || (gvk.Kind == "List" && gvk.Group == "" && items == nil) || (has && items == nil)
}

// nameOf reads metadata.namespace and metadata.name.
func nameOf(m Manifest, object map[string]any, errs *Errors) (namespace, name string, ok bool) {
	meta, has := object["metadata"]
	if !has || meta == nil {
		return "", "", true
	}
	fields, isMap := meta.(map[string]any)
	if !isMap {
		errs.Add(m.Position("metadata"), "", "metadata: %s instead of a mapping", TypeName(meta))
		return "", "", false
	}
	ok = true
	text := func(key string) string {
		v, isText := fields[key].(string)
		if !isText && fields[key] != nil {
			errs.Add(m.Position("metadata."+key), "put it in quotes",
				"metadata.%s: %s instead of a string", key, TypeName(fields[key]))
			ok = false
		}
		return v
	}
	namespace, name = text("namespace"), text("name")
	return namespace, name, ok
}

func setMissing(object map[string]any, key, value string) {
	if v, has := object[key]; !has || v == nil || v == "" {
		object[key] = value
	}
}

func TypeName(v any) string {
	switch v.(type) {
	case nil:
		return "nothing"
	case map[string]any:
		return "a mapping"
	case []any:
		return "a list"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case int64, float64, json.Number:
		return "a number"
	}
	return fmt.Sprintf("a %T", v)
}

// isAdmissionRequest reports whether a manifest is an AdmissionRequest on its own, whose kind is that of the
// object, and not an object whose kind is wrong.
func isAdmissionRequest(object map[string]any) bool {
	_, kindIsMapping := object["kind"].(map[string]any)
	_, hasOperation := object["operation"]
	_, hasResource := object["resource"].(map[string]any)
	return kindIsMapping && (hasOperation || hasResource) && object["apiVersion"] == nil
}
