package moved_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/moved"
)

type field struct {
	In, Was, Is    string
	Types, Model   string
	Always, Atomic bool
}

var (
	claims = moved.New(
		field{In: "spec.claims[]", Was: "source.name", Is: "claimName", Types: "Claim v1.Source string"},
		field{In: "spec.claims[]", Was: "source.template", Is: "templateName", Types: "Claim v1.Source string"},
	)
	devices = moved.New(
		field{In: "spec.devices[].basic", Was: "mappings{}.key", Is: "resources{}.mapping.key", Types: "Basic map[string]VERSION.Mapping VERSION.Mapping string"},
		field{In: "spec.devices[].basic", Was: "mappings{}.factor", Is: "resources{}.mapping.multiplier", Types: "Basic map[string]VERSION.Mapping VERSION.Mapping"},
	)
	status  = moved.New(field{Was: "status.size", Types: "Status"}, field{In: "spec.templates[]", Was: "spec.ref", Types: "Spec"})
	amounts = moved.New(field{In: "status", Was: "resources{}", Is: "mapping[name].quantity", Types: "Status map[string]int", Always: true})
)

// An object of a release does not change when its fields are moved to the types and back, except that unknown fields
// are lost.
func TestThereAndBack(t *testing.T) {
	for _, test := range []struct {
		reason       string
		fields       moved.Fields
		was, is      string
		back         string // if it is not was
		unknown      []string
		nothingFound bool
	}{
		{reason: "fields in an object of their own", fields: claims,
			was: `{"spec":{"claims":[{"n":"a","source":{"name":"c"}},{"n":"b","source":{}}]}}`,
			is:  `{"spec":{"claims":[{"claimName":"c","n":"a"},{"n":"b"}]}}`},
		{reason: "the object is always written", fields: claims, nothingFound: true,
			was: `{"spec":{"claims":[{"n":"b"}]}}`, is: `{"spec":{"claims":[{"n":"b"}]}}`, back: `{"spec":{"claims":[{"n":"b","source":{}}]}}`},
		{reason: "unknown fields", fields: claims, unknown: []string{"spec.claims[0].source.x"},
			was: `{"spec":{"claims":[{"source":{"template":"t","x":1}}]}}`, is: `{"spec":{"claims":[{"templateName":"t"}]}}`,
			back: `{"spec":{"claims":[{"source":{"template":"t"}}]}}`},
		{reason: "entries, including empty ones", fields: devices,
			was: `{"spec":{"devices":[{"basic":{"mappings":{"cpu":{"factor":"2","key":"k"},"memory":{}}}}]}}`,
			is:  `{"spec":{"devices":[{"basic":{"resources":{"cpu":{"mapping":{"key":"k","multiplier":"2"}},"memory":{"mapping":{}}}}}]}}`},
		{reason: "null is an empty entry", fields: devices,
			was: `{"spec":{"devices":[{"basic":{"mappings":{"cpu":null}}}]}}`, is: `{"spec":{"devices":[{"basic":{"resources":{"cpu":{"mapping":{}}}}}]}}`,
			back: `{"spec":{"devices":[{"basic":{"mappings":{"cpu":{}}}}]}}`},
		{reason: "unknown fields of entries", fields: devices, unknown: []string{"spec.devices[0].basic.mappings.cpu.x"},
			was: `{"spec":{"devices":[{"basic":{"mappings":{"cpu":{"x":1}}}}]}}`, is: `{"spec":{"devices":[{"basic":{"resources":{"cpu":{"mapping":{}}}}}]}}`,
			back: `{"spec":{"devices":[{"basic":{"mappings":{"cpu":{}}}}]}}`},
		{reason: "nothing to move", fields: devices, nothingFound: true, was: `{"spec":{"devices":[{"basic":{}}]}}`, is: `{"spec":{"devices":[{"basic":{}}]}}`},
		{reason: "fields that the types do not have (CV-10a)", fields: status,
			was: `{"metadata":{"annotations":{"a":"b"}},"spec":{"templates":[{"metadata":{},"spec":{"ref":{"n":1}}},{}]},"status":{"phase":"p","size":"s"}}`,
			is: `{"metadata":{"annotations":{"a":"b","former.admsim.dev/status.size":"\"s\""}},` +
				`"spec":{"templates":[{"metadata":{"annotations":{"former.admsim.dev/spec.ref":"{\"n\":1}"}},"spec":{}},{}]},"status":{"phase":"p"}}`},
		{reason: "metadata of a wrong type is left to the decoder", fields: status,
			was: `{"metadata":1,"status":{"size":"s"}}`, is: `{"metadata":1,"status":{}}`, back: `{"metadata":1,"status":{}}`},
		{reason: "an annotation of a client is not the field", fields: status,
			was: `{"metadata":{"annotations":{"a":"b","former.admsim.dev/status.size":"5"}}}`,
			is:  `{"metadata":{"annotations":{"a":"b","own.former.admsim.dev/status.size":"5"}}}`},
		{reason: "nor is one that looks like such an annotation", fields: status,
			was: `{"metadata":{"annotations":{"former.admsim.dev/status.size":"1","own.former.admsim.dev/status.size":"2"}},"status":{"size":3}}`,
			is: `{"metadata":{"annotations":{"former.admsim.dev/status.size":"3","own.former.admsim.dev/status.size":"1",` +
				`"own.own.former.admsim.dev/status.size":"2"}},"status":{}}`},
		{reason: "a map that became a list", fields: amounts,
			was: `{"status":{"resources":{"cpu":"2","memory":"1Gi"}}}`,
			is:  `{"status":{"mapping":[{"name":"cpu","quantity":"2"},{"name":"memory","quantity":"1Gi"}]}}`},
		{reason: "null is always written", fields: amounts, nothingFound: true, was: `{"status":{}}`, is: `{"status":{}}`, back: `{"status":{"resources":null}}`},
	} {
		tree := read(t, test.was)
		unknown, found := test.fields.ToTypes(tree)
		if diff := cmp.Diff(test.unknown, unknown); diff != "" || found == test.nothingFound {
			t.Errorf("%s: found %v, unknown (-want +got):\n%s", test.reason, found, diff)
		}
		if got := write(t, tree); got != test.is {
			t.Errorf("%s: ToTypes(%s) = %s, want %s", test.reason, test.was, got, test.is)
		}
		back := test.back
		if back == "" {
			back = test.was
		}
		if tree = read(t, test.is); test.fields.MayBeWritten([]byte(test.is)) {
			test.fields.ToRelease(tree)
		}
		if got := write(t, tree); got != back {
			t.Errorf("%s: ToRelease(%s) = %s, want %s", test.reason, test.is, got, back)
		}
	}
}

