package redact

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	var object map[string]any
	if err := decode([]byte(text), &object); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return object
}

func b64(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func TestObject(t *testing.T) {
	for _, c := range []struct {
		reason       string
		paths        []string
		object, want string
		count        int
	}{
		{"data and its plain form, the same value by the same word", nil,
			`{"apiVersion":"v1","kind":"Secret","type":"Opaque","data":{"a":"` + b64("hunter2") + `","b":"` + b64("other") + `","c":""},"stringData":{"d":"hunter2"}}`,
			`{"apiVersion":"v1","kind":"Secret","type":"Opaque","data":{"a":"` + b64("REDACTED-1") + `","b":"` + b64("REDACTED-2") + `","c":""},"stringData":{"d":"REDACTED-1"}}`, 2},
		{"what an annotation repeats", nil,
			`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"hunter2","annotations":{"a":"was hunter2"}},"stringData":{"a":"hunter2"}}`,
			`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"hunter2","annotations":{"a":"was REDACTED-1"}},"stringData":{"a":"REDACTED-1"}}`, 1},
		{"credentials stay JSON", nil,
			`{"apiVersion":"v1","kind":"Secret","data":{".dockerconfigjson":"` + b64(`{"auths":{}}`) + `"}}`,
			`{"apiVersion":"v1","kind":"Secret","data":{".dockerconfigjson":"` + b64(`{"auths":{"REDACTED-1":{}}}`) + `"}}`, 1},
		{"what kubectl applied", nil,
			`{"apiVersion":"v1","kind":"Secret","metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"stringData\":{\"a\":\"hunter2\"}}\n","b":"c"}}}`,
			`{"apiVersion":"v1","kind":"Secret","metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"stringData\":{\"a\":\"REDACTED-1\"}}\n","b":"c"}}}`, 1},
		{"what kubectl applied, cut short", nil,
			`{"apiVersion":"v1","kind":"Secret","metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"stringData\":{\"a\":\"hun"}}}`,
			`{"apiVersion":"v1","kind":"Secret","metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"REDACTED-1"}}}`, 1},
		{"a token that was asked for", nil,
			`{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"audiences":["a"]},"status":{"token":"ey.J","expirationTimestamp":"2026-01-01T00:00:00Z"}}`,
			`{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"audiences":["a"]},"status":{"token":"eyJhbGciOiJub25lIn0.REDACTED-1.unsigned","expirationTimestamp":"2026-01-01T00:00:00Z"}}`, 1},
		{"a token to be checked", nil,
			`{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"ey.J"}}`,
			`{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"REDACTED-1"}}`, 1},
		{"a list", nil,
			`{"apiVersion":"v1","kind":"SecretList","items":[{"stringData":{"a":"x"}},{"apiVersion":"v1","kind":"ConfigMap","stringData":{"a":"x"}}]}`,
			`{"apiVersion":"v1","kind":"SecretList","items":[{"stringData":{"a":"REDACTED-1"}},{"apiVersion":"v1","kind":"ConfigMap","stringData":{"a":"x"}}]}`, 1},
		{"a Secret of somebody else", nil,
			`{"apiVersion":"vault.example.com/v1","kind":"Secret","data":{"path":"a/b"}}`,
			`{"apiVersion":"vault.example.com/v1","kind":"Secret","data":{"path":"a/b"}}`, 0},
		{"nothing without a path", nil,
			`{"apiVersion":"v1","kind":"ConfigMap","data":{"password":"x"}}`,
			`{"apiVersion":"v1","kind":"ConfigMap","data":{"password":"x"}}`, 0},
		{"a path of a kind", []string{"ConfigMap:data.password"},
			`{"apiVersion":"v1","kind":"ConfigMap","data":{"password":"x","user":"y"}}`,
			`{"apiVersion":"v1","kind":"ConfigMap","data":{"password":"REDACTED-1","user":"y"}}`, 1},
		{"not of that kind", []string{"Secretary:data.password"},
			`{"apiVersion":"v1","kind":"ConfigMap","data":{"password":"x"}}`,
			`{"apiVersion":"v1","kind":"ConfigMap","data":{"password":"x"}}`, 0},
		{"through lists, and what kubectl applied", []string{"{.spec.containers[*].env[*].value}"},
			`{"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"spec\":{\"containers\":[{\"env\":[{\"value\":\"x\"}]}]}}"}},"spec":{"containers":[{"name":"a","env":[{"name":"A","value":"x"},{"name":"B","valueFrom":{}}]}]}}`,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"spec\":{\"containers\":[{\"env\":[{\"value\":\"REDACTED-1\"}]}]}}"}},"spec":{"containers":[{"name":"a","env":[{"name":"A","value":"REDACTED-1"},{"name":"B","valueFrom":{}}]}]}}`, 1},
		{"all that is below, each kept in its type", []string{"spec"},
			`{"apiVersion":"example.com/v1","kind":"Safe","spec":{"pin":1234,"open":true,"lock":{"codes":["a","b"],"none":null}}}`,
			`{"apiVersion":"example.com/v1","kind":"Safe","spec":{"pin":0,"open":false,"lock":{"codes":["REDACTED-1","REDACTED-2"],"none":null}}}`, 4},
		{"only a number", []string{"spec.pin"},
			`{"apiVersion":"example.com/v1","kind":"Safe","spec":{"pin":1234}}`,
			`{"apiVersion":"example.com/v1","kind":"Safe","spec":{"pin":0}}`, 1},
		{"a key with a dot, an index", []string{`$.data['a.b']`, `data["c"][1]`},
			`{"apiVersion":"example.com/v1","kind":"Safe","data":{"a.b":"x","c":["y","z"]}}`,
			`{"apiVersion":"example.com/v1","kind":"Safe","data":{"a.b":"REDACTED-1","c":["y","REDACTED-2"]}}`, 2},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r, err := New(c.paths...)
			if err != nil {
				t.Fatal(err)
			}
			p := r.Begin()
			object := parse(t, c.object)
			if diff := cmp.Diff(parse(t, c.want), p.Object(object)); diff != "" {
				t.Error(diff)
			}
			if p.Count() != c.count {
				t.Errorf("Count() = %d, want %d", p.Count(), c.count)
			}
			if diff := cmp.Diff(parse(t, c.object), object); diff != "" {
				t.Errorf("the object itself changed: %s", diff)
			}
		})
	}
}

func TestPaths(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"", `path "" names nothing`},
		{"Pod:", `path "Pod:" names nothing`},
		{"spec.", `path "spec.": "." is not understood`},
		{"spec..name", `"..name" is not understood`},
		{"spec[?(@.a)]", `"[?(@.a)]" is not understood`},
		{"data['a]", "is not understood"},
	} {
		_, err := New(c.path)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("New(%q) = %v, want %q", c.path, err, c.want)
		}
	}
}

func TestPatch(t *testing.T) {
	for _, c := range []struct{ reason, operations, want string }{
		{"a key", `[{"op":"add","path":"/data/a","value":"` + b64("x") + `"}]`, `[{"op":"add","path":"/data/a","value":"` + b64("REDACTED-1") + `"}]`},
		{"all keys", `[{"op":"replace","path":"/stringData","value":{"a":"x"}}]`, `[{"op":"replace","path":"/stringData","value":{"a":"REDACTED-1"}}]`},
		{"the whole object", `[{"op":"replace","path":"","value":{"stringData":{"a":"x"}}}]`, `[{"op":"replace","path":"","value":{"stringData":{"a":"REDACTED-1"}}}]`},
		{"a test", `[{"op":"test","path":"/stringData/a~1b","value":"x"}]`, `[{"op":"test","path":"/stringData/a~1b","value":"REDACTED-1"}]`},
		{"what kubectl applied", `[{"op":"add","path":"/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration","value":"{\"stringData\":{\"a\":\"x\"}}"}]`,
			`[{"op":"add","path":"/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration","value":"{\"stringData\":{\"a\":\"REDACTED-1\"}}"}]`},
		{"elsewhere", `[{"op":"add","path":"/metadata/labels/a","value":"x"},{"op":"remove","path":"/data/a"},{"op":"copy","from":"/data/a","path":"/data/b"}]`,
			`[{"op":"add","path":"/metadata/labels/a","value":"x"},{"op":"remove","path":"/data/a"},{"op":"copy","from":"/data/a","path":"/data/b"}]`},
		{"a secret that is found once is hidden elsewhere", `[{"op":"add","path":"/stringData/a","value":"hunter2"},{"op":"add","path":"/metadata/labels/a","value":"is-hunter2"}]`,
			`[{"op":"add","path":"/stringData/a","value":"REDACTED-1"},{"op":"add","path":"/metadata/labels/a","value":"is-REDACTED-1"}]`},
		{"no operations", `[1,{"op":"add","value":"x"}]`, `[1,{"op":"add","value":"x"}]`},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r, err := New()
			if err != nil {
				t.Fatal(err)
			}
			var operations, want []any
			if err := decode([]byte(c.operations), &operations); err != nil {
				t.Fatal(err)
			}
			if err := decode([]byte(c.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, r.Begin().Patch("", "Secret", operations)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPatchBelowAPath(t *testing.T) {
	r, err := New("Pod:spec.containers[*].env")
	if err != nil {
		t.Fatal(err)
	}
	var operations, want []any
	_ = decode([]byte(`[{"path":"/spec/containers/-","value":{"name":"a","env":[{"value":"x"}]}},{"path":"/spec/containers/0/env/0/value","value":"y"},{"path":"/spec/initContainers/0/env/0/value","value":"z"}]`), &operations)
	_ = decode([]byte(`[{"path":"/spec/containers/-","value":{"name":"a","env":[{"value":"REDACTED-1"}]}},{"path":"/spec/containers/0/env/0/value","value":"REDACTED-2"},{"path":"/spec/initContainers/0/env/0/value","value":"z"}]`), &want)
	if diff := cmp.Diff(want, r.Begin().Patch("", "Pod", operations)); diff != "" {
		t.Error(diff)
	}
}

func TestReview(t *testing.T) {
	secret := func(value string) string {
		return `{"apiVersion":"v1","kind":"Secret","data":{"a":"` + b64(value) + `"}}`
	}
	review := func(object, old, patch, message string) string {
		return `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"1","kind":{"group":"","version":"v1","kind":"Secret"},"object":` + object + `,"oldObject":` + old + `},` +
			`"response":{"uid":"1","allowed":true,"patchType":"JSONPatch","patch":"` + b64(patch) + `","warnings":["` + message + `"],"auditAnnotations":{"a":"` + message + `"},"status":{"message":"` + message + `","code":200}}}`
	}
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reason, review, want string
		found                bool
	}{
		{"everywhere",
			review(secret("hunter2"), secret("hunter1"), `[{"op":"add","path":"/data/b","value":"`+b64("hunter3")+`"}]`, "no hunter2 please, nor "+b64("hunter1")),
			review(secret("REDACTED-1"), secret("REDACTED-2"), `[{"op":"add","path":"/data/b","value":"`+b64("REDACTED-3")+`"}]`, "no REDACTED-1 please, nor REDACTED-2"), true},
		{"the value stays the same",
			review(secret("hunter2"), secret("hunter2"), `[]`, ""),
			review(secret("REDACTED-1"), secret("REDACTED-1"), `[]`, ""), true},
		{"a broken patch stays broken and is not shown",
			review("null", "null", `[{"op":"add","path":"/data/b","value":"hunter3`, ""),
			review("null", "null", `REDACTED-1`, ""), true},
		{"another kind stays as it is, byte for byte",
			`{ "request": {"kind":{"group":"","kind":"ConfigMap"}, "object":{"data":{"a":"b<c"}}} }`,
			`{ "request": {"kind":{"group":"","kind":"ConfigMap"}, "object":{"data":{"a":"b<c"}}} }`, false},
	} {
		t.Run(c.reason, func(t *testing.T) {
			got, found, err := r.Review([]byte(c.review))
			if err != nil || found != c.found {
				t.Fatalf("Review() found %v, %v", found, err)
			}
			if !c.found && string(got) != c.want {
				t.Errorf("Review() = %s, want %s", got, c.want)
			}
			if diff := cmp.Diff(parse(t, c.want), parse(t, string(got))); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, _, err := r.Review([]byte(`{"request":`)); err == nil {
		t.Error("Review accepts half a review")
	}
}

// Whatever a Secret holds, nothing of it is left, and redacting the result again finds the same places.
func FuzzReview(f *testing.F) {
	f.Add("hunter2-secret", "other-secret-value")
	f.Add("\x00\xff binary", `"quoted\`)
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) < 8 || len(b) < 8 || strings.Contains("REDACTED-", a) {
			t.Skip()
		}
		object := map[string]any{"data": map[string]string{"k": b64("<" + a + ">")}, "stringData": map[string]string{"k": b}}
		text, err := json.Marshal(map[string]any{"request": map[string]any{"kind": map[string]string{"kind": "Secret"}, "object": object}})
		if err != nil {
			t.Fatal(err)
		}
		r, _ := New()
		got, found, err := r.Review(text)
		if err != nil || !found {
			t.Fatalf("Review() found %v, %v", found, err)
		}
		want := `{"request":{"kind":{"kind":"Secret"},"object":{"data":{"k":"` + b64("REDACTED-1") + `"},"stringData":{"k":"REDACTED-2"}}}}`
		if string(got) != want {
			t.Errorf("Review() = %s, want %s", got, want)
		}
	})
}

// Nothing of a secret is left in an audit event and the review derived from it: not in requests, answers, patches,
// tables, messages or URLs.
func TestEvent(t *testing.T) {
	const token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl"
	secret := func(value string) string {
		return `{"apiVersion":"v1","kind":"Secret","data":{"a":"` + b64(value) + `"}}`
	}
	r, err := New("ConfigMap:data.password")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ reason, group, kind, event, review, want string }{
		{"objects and messages", "", "Secret",
			`{"requestObject":` + secret("hunter2") + `,"responseObject":{"kind":"Status","apiVersion":"v1","message":"hunter2 is weak"},"responseStatus":{"message":"hunter2 is weak"},"annotations":{"validation":"hunter2 is weak"}}`,
			`{"request":{"object":` + secret("hunter2") + `,"oldObject":` + secret("hunter1") + `},"response":{"status":{"message":"hunter2, not hunter1"}}}`,
			`{"requestObject":` + secret("REDACTED-1") + `,"responseObject":{"kind":"Status","apiVersion":"v1","message":"REDACTED-1 is weak"},"responseStatus":{"message":"REDACTED-1 is weak"},"annotations":{"validation":"REDACTED-1 is weak"}}` +
				`{"request":{"object":` + secret("REDACTED-1") + `,"oldObject":` + secret("REDACTED-2") + `},"response":{"status":{"message":"REDACTED-1, not REDACTED-2"}}}`},
		{"a JSON patch", "", "Secret",
			`{"requestObject":[{"op":"replace","path":"/data/a","value":"` + b64("hunter2") + `"}],"responseObject":` + secret("hunter2") + `}`, "",
			`{"requestObject":[{"op":"replace","path":"/data/a","value":"` + b64("REDACTED-1") + `"}],"responseObject":` + secret("REDACTED-1") + `}`},
		{"a merge patch, which does not say of what it is", "", "Secret",
			`{"requestObject":{"stringData":{"a":"hunter2"}},"responseStatus":{"code":200}}`, "",
			`{"requestObject":{"stringData":{"a":"REDACTED-1"}},"responseStatus":{"code":200}}`},
		{"patches of webhooks", "", "Secret",
			`{"annotations":{"patch.webhook.admission.k8s.io/round_0_index_0":"{\"configuration\":\"c\",\"patch\":[{\"op\":\"add\",\"path\":\"/data/b\",\"value\":\"` + b64("hunter2") + `\"}],\"patchType\":\"JSONPatch\"}","patch.webhook.admission.k8s.io/round_0_index_1":"{hunter2"}}`, "",
			`{"annotations":{"patch.webhook.admission.k8s.io/round_0_index_0":"{\"configuration\":\"c\",\"patch\":[{\"op\":\"add\",\"path\":\"/data/b\",\"value\":\"` + b64("REDACTED-1") + `\"}],\"patchType\":\"JSONPatch\"}","patch.webhook.admission.k8s.io/round_0_index_1":"REDACTED-2"}}`},
		{"lists", "", "Secret",
			`{"responseObject":{"kind":"SecretList","apiVersion":"v1","items":[{"data":{"a":"` + b64("hunter2") + `"}}]}}`, "",
			`{"responseObject":{"kind":"SecretList","apiVersion":"v1","items":[{"data":{"a":"` + b64("REDACTED-1") + `"}}]}}`},
		{"tables, whose metadata has it all", "", "Secret",
			`{"responseObject":{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"cells":["a","hunter2"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"annotations":{"` + lastApplied + `":"{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"stringData\":{\"a\":\"hunter2\"}}"}}}}]}}`, "",
			`{"responseObject":{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"cells":["a","REDACTED-1"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"annotations":{"` + lastApplied + `":"{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"stringData\":{\"a\":\"REDACTED-1\"}}"}}}}]}}`},
		{"metadata of a Secret that is known already", "", "Secret",
			`{"requestObject":{"stringData":{"a":"hunter2"}},"responseObject":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"annotations":{"` + lastApplied + `":"{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"stringData\":{\"a\":\"hunter2\"}}"}}}}`, "",
			`{"requestObject":{"stringData":{"a":"REDACTED-1"}},"responseObject":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"annotations":{"` + lastApplied + `":"{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"stringData\":{\"a\":\"REDACTED-1\"}}"}}}}`},
		{"a signed token stays the form of one", "authentication.k8s.io", "TokenRequest",
			`{"responseObject":{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","status":{"token":"` + token + `"}}}`, "",
			`{"responseObject":{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","status":{"token":"eyJhbGciOiJub25lIn0.REDACTED-1.unsigned"}}}`},
		{"the query behind a proxy", "", "ServiceProxyOptions",
			`{"objectRef":{"subresource":"proxy"},"requestURI":"/api/v1/namespaces/a/services/b/proxy/c?token=hunter2"}`, "",
			`{"objectRef":{"subresource":"proxy"},"requestURI":"/api/v1/namespaces/a/services/b/proxy/c?token=REDACTED-1"}`},
		{"paths", "", "ConfigMap",
			`{"requestObject":{"apiVersion":"v1","kind":"ConfigMap","data":{"password":"hunter2","user":"u"}}}`, "",
			`{"requestObject":{"apiVersion":"v1","kind":"ConfigMap","data":{"password":"REDACTED-1","user":"u"}}}`},
		{"what has no secrets stays", "", "Pod",
			`{"requestURI":"/api?x=1","requestObject":{"kind":"Pod","metadata":{"annotations":{"` + lastApplied + `":"{ \"kind\":\"Pod\" }"}}},"annotations":{"patch.webhook.admission.k8s.io/round_0_index_0":"{ }"}}`, "",
			`{"requestURI":"/api?x=1","requestObject":{"kind":"Pod","metadata":{"annotations":{"` + lastApplied + `":"{ \"kind\":\"Pod\" }"}}},"annotations":{"patch.webhook.admission.k8s.io/round_0_index_0":"{ }"}}`},
	} {
		t.Run(c.reason, func(t *testing.T) {
			event := parse(t, c.event)
			var review map[string]any
			if c.review != "" {
				review = parse(t, c.review)
			}
			r.Begin().Event(event, review, c.group, c.kind)
			var got strings.Builder
			for _, part := range []map[string]any{event, review} {
				text, err := encode(part)
				if err != nil {
					t.Fatal(err)
				}
				if part != nil {
					got.Write(text)
				}
			}
			want := normal(t, c.want)
			if diff := cmp.Diff(want, got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// normal returns JSON values with sorted keys.
func normal(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	for d := json.NewDecoder(strings.NewReader(text)); d.More(); {
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		one, err := encode(v)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(one)
	}
	return b.String()
}

// Texts and objects that belong together may be redacted in several passes: a secret keeps its word.
func TestAfter(t *testing.T) {
	r, err := New("data")
	if err != nil {
		t.Fatal(err)
	}
	first := r.Begin()
	first.Object(parse(t, `{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"x","b":"y"}}`))
	after := r.After(first)
	for range 2 { // each pass begins with the same words
		got := after.Begin().Object(parse(t, `{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"new","b":"y"}}`))
		if diff := cmp.Diff(parse(t, `{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"REDACTED-3","b":"REDACTED-2"}}`), got); diff != "" {
			t.Error(diff)
		}
	}
}

// What identifies an object is not searched, wherever it is. Keys that users choose are.
func TestTextsIdentify(t *testing.T) {
	p := secretOf(t, "frontend")
	for _, c := range []struct{ reason, object, want string }{
		{"an object, and what refers to one", `{"kind":"frontend","metadata":{"name":"frontend","namespace":"frontend"},"spec":{"ref":{"name":"frontend","key":"frontend"}}}`,
			`{"kind":"frontend","metadata":{"name":"frontend","namespace":"frontend"},"spec":{"ref":{"name":"frontend","key":"REDACTED-1"}}}`},
		{"a key that is called so", `{"metadata":{"labels":{"name":"frontend"}},"data":{"kind":"frontend"}}`,
			`{"metadata":{"labels":{"name":"REDACTED-1"}},"data":{"kind":"REDACTED-1"}}`},
		{"a field, and a key that a user chose", `{"spec":{"frontend":{"annotations":{"frontend":"a"}}}}`,
			`{"spec":{"frontend":{"annotations":{"REDACTED-1":"a"}}}}`},
		{"a key that is not the name of a field", `{"data":{"x-frontend":"a"}}`, `{"data":{"x-REDACTED-1":"a"}}`},
	} {
		if diff := cmp.Diff(parse(t, c.want), p.Texts(parse(t, c.object))); diff != "" {
			t.Errorf("%s: %s", c.reason, diff)
		}
	}
}

// The path of a URI stays; its query and what is behind a proxy do not.
func TestURI(t *testing.T) {
	p := secretOf(t, "frontend")
	for uri, want := range map[string]string{
		"/api/v1/namespaces/frontend/pods/frontend":                   "/api/v1/namespaces/frontend/pods/frontend",
		"/api/v1/namespaces/frontend/pods?labelSelector=a%3Dfrontend": "/api/v1/namespaces/frontend/pods?labelSelector=a%3DREDACTED-1",
		"/api/v1/pods?limit=5&continue=a":                             "/api/v1/pods?limit=5&continue=a",
		"/api/v1/namespaces/a/services/frontend/proxy/frontend":       "/api/v1/namespaces/a/services/frontend/proxy/REDACTED-1",
		"/api/v1/pods?%zz=frontend":                                   "/api/v1/pods?%zz=REDACTED-1",
	} {
		if got := p.URI(uri); got != want {
			t.Errorf("URI(%q) = %q, want %q", uri, got, want)
		}
	}
}

// The namespace and the certificate in the Secret of a token are hidden there, but not searched for elsewhere.
func TestTokenSecret(t *testing.T) {
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	p := r.Begin()
	got := p.Shown(parse(t, `{"apiVersion":"v1","kind":"Secret","type":"kubernetes.io/service-account-token","metadata":{"annotations":{"a":"hunter2 in production"}},"data":{"namespace":"`+b64("production")+`","token":"`+b64("hunter2")+`"}}`))
	want := parse(t, `{"apiVersion":"v1","kind":"Secret","type":"kubernetes.io/service-account-token","metadata":{"annotations":{"a":"REDACTED-2 in production"}},"data":{"namespace":"`+b64("REDACTED-1")+`","token":"`+b64("REDACTED-2")+`"}}`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
