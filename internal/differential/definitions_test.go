package differential

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/objects/crd"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var everyChange = flag.Bool("every-change", false, "try all changes of CRDs, which takes minutes, not one in some")

// admsim reports the same errors about CRDs as the server, with the same texts: about recorded CRDs, about some that
// have nearly everything, and about variants of these in which any one value is omitted, duplicated or replaced.
func TestDefinitionsAsServer(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it runs concurrently")
	}
	for _, name := range glob(t, "testdata/definitions/*.yaml") {
		t.Run(filepath.Base(name), func(t *testing.T) {
			within, every := "", 1
			if strings.HasPrefix(filepath.Base(name), "rules_") {
				within = "spec.versions[0].schema" // everything else is as in other files, and rules take long
			}
			if !*everyChange {
				every = 31
			}
			base := readJSON(t, name)
			old := readDefinition(base)
			if old == nil {
				t.Fatalf("%s is not a CRD", name)
			}
			number, tried := 0, 0
			for what, changed := range changes(base) {
				if !strings.HasPrefix(what, within) {
					continue
				}
				definition := readDefinition(changed)
				if number++; definition != nil && number%every == 0 {
					asServer(t, what, definition, old)
					tried++
				}
			}
			if t.Logf("%d changes of %d were tried", tried, number); tried == 0 {
				t.Error("none")
			}
		})
	}
	t.Run("recorded", func(t *testing.T) {
		var old *apiextensionsv1.CustomResourceDefinition
		for _, name := range glob(t, "../../testdata/recorded/*.json") {
			for i, recorded := range definitionsIn(readJSON(t, name), nil) {
				if definition := readDefinition(recorded); definition != nil {
					if old == nil {
						old = definition
					}
					asServer(t, fmt.Sprintf("%s, number %d", name, i), definition, old)
					old = definition
				}
			}
		}
		if old == nil {
			t.Error("no CRDs were recorded")
		}
	})
}

// asServer compares the errors about a definition when it is new, when it replaces old, when old replaces it, and when only its
// status is written.
func asServer(t *testing.T, what string, definition, old *apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	ctx, newest := context.Background(), rules.Options{Release: kubeversion.Default()}
	ours := crd.Kinds().Hubs[0]
	whole, status := rules.Request{Options: newest}, rules.Request{Options: newest, Write: rules.Write{Subresource: "status"}}
	for _, c := range []struct {
		name      string
		got, want func() field.ErrorList
	}{
		{"created",
			func() field.ErrorList { return ours.ValidateNew(definition, whole) },
			func() field.ErrorList {
				return crdvalidation.ValidateCustomResourceDefinition(ctx, internalCRD(t, definition))
			}},
		{"updated to",
			func() field.ErrorList { return ours.ValidateChange(definition, old, whole) },
			func() field.ErrorList {
				return crdvalidation.ValidateCustomResourceDefinitionUpdate(ctx, internalCRD(t, definition), internalCRD(t, old))
			}},
		{"updated from",
			func() field.ErrorList { return ours.ValidateChange(old, definition, whole) },
			func() field.ErrorList {
				return crdvalidation.ValidateCustomResourceDefinitionUpdate(ctx, internalCRD(t, old), internalCRD(t, definition))
			}},
		{"updated in its status",
			func() field.ErrorList { return ours.ValidateChange(definition, old, status) },
			func() field.ErrorList {
				return crdvalidation.ValidateUpdateCustomResourceDefinitionStatus(ctx, internalCRD(t, definition), internalCRD(t, old))
			}},
	} {
		if diff := cmp.Diff(sortedMessages(c.want), sortedMessages(c.got)); diff != "" {
			t.Errorf("%s, %s (-server +admsim):\n%s", what, c.name, diff)
		}
	}
}

// internalCRD converts a definition to the server's internal type.
func internalCRD(t *testing.T, definition *apiextensionsv1.CustomResourceDefinition) *apiextensions.CustomResourceDefinition {
	t.Helper()
	var internal apiextensions.CustomResourceDefinition
	if err := crdScheme().Convert(definition.DeepCopy(), &internal, nil); err != nil {
		t.Fatal(err)
	}
	return &internal
}

var crdScheme = sync.OnceValue(func() *runtime.Scheme {
	s := runtime.NewScheme()
	install.Install(s)
	return s
})

// numberOfType matches the names of unnamed types, which contain the time of their creation.
var numberOfType = regexp.MustCompile(`selfType\d+`)

// sortedMessages returns the messages in the order of admsim, since the server's order varies.
func sortedMessages(validate func() field.ErrorList) (messages []string) {
	defer func() {
		if r := recover(); r != nil {
			messages = []string{"panic"}
		}
	}()
	for _, err := range rules.Ordered(validate()) {
		messages = append(messages, numberOfType.ReplaceAllString(err.Error(), "selfType"))
	}
	return messages
}

// readDefinition returns a CRD as validation gets it, or nil if value is not a CRD.
func readDefinition(value any) *apiextensionsv1.CustomResourceDefinition {
	data, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal(data, &crd); err != nil || crd.Kind != "CustomResourceDefinition" {
		return nil
	}
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(&crd)
	return &crd
}

func readJSON(t *testing.T, name string) any {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if json.Valid(text) {
		err = json.Unmarshal(text, &value)
	} else {
		err = yaml.Unmarshal(text, &value)
	}
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %v, %v", pattern, names, err)
	}
	return names
}

// definitionsIn returns the CRDs anywhere in a value.
func definitionsIn(value any, found []any) []any {
	switch v := value.(type) {
	case map[string]any:
		if v["kind"] == "CustomResourceDefinition" && v["spec"] != nil {
			found = append(found, v)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			found = definitionsIn(v[name], found)
		}
	case []any:
		for _, item := range v {
			found = definitionsIn(item, found)
		}
	}
	return found
}