// Values of wrong types are reported in the server's words.
func TestMismatches(t *testing.T) {
	for _, test := range []struct {
		fields moved.Fields
		tree   string
		want   []moved.Mismatch
	}{
		{claims, `{"spec":{"claims":[{"source":{"name":"a"}},{"source":null},{"source":{"name":null}},{}]}}`, nil},
		{claims, `{"spec":{"claims":[{},{"source":"a"}]}}`, []moved.Mismatch{
			{Path: "spec.claims[1].source", Value: "string", Into: "Claim.spec.claims.source", Type: "v1.Source", Want: "struct", Kind: "string"}}},
		{claims, `{"spec":{"claims":[{"source":{"name":1.5,"template":[]}}]}}`, []moved.Mismatch{
			{Path: "spec.claims[0].source.name", Value: "number", Into: "Source.spec.claims.source.name", Type: "string", Kind: "float64"},
			{Path: "spec.claims[0].source.template", Value: "array", Into: "Source.spec.claims.source.template", Type: "string", Kind: "slice"}}},
		{devices, `{"spec":{"devices":[{"basic":{"mappings":true}}]}}`, []moved.Mismatch{
			{Path: "spec.devices[0].basic.mappings", Value: "bool", Into: "Basic.spec.devices.basic.mappings", Type: "map[string]v2.Mapping", Want: "map", Kind: "bool"}}},
		{devices, `{"spec":{"devices":[{"basic":{"mappings":{"cpu":1,"memory":{"key":{},"factor":[]}}}}]}}`, []moved.Mismatch{
			{Path: "spec.devices[0].basic.mappings.cpu", Value: "number", Into: "Basic.spec.devices.basic.mappings", Type: "v2.Mapping", Want: "struct", Kind: "int64"},
			{Path: "spec.devices[0].basic.mappings.memory.key", Value: "object", Into: "Mapping.spec.devices.basic.mappings.key", Type: "string", Kind: "map"}}},
		{amounts, `{"status":{"resources":{"cpu":[]}}}`, nil},
	} {
		if diff := cmp.Diff(test.want, test.fields.Mismatches(read(t, test.tree), "v2")); diff != "" {
			t.Errorf("Mismatches(%s) (-want +got):\n%s", test.tree, diff)
		}
	}
}

