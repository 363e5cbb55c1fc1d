package moved

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	kubejson "sigs.k8s.io/json"
)

// A keptField is a field that the types have in no place. It belongs to an object with metadata: a whole object, or a
// template of one. While the object has its Go type, an annotation holds the field as JSON. Copies of the object, or of
// its metadata from a template, so have the field as well, and whatever replaces the object replaces the field.
type keptField struct {
	in, was fieldPath
	key     string // of the annotation
	owner   Owner
}

// An Owner is the type that has a kept field: the name of the Go struct in the release, and its name in OpenAPI.
type Owner struct{ Struct, Model string }

// keptPrefix begins the keys of annotations for kept fields. A client's own annotation with the key of a kept field has
// ownPrefix before its key while the object has its Go type, and so has one with a key that begins with ownPrefix.
const (
	keptDomain = "former.admsim.dev"
	keptPrefix = keptDomain + "/"
	ownPrefix  = "own."
)

// Kept returns the JSON of a kept field, given the annotations of its object; empty if the object does not have it. path
// is the place of the field in the object: status.resizeStatus.
func Kept(annotations map[string]string, path string) string {
	if len(annotations) == 0 {
		return "" // without making the key
	}
	return annotations[Key(path)]
}

// Key returns the key of the annotation for a kept field.
func Key(path string) string { return keptPrefix + path }

// Lacks reports whether a key is that of an annotation for a field that none of these is, so that it is a client's own.
func (f Fields) Lacks(key string) bool {
	return strings.HasPrefix(key, keptPrefix) && !slices.ContainsFunc(f.kept, func(k keptField) bool { return k.key == key })
}

// WithKept returns annotations with the kept fields of another object, for all fields of which is returns true. It does
// not change its arguments.
func WithKept(annotations, of map[string]string, is func(path string) bool) map[string]string {
	isKept := func(key string) bool {
		path, ok := strings.CutPrefix(key, keptPrefix)
		return ok && is(path)
	}
	changed := false
	set := func() {
		if !changed {
			annotations, changed = maps.Clone(annotations), true
		}
		if annotations == nil {
			annotations = map[string]string{}
		}
	}
	for key := range annotations {
		if _, ok := of[key]; isKept(key) && !ok {
			set()
			delete(annotations, key)
		}
	}
	for key, value := range of {
		if isKept(key) && annotations[key] != value {
			set()
			annotations[key] = value
		}
	}
	if changed && len(annotations) == 0 {
		return nil
	}
	return annotations
}

// EachKept calls do for each kept field that a tree has at its place in the release, with the object that contains the
// field, the name and the path of the field, and the type that has it.
func (f Fields) EachKept(tree any, do func(parent map[string]any, name, path string, of Owner)) {
	for _, k := range f.kept {
		k.in.objects(tree, "", func(object map[string]any, at string) {
			if parent := k.parent(object); parent != nil {
				if _, ok := parent[k.was.last()]; ok {
					do(parent, k.was.last(), strings.TrimPrefix(at+"."+k.was.String(), "."), k.owner)
				}
			}
		})
	}
}

// OwnerOf returns the type that has the named field of the objects at a path, if it is a kept field.
func (f Fields) OwnerOf(path, name string) (owner Owner, ok bool) {
	for _, k := range f.kept {
		all := slices.Concat(k.in, k.was)
		if all.last() == name && all[:len(all)-1].String() == path {
			return k.owner, true
		}
	}
	return Owner{}, false
}

// parent returns the object within an object that has the field or could have it; nil if it does not exist.
func (k keptField) parent(object map[string]any) map[string]any {
	for _, step := range k.was[:len(k.was)-1] {
		object, _ = object[step.Name].(map[string]any)
	}
	return object
}

