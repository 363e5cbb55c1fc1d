package objects_test

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	quickjson "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/jsonread"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// oddTexts replace a value, or the quotes, names and commas around it.
var oddTexts = []string{
	`null`, `""`, `"x"`, `" "`, `0`, `-0`, `1`, `-1`, `1.0`, `1.5`, `1e2`, `1E400`, `300`, `2147483648`, `9223372036854775808`, `01`,
	`true`, `"true"`, `[]`, `[null]`, `[""]`, `["x",1]`, `[[]]`, `{}`, `{"a":null}`, `{"a":"b","a":"c"}`, `{"":""}`, `{"name":null}`, `{"Name":"x"}`,
	`"\ud800"`, `"\ud83d\ude00"`, `"\u0000"`, `"\/"`, "\"\xff\"", "\"a\tb\"", `"QQ=="`, `"QQ"`, `"QQ==\n"`, `"Q Q=="`, `"1Ki"`, `"0.5"`,
	`"2020-01-01T00:00:00Z"`, `"2020-01-01T00:00:00.123456Z"`, `"2020-13-01"`, `"5m"`, `,`, `x`, `/**/1`, "\t1 ", ` { "a" : [ 1 , 2 ] } `,
}

// readAsServer reads a text with both decoders, and compares the results.
func readAsServer(t *testing.T, data []byte, gvk schema.GroupVersionKind) {
	t.Helper()
	for _, s := range []objects.Strictness{objects.Ignore, objects.Warn} {
		want, _ := builtin.New(gvk)
		var wantStrict []error
		var wantErr error
		if s == objects.Ignore {
			wantErr = kubejson.UnmarshalCaseSensitivePreserveInts(data, want)
		} else {
			wantStrict, wantErr = kubejson.UnmarshalStrict(data, want)
		}
		got, _, gotStrict, gotErr := jsonread.Kind(data, gvk, s != objects.Ignore)
		if builtin.AsServer(fmt.Sprint(wantErr), gvk.Version) != fmt.Sprint(gotErr) || fmt.Sprint(wantStrict) != fmt.Sprint(gotStrict) {
			t.Fatalf("%v of %s: %v %v, the server's decoder says %v %v", gvk, data, gotErr, gotStrict, wantErr, wantStrict)
		}
		if wantErr != nil {
			continue
		}
		if !reflect.DeepEqual(want, got) {
			t.Fatalf("%v of %s (-server's decoder +ours):\n%s", gvk, data, cmp.Diff(fmt.Sprintf("%#v", want), fmt.Sprintf("%#v", got)))
		}
	}
}

// Every kind is read as by the server's decoder: random objects, and objects with something odd in one place.
func TestReadAsServer(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does everything")
	}
	for i, gvk := range builtinKinds() {
		r := rand.New(rand.NewSource(int64(i)))
		data, err := json.Marshal(random(int64(i), gvk))
		if err != nil {
			t.Fatal(err)
		}
		obj, _ := builtin.New(gvk)
		if err := quickjson.Unmarshal(data, obj, quickjson.RejectUnknownMembers(true)); err != nil {
			t.Errorf("%v is left to the server's decoder: %v", gvk, err)
		}
		readAsServer(t, data, gvk)
		for range 60 {
			readAsServer(t, oddly(t, data, r), gvk)
		}
	}
}

// oddly puts something odd in one place of a JSON text.
func oddly(t *testing.T, data []byte, r *rand.Rand) []byte {
	t.Helper()
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		t.Fatal(err)
	}
	const here = "put something odd here"
	target, parent := tree, func(any) {}
	name := ""
	for {
		stop := r.Intn(4) == 0
		switch v := target.(type) {
		case map[string]any:
			if len(v) == 0 || stop && name != "" {
				break
			}
			keys := make([]string, 0, len(v))
			for key := range v {
				keys = append(keys, key)
			}
			slices.Sort(keys)
			name = keys[r.Intn(len(keys))]
			target, parent = v[name], func(to any) { v[name] = to }
			continue
		case []any:
			if len(v) == 0 || stop {
				break
			}
			at := r.Intn(len(v))
			target, parent = v[at], func(to any) { v[at] = to }
			continue
		}
		break
	}
	parent(here)
	text, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	before, err := json.Marshal(target)
	if err != nil {
		t.Fatal(err)
	}
	odd := oddTexts[r.Intn(len(oddTexts))]
	switch r.Intn(8) {
	case 0: // twice
		odd = fmt.Sprintf("%s,%q:%s", before, name, odd)
	case 1: // next to an unknown field
		odd = fmt.Sprintf("%s,%q:%s", before, strings.ToUpper(name), odd)
	}
	return []byte(strings.Replace(string(text), `"`+here+`"`, odd, 1))
}

// No kind has numbers of unknown type, which the other decoder would read differently.
func TestNoKindHasUntypedNumbers(t *testing.T) {
	reads := reflect.TypeFor[json.Unmarshaler]()
	seen := map[reflect.Type]bool{}
	var look func(reflect.Type, string)
	look = func(rt reflect.Type, at string) {
		if seen[rt] || reflect.PointerTo(rt).Implements(reads) {
			return
		}
		seen[rt] = true
		switch rt.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array:
			look(rt.Elem(), at)
		case reflect.Struct:
			for i := range rt.NumField() {
				if f := rt.Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
					look(f.Type, at+"."+f.Name)
				}
			}
		case reflect.Interface:
			t.Errorf("%s may be anything: jsonread has to leave its kind to the server's decoder", at)
		}
	}
	for _, gvk := range builtinKinds() {
		obj, _ := builtin.New(gvk)
		look(reflect.TypeOf(obj).Elem(), gvk.String())
	}
}

// Since 1.35, errors name embedded Go structs.
func TestEmbeddedInPaths(t *testing.T) {
	const body = `{"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "spec": {"rules": [{"http": {"paths": [{"path": 1}]}}]}}`
	gvk := schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "Ingress"}
	for version, want := range map[string]string{
		"1.34": "HTTPIngressPath.spec.rules.http.paths.path of type string",
		"1.35": "HTTPIngressPath.spec.rules.IngressRuleValue.http.paths.path of type string",
	} {
		release, err := kubeversion.Parse(version)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = kinds.New(nil, objects.Options{Release: release}).Decode([]byte(body), gvk, objects.Ignore)
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s says %v, want %s at its end", version, err, want)
		}
	}
}

// FuzzRead reads any text as any kind.
func FuzzRead(f *testing.F) {
	kinds := builtinKinds()
	for i, gvk := range kinds {
		if data, err := json.Marshal(random(int64(i), gvk)); err == nil {
			f.Add(data, i)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, kind int) {
		readAsServer(t, data, kinds[uint(kind)%uint(len(kinds))])
	})
}