// Values that a field may get instead of its own, and fields that an object may get. Those of schemas are only tried in
// schemas.
var (
	otherTexts  = []any{"", ".", "x", "No-Name", "a.b", "object", "array", "string", "null", "atomic", "set", "map", "\n", "self", "true"}
	otherFields = map[string]any{
		"preserveUnknownFields": true, "conversion": map[string]any{"strategy": "Webhook"}, "deprecated": true, "deprecationWarning": "bad\tnews",
		"annotations": map[string]any{"api-approved.kubernetes.io": "unapproved"}, "subresources": map[string]any{"status": map[string]any{}},
		"selectableFields": []any{map[string]any{"jsonPath": ".metadata.name"}},
		"webhook":          map[string]any{"conversionReviewVersions": []any{"v3", "V1", "v3"}, "clientConfig": map[string]any{"url": "http://u:p@x/y?z#f"}},
		"url":              "https://converter.example", "caBundle": "LS0tLS0=",
	}
	otherKeywords = map[string]any{
		"id": "x", "$ref": "#/x", "$schema": "x", "title": "x", "type": "string", "format": "colour", "pattern": "(", "nullable": true, "default": nil,
		"uniqueItems": true, "maxItems": 1e6, "maxLength": -1, "minProperties": 1, "maxProperties": 3, "required": []any{"nothing"}, "enum": []any{nil},
		"items": map[string]any{"type": "object", "nullable": true}, "additionalProperties": false, "additionalItems": true, "example": 1,
		"externalDocs": map[string]any{"url": "x"}, "dependencies": map[string]any{"a": []any{"b"}}, "definitions": map[string]any{"a": map[string]any{"type": "null"}},
		"patternProperties": map[string]any{"a": map[string]any{"type": "string"}}, "properties": map[string]any{"metadata": map[string]any{"type": "string", "default": "x"}},
		"not": map[string]any{"type": "string"}, "anyOf": []any{map[string]any{"properties": map[string]any{"new": map[string]any{"default": 1}}}},
		"x-kubernetes-embedded-resource": true, "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": false,
		"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"a", "a"}, "x-kubernetes-map-type": "atomic",
		"x-kubernetes-validations": []any{
			map[string]any{"rule": "self == oldSelf", "message": " "}, map[string]any{"rule": " "}, map[string]any{"rule": "self.\nall", "reason": "Because", "fieldPath": ".x"},
		},
	}
	moreKeywords = map[string]any{ // a second value for each
		"default": map[string]any{"unknown": 1}, "additionalProperties": map[string]any{"type": "string", "default": "x"}, "x-kubernetes-list-type": "set",
		"items": []any{map[string]any{"type": "string"}}, "x-kubernetes-preserve-unknown-fields": true, "type": "integer", "enum": []any{1, "a"},
		"x-kubernetes-validations": []any{
			map[string]any{"rule": "self == self", "messageExpression": "1", "optionalOldSelf": true}, map[string]any{"rule": "self.all(a, self.all(b, self.all(c, a == b || b == c)))"},
			map[string]any{"rule": "oldSelf == self", "messageExpression": " "}, map[string]any{"rule": "true", "message": "a\nb", "fieldPath": "\n"},
		},
	}
)

// changes returns all values that differ from value in one place, each with a description of the change.
func changes(value any) func(yield func(string, any) bool) {
	return func(yield func(string, any) bool) {
		changeIn(value, "", func(at string, changed any) bool { return yield(strings.TrimPrefix(at, "."), changed) })
	}
}

func changeIn(value any, at string, yield func(string, any) bool) bool {
	switch v := value.(type) {
	case map[string]any:
		return changeObject(v, at, yield)
	case []any:
		return changeList(v, at, yield)
	case string:
		for _, other := range otherTexts {
			if !yield(fmt.Sprintf("%s: %q", at, other), other) {
				return false
			}
		}
	case bool:
		return yield(fmt.Sprintf("%s: %v", at, !v), !v)
	case float64:
		return yield(at+": -1", -1.0) && yield(at+": more", v*1000+1)
	}
	return true
}

func changeObject(v map[string]any, at string, yield func(string, any) bool) bool {
	with := func(name string, value any) map[string]any {
		changed := maps.Clone(v)
		changed[name] = value
		return changed
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		changed := maps.Clone(v)
		delete(changed, name)
		if !yield(at+"."+name+" left out", changed) {
			return false
		}
		if !changeIn(v[name], at+"."+name, func(at string, changed any) bool { return yield(at, with(name, changed)) }) {
			return false
		}
	}
	more := []map[string]any{otherFields}
	if strings.Contains(at, "openAPIV3Schema") {
		more = []map[string]any{otherKeywords, moreKeywords}
	}
	for _, fields := range more {
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if !yield(fmt.Sprintf("%s.%s: %v", at, name, fields[name]), with(name, fields[name])) {
				return false
			}
		}
	}
	return true
}

func changeList(v []any, at string, yield func(string, any) bool) bool {
	for i := range v {
		item := fmt.Sprintf("%s[%d]", at, i)
		if !yield(item+" left out", slices.Delete(slices.Clone(v), i, i+1)) || !yield(item+" doubled", append(slices.Clone(v), v[i])) {
			return false
		}
		if !changeIn(v[i], item, func(at string, changed any) bool {
			list := slices.Clone(v)
			list[i] = changed
			return yield(at, list)
		}) {
			return false
		}
	}
	return yield(at+" empty", []any{})
}
