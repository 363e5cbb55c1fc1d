package objects

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/jsonread"
	"github.com/admsim/admsim/internal/objects/rules"
)

func (k *typed) Decode(data []byte, found []error, gvk schema.GroupVersionKind, s rules.Strictness) (runtime.Object, []string, error) {
	body, obj, strict, err := k.read(data, gvk, s)
	strict = slices.Concat(found, strict)
	if err == nil && len(strict) > 0 && s == rules.Strict {
		err = runtime.NewStrictDecodingError(strict)
	}
	if err != nil {
		return nil, nil, rules.DecodeError(err, gvk.Kind, body, data)
	}
	var warnings []string
	if s == rules.Warn {
		warnings = rules.FaultTexts(strict)
	}
	if body.GroupVersion() != gvk.GroupVersion() && !acceptsAlso(gvk, body) {
		return nil, warnings, rules.WrongVersion(body.GroupVersion(), gvk.GroupVersion())
	}
	if body != gvk {
		if obj, err = k.convertFrom(body, obj, gvk); err != nil {
			return nil, nil, rules.DecodeError(err, gvk.Kind, body, data)
		}
	}
	return obj, warnings, nil
}

// DecodePatched accepts every version of the kind, as the codec does:
// kubernetes/apiserver:pkg/endpoints/handlers/patch.go, jsonPatcher.
func (k *typed) DecodePatched(data []byte, gvk schema.GroupVersionKind, s rules.Strictness) (runtime.Object, []string, error) {
	if obj := k.plain(data, gvk, s); obj != nil {
		return obj, nil, nil
	}
	if Unversioned(data) {
		obj, err := k.decodeNothing(gvk)
		return obj, membersOf(data, s), err
	}
	return k.decodeNamed(data, gvk, s)
}

// decodeNamed decodes a patched object as the kind that it names, completed by gvk.
func (k *typed) decodeNamed(data []byte, gvk schema.GroupVersionKind, s rules.Strictness) (runtime.Object, []string, error) {
	body, obj, strict, err := k.named(data, gvk, s)
	if err == nil && body != gvk {
		obj, err = k.convertFrom(body, obj, gvk)
	}
	if err != nil {
		return nil, nil, err
	}
	return obj, rules.FaultTexts(strict), nil
}

// Unversioned reports whether the JSON of an object has no version. The server reads the result of such a patch into its
// internal Go struct, whose fields have other names than the members in JSON: the object is empty and has no name.
func Unversioned(data []byte) bool {
	said, err := jsonserializer.DefaultMetaFactory.Interpret(data)
	return err == nil && said.Version == "" && said.Group == ""
}

func (k *typed) decodeNothing(gvk schema.GroupVersionKind) (runtime.Object, error) {
	_, obj, _, err := k.read([]byte("{}"), gvk, rules.Ignore)
	return obj, err
}

// membersOf returns errors about the members of an unversioned object, which are all unknown.
func membersOf(data []byte, s rules.Strictness) (unknown []string) {
	var members map[string]json.RawMessage
	if s == rules.Ignore || json.Unmarshal(data, &members) != nil {
		return nil
	}
	for name := range rules.Sorted(members) {
		if name != "apiVersion" && name != "kind" {
			unknown = append(unknown, fmt.Sprintf("unknown field %q", name))
		}
	}
	return unknown
}

// convertFrom converts an object whose version is not that of its endpoint.
func (k *typed) convertFrom(body schema.GroupVersionKind, obj runtime.Object, gvk schema.GroupVersionKind) (runtime.Object, error) {
	from, err := k.types.newTyped(body, k.namespaced)
	if err != nil {
		return nil, err
	}
	return from.Convert(obj, gvk)
}

// read decodes data as the kind that it names, completed by gvk. body is that kind, as far as it is known.
func (k *typed) read(data []byte, gvk schema.GroupVersionKind, s rules.Strictness) (body schema.GroupVersionKind, obj runtime.Object, strict []error, err error) {
	if obj := k.plain(data, gvk, s); obj != nil {
		return gvk, obj, nil, nil
	}
	return k.named(data, gvk, s)
}

// plain is the fast path of read, for data of the expected kind without errors or warnings. Otherwise, it returns nil.
func (k *typed) plain(data []byte, gvk schema.GroupVersionKind, s rules.Strictness) runtime.Object {
	rest, later, wrong := k.types.withoutLater(data, gvk)
	if len(later) > 0 || wrong != nil {
		return nil
	}
	return expected(rest, gvk, s)
}