// toTypes moves the field from its place in the release to an annotation.
func (k keptField) toTypes(tree any) (found bool) {
	k.in.objects(tree, "", func(object map[string]any, _ string) {
		found = k.renameOwn(object, func(key string) string { return ownPrefix + key }) || found
		parent, name := k.parent(object), k.was.last()
		value, ok := parent[name]
		if !ok {
			return
		}
		found = true
		delete(parent, name)
		if !isObjectOrMissing(object, "metadata") {
			return // decoding reports it
		}
		metadata := objectIn(object, "metadata")
		if !isObjectOrMissing(metadata, "annotations") {
			return
		}
		text, err := json.Marshal(value)
		if err != nil {
			panic("moved: what was JSON is none: " + err.Error())
		}
		objectIn(metadata, "annotations")[k.key] = string(text)
	})
	return found
}

func isObjectOrMissing(object map[string]any, name string) bool {
	_, ok := object[name].(map[string]any)
	return ok || object[name] == nil
}

// toRelease moves the field from its annotation to its place in the release.
func (k keptField) toRelease(tree any) {
	k.in.objects(tree, "", func(object map[string]any, _ string) {
		var value any
		text, ok := k.takeAnnotation(object)
		k.renameOwn(object, func(key string) string { return strings.TrimPrefix(key, ownPrefix) })
		if !ok || kubejson.UnmarshalCaseSensitivePreserveInts([]byte(text), &value) != nil {
			return
		}
		parent, name := k.was.place(object, "")
		parent[name] = value
	})
}

// isKeyOrOwn reports whether a key is that of the field's annotation, or of one that a client has.
func (k keptField) isKeyOrOwn(key string) bool {
	prefix, ok := strings.CutSuffix(key, k.key)
	return ok && strings.ReplaceAll(prefix, ownPrefix, "") == ""
}

// renameOwn renames a client's own annotations that could be taken for the field, and reports whether there are any.
func (k keptField) renameOwn(object map[string]any, renamed func(key string) string) (found bool) {
	metadata, _ := object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	own := map[string]any{}
	for key, value := range annotations {
		if k.isKeyOrOwn(key) {
			own[key] = value
		}
	}
	for key := range own {
		delete(annotations, key)
	}
	for key, value := range own {
		annotations[renamed(key)] = value
	}
	return len(own) > 0
}

// takeAnnotation removes the annotation from an object.
func (k keptField) takeAnnotation(object map[string]any) (text string, ok bool) {
	metadata, _ := object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if text, ok = annotations[k.key].(string); !ok {
		return "", false
	}
	if delete(annotations, k.key); len(annotations) == 0 {
		delete(metadata, "annotations")
	}
	return text, true
}

// touches reports whether an edit of a top-level field of the object can change the field, or see its annotation.
func (k keptField) touches(name string) bool {
	if len(k.in) == 0 && strings.HasPrefix(name, "metadata") {
		return name == "metadata" || name == "metadata.annotations" || k.was.String() == name
	}
	return slices.Concat(k.in, k.was)[0].Name == name
}

// isIn reports whether a Go value has the field, or annotations of a client with other keys in the release.
func (k keptField) isIn(object reflect.Value) bool {
	return slices.Concat(k.in, annotationsPath).leadsTo(object, func(annotations reflect.Value) bool {
		all, _ := annotations.Interface().(map[string]string)
		for key := range all {
			if k.isKeyOrOwn(key) {
				return true
			}
		}
		return false
	})
}

var annotationsPath = fieldPath{{Name: "metadata"}, {Name: "annotations"}}

// keptMayBeIn reports whether JSON may have kept fields, or their annotations.
func (f Fields) keptMayBeIn(data []byte) bool {
	return f.hasKept(data) || slices.ContainsFunc(f.keptNames, func(name string) bool { return quoted(data, name) })
}

// hasKept reports whether the JSON of an object in its Go type may have kept fields.
func (f Fields) hasKept(data []byte) bool {
	return len(f.kept) > 0 && bytes.Contains(data, []byte(keptDomain)) // a slash may be escaped
}