// For most objects, the bytes show that they contain no moved fields.
func TestMayBeIn(t *testing.T) {
	for data, want := range map[string]bool{
		`{"spec":{"containers":[{"source":"a"}]}}`:       false,
		`{"spec":{"claims":[{"n":"a"}]}}`:                false,
		`{"spec":{"claims":[{"source":{}}]}}`:            true,
		`{"spec":{"claims":[{"claimName":"a"}]}}`:        true,
		`{"spec":{"claims":[{"\u0073ource":{}}]}}`:       true,
		`{"spec":{"claims":[{"templateName":"claim"}]}}`: true,
	} {
		if got := claims.MayBeIn([]byte(data)); got != want {
			t.Errorf("MayBeIn(%s) = %v, want %v", data, got, want)
		}
	}
}

// Objects of Go types are inspected without being encoded.
func TestIn(t *testing.T) {
	type claim struct {
		ClaimName *string `json:"claimName,omitempty"`
	}
	type resources struct{}
	type device struct {
		Basic *struct {
			Resources map[string]resources `json:"resources,omitempty"`
		} `json:"basic,omitempty"`
	}
	type object struct {
		Spec struct {
			Claims  []claim  `json:"claims,omitempty"`
			Devices []device `json:"devices"`
		} `json:"spec"`
	}
	for _, test := range []struct {
		data                  string
		hasClaims, hasDevices bool
	}{
		{`{}`, false, false},
		{`{"spec":{"claims":[{}]}}`, true, false},
		{`{"spec":{"devices":[{},{"basic":{}}]}}`, false, false},
		{`{"spec":{"devices":[{},{"basic":{"resources":{"cpu":{}}}}]}}`, false, true},
	} {
		o := &object{}
		if err := json.Unmarshal([]byte(test.data), o); err != nil {
			t.Fatal(err)
		}
		if hasClaims, hasDevices := claims.In(o), devices.In(o); hasClaims != test.hasClaims || hasDevices != test.hasDevices {
			t.Errorf("In(%s) = %v and %v, want %v and %v", test.data, hasClaims, hasDevices, test.hasClaims, test.hasDevices)
		}
	}
}

// The release does not have the fields in the places of the types.
func TestHidden(t *testing.T) {
	if diff := cmp.Diff([]string{"spec.claims[].claimName", "spec.claims[].templateName"}, claims.Hidden()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"spec.devices[].basic.resources"}, devices.Hidden()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func read(t *testing.T, text string) any {
	t.Helper()
	tree, err := moved.Tree([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func write(t *testing.T, tree any) string {
	t.Helper()
	text, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