// named is the slow path of read, which looks for the kind in data.
func (k *typed) named(data []byte, gvk schema.GroupVersionKind, s rules.Strictness) (body schema.GroupVersionKind, obj runtime.Object, strict []error, err error) {
	said, err := jsonserializer.DefaultMetaFactory.Interpret(data)
	if err != nil {
		return body, nil, nil, err
	}
	body = jsonread.WithDefaults(*said, gvk)
	obj, known, strict, err := k.types.readReleased(data, body, s)
	if !known || isAlone(gvk.Group) && body.Group != gvk.Group {
		return body, nil, nil, runtime.NewNotRegisteredErrForKind(schemeName, body)
	}
	if err != nil {
		return body, nil, nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(body)
	if body.GroupKind() != gvk.GroupKind() && !acceptsAlso(gvk, body) && !k.comesAs(body) {
		return body, nil, nil, k.unknownConversion(obj)
	}
	return body, obj, strict, nil
}

// readReleased is [jsonread.Kind] for the kinds and fields of the release.
func (t *Types) readReleased(data []byte, gvk schema.GroupVersionKind, s rules.Strictness) (obj runtime.Object, known bool, strict []error, err error) {
	if !t.options.Release.Registers(gvk) {
		return nil, false, nil, nil
	}
	rest, later, wrong := t.withoutLater(data, gvk)
	obj, known, strict, err = jsonread.Kind(rest, gvk, s != rules.Ignore)
	if known && wrong != nil {
		err = firstError(data, gvk, wrong, err)
	}
	if known && err != nil {
		obj, _ = builtin.New(gvk)
		err = jsonread.Error(err, data, obj, gvk, t.options.Release)
	}
	if s != rules.Ignore {
		strict = append(strict, later...)
	}
	return obj, known, strict, err
}

// firstError returns the error that the server's decoder reports about data with a value of a wrong type. others is the
// error about the other fields, if any. The decoder goes on after a wrong type and then reports the first one; after
// other errors it stops.
func firstError(data []byte, gvk schema.GroupVersionKind, wrong *misplaced, others error) error {
	var typeError *json.UnmarshalTypeError
	if others != nil && !errors.As(others, &typeError) {
		return others
	}
	if wrong.Err != nil {
		return wrong.Err
	}
	// The offset in others is that in a copy of data, whose fields are sorted.
	if _, _, _, others = jsonread.Kind(data, gvk, false); errors.As(others, &typeError) && typeError.Offset <= wrong.offset {
		return others
	}
	return wrong.Fault()
}

// comesAs reports whether a kind of another group is the same to the server because both have one internal version, such
// as the Deployments of extensions and apps.
func (k *typed) comesAs(body schema.GroupVersionKind) bool {
	other, err := k.types.newTyped(body, k.namespaced)
	return err == nil && other.hub.GVK() == k.hub.GVK()
}

// isAlone reports whether a group has a server of its own, which knows no kinds of other groups. Inside kube-apiserver,
// these are the servers for CustomResourceDefinitions and for APIServices.
func isAlone(group string) bool {
	return group == apiextensionsv1.GroupName || group == builtin.APIRegistrationV1.Group
}

// expected decodes data that is of the expected kind and causes no errors or warnings. For other data, it returns nil. The
// server looks for the kind first, and so reads all data twice.
func expected(data []byte, gvk schema.GroupVersionKind, s rules.Strictness) runtime.Object {
	obj, known, strict, err := jsonread.Kind(data, gvk, s != rules.Ignore)
	if !known || err != nil || len(strict) > 0 {
		return nil
	}
	said, ok := obj.GetObjectKind().(*metav1.TypeMeta)
	if !ok {
		return nil
	}
	if version, kind := gvk.ToAPIVersionAndKind(); said.Kind != kind || said.APIVersion != version {
		return nil
	}
	return obj
}

func (k *typed) Patched(data []byte, gvk schema.GroupVersionKind, s rules.Strictness) (runtime.Object, error) {
	rest, later, wrong := k.types.withoutLater(data, gvk)
	if wrong == nil && (len(later) == 0 || s == rules.Ignore) {
		if obj := expected(rest, gvk, s); obj != nil {
			return obj, nil
		}
	}
	said, err := jsonserializer.DefaultMetaFactory.Interpret(data)
	if err != nil {
		return nil, err
	}
	body := jsonread.WithDefaults(*said, gvk)
	obj, known, unknown, err := k.types.readReleased(data, body, s)
	if !known {
		return nil, runtime.NewNotRegisteredErrForKind(schemeName, body)
	}
	if err == nil && len(unknown) > 0 {
		err = runtime.NewStrictDecodingError(unknown)
	}
	if err != nil {
		return nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(body)
	return obj, nil
}

// acceptsAlso reports whether the endpoint of a kind accepts bodies of another version. That of evictions accepts every
// version of their group (SR-02).
func acceptsAlso(gvk, body schema.GroupVersionKind) bool {
	return gvk.Kind == "Eviction" && gvk.GroupKind() == body.GroupKind()
}
