package harvest

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestVariants(t *testing.T) {
	calls := variants(decode(json.RawMessage(`{"apiVersion":"apps/v1","kind":"Deployment",
		"metadata":{"name":"nameValue","generateName":"g"},
		"spec":{"paused":true,"template":{"spec":{"hostname":"HostnameValue"}}},"status":{"replicas":2}}`)))
	got := map[string]string{}
	for _, c := range calls {
		o := c.Objects[0]
		if o.Group != "apps" || o.Version != "v1" || o.Kind != "Deployment" {
			t.Fatalf("a variant is a %s of %s/%s", o.Kind, o.Group, o.Version)
		}
		title := strings.TrimPrefix(c.Function, "filled object, ") + " / " + c.Subresource
		if got[title] != "" {
			t.Errorf("two variants are called %q", title)
		}
		got[title] = strings.ReplaceAll(string(o.Object), `"apiVersion":"apps/v1","kind":"Deployment",`, "")
		if o.Old != nil {
			got[title] += " from " + strings.ReplaceAll(string(o.Old), `"apiVersion":"apps/v1","kind":"Deployment",`, "")
		}
	}
	const (
		name   = `"metadata":{"name":"name"},`
		simple = `"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"image":"i","name":"c"}]}}`
		base   = `{` + name + `"spec":{"paused":true,` + simple + `},"status":{"replicas":2}}`
	)
	for title, want := range map[string]string{
		"all fields / ":                `{` + name + `"spec":{"paused":true,"template":{"spec":{"hostname":"HostnameValue"}}},"status":{"replicas":2}}`,
		"all fields, in lower case / ": `{` + name + `"spec":{"paused":true,"template":{"spec":{"hostname":"hostnamevalue"}}},"status":{"replicas":2}}`,
		"only metadata.generateName / ": `{"metadata":{"generateName":"g","name":"nameValue"},"spec":{"paused":true,` +
			`"template":{"spec":{"hostname":"HostnameValue"}}},"status":{"replicas":2}}`,
		"only spec.paused / ":                          `{` + name + `"spec":{"paused":true}}`,
		"only spec.paused = false / ":                  `{` + name + `"spec":{"paused":false}}`,
		"without spec.template / ":                     `{` + name + `"spec":{"paused":true},"status":{"replicas":2}}`,
		"removing status.replicas / status":            `{` + name + `"spec":{"paused":true,` + simple + `},"status":{}} from ` + base,
		"adding status.replicas / status":              base + ` from {` + name + `"spec":{"paused":true,` + simple + `}}`,
		"status.replicas = -1 / status":                `{` + name + `"spec":{"paused":true,` + simple + `},"status":{"replicas":-1}} from ` + base,
		"only spec.template.spec.containers.0.name / ": `{` + name + `"spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c"}]}}}}`,
	} {
		if got[title] != want {
			t.Errorf("%s:\n got %s\nwant %s", title, got[title], want)
		}
	}
}

// The pods in the template of a job that a cron job creates are simple as well.
func TestSimplified(t *testing.T) {
	spec := decode(json.RawMessage(`{"jobTemplate":{"metadata":{},"spec":{"template":{"spec":{"hostname":"h"}}}},"suspend":true}`))
	const want = `{"jobTemplate":{"metadata":{},"spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"image":"i","name":"c"}]}}}},"suspend":true}`
	if got := string(encode(simplified(spec))); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A variant shares nothing with the object that it was made from, nor with others.
func TestVariantsDoNotChangeTheObject(t *testing.T) {
	object := decode(json.RawMessage(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"n"},"data":{"a":"b"},"list":[{"c":1},2]}`))
	before := string(encode(object))
	variants(object)
	if after := string(encode(object)); after != before {
		t.Errorf("the object became %s", after)
	}
}
