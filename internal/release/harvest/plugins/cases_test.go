package plugins

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/conformance"
)

const pod = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web"},"spec":{"containers":null},"status":{}}`

// aCall returns a call whose plugin changes the pod.
func aCall() Call {
	return Call{
		Plugin: "PodNodeSelector", Method: "Admit", Test: "admission_test.go:1 TestAdmission", Handles: []string{"CREATE", "UPDATE"},
		Settings:  map[string]json.RawMessage{"clusterNodeSelectors": json.RawMessage(`{"shop":"zone=a"}`)},
		Operation: "CREATE", Version: "version", Resource: "pods", Kind: "Pod", Namespace: "shop", Name: "web",
		Object: json.RawMessage(pod), After: json.RawMessage(strings.Replace(pod, `"spec":{`, `"spec":{"nodeSelector":{"zone":"a"},`, 1)),
	}
}

// oneCase returns the only case of calls.
func oneCase(t *testing.T, calls ...Call) conformance.Recording {
	t.Helper()
	cases, leftOut, err := Cases(calls, "1.37")
	if err != nil || len(cases) != 1 || len(leftOut) > 0 {
		t.Fatalf("Cases() = %d cases, %v, %v; want one", len(cases), leftOut, err)
	}
	return cases[0]
}

// A case asks the plugin with the configuration of a server, about a version that is served.
func TestCases(t *testing.T) {
	c := oneCase(t, aCall())
	r := c.Requests[0]
	if c.Plugin.Name != "PodNodeSelector" || c.Plugin.Phase != "mutating" || r.Verb != "create" || r.Version != "v1" {
		t.Errorf("the case is %+v of %+v", c.Plugin, r)
	}
	if want := `{"podNodeSelectorPluginConfig":{"shop":"zone=a"}}`; string(c.Plugin.Configuration) != want {
		t.Errorf("the configuration is %s, want %s", c.Plugin.Configuration, want)
	}
	expect, _ := r.Expect.(map[string]any)
	if len(expect) != 1 || expect["object"] == nil {
		t.Errorf("expected is %v, want an object", expect)
	}
	if !strings.HasPrefix(c.ID, "plugin-podnodeselector-") {
		t.Errorf("its name is %s", c.ID)
	}
}

// What a cloud of a test says about the volume of a call is the configuration of PersistentVolumeLabel. The requirements
// that the plugin adds, in the order of a map, are sorted.
func TestClouds(t *testing.T) {
	const volume = `{"kind":"PersistentVolume","apiVersion":"v1","metadata":{"name":"v"},"spec":{"awsElasticBlockStore":{"volumeID":"123"}AFFINITY},"status":{}}`
	affinity := func(keys ...string) json.RawMessage {
		var requirements []string
		for _, key := range keys {
			requirements = append(requirements, `{"key":"`+key+`","operator":"In","values":["1"]}`)
		}
		return json.RawMessage(strings.Replace(volume, "AFFINITY",
			`,"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[`+strings.Join(requirements, ",")+`]}]}}`, 1))
	}
	call := Call{
		Plugin: "PersistentVolumeLabel", Method: "Admit", Operation: "CREATE", Resource: "persistentvolumes", Kind: "PersistentVolume", Name: "v",
		Settings: map[string]json.RawMessage{
			"awsPVLabeler": json.RawMessage(`{"labels":{"a":"1","b":"1"}}`),
			"gcePVLabeler": json.RawMessage(`{"labels":null,"error":"not found"}`),
		},
		Object: affinity("z"), After: affinity("z", "b", "a"),
	}
	c := oneCase(t, call)
	want := `{"apiVersion":"admsim.dev/v1beta1","kind":"VolumeZones","volumes":[{"id":"123","labels":{"a":"1","b":"1"},"source":"awsElasticBlockStore"}]}`
	if string(c.Plugin.Configuration) != want {
		t.Errorf("the configuration is %s, want %s", c.Plugin.Configuration, want)
	}
	text, err := json.Marshal(c.Requests[0].Expect)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, part := range strings.Split(string(text), `"key":"`)[1:] {
		keys = append(keys, part[:1])
	}
	if got := strings.Join(keys, ""); got != "zab" {
		t.Errorf("the requirements are in the order %s, want zab", got)
	}
}

// A plugin's configuration is an internal object, whose fields are called as in Go.
func TestConfiguration(t *testing.T) {
	call := aCall()
	call.Plugin = "ResourceQuota"
	call.Settings = map[string]json.RawMessage{"config": json.RawMessage(`{"LimitedResources":[{"APIGroup":"apps","resource":"deployments","MatchContains":["count"],"MatchScopes":null}]}`)}
	const want = `{"apiVersion":"resourcequota.admission.k8s.io/v1beta1","kind":"Configuration",` +
		`"limitedResources":[{"apiGroup":"apps","matchContains":["count"],"resource":"deployments"}]}`
	if got, unfair := configurationOf(call); string(got) != want || unfair != "" {
		t.Errorf("configurationOf() = %s, %s; want %s", got, unfair, want)
	}
}

// Of a refusal, the object does not matter. A plugin that changes nothing is expected to change nothing.
func TestExpectation(t *testing.T) {
	refused := aCall()
	refused.Status = &metav1.Status{Code: 403, Message: "no"}
	expect, _ := oneCase(t, refused).Requests[0].Expect.(map[string]any)
	if expect["code"] != float64(403) || expect["object"] != nil {
		t.Errorf("expected of a refusal is %v", expect)
	}
	unchanged := aCall()
	unchanged.After = unchanged.Object
	if expect, _ := oneCase(t, unchanged).Requests[0].Expect.(map[string]any); len(expect) > 0 {
		t.Errorf("expected of no change is %v", expect)
	}
}

// Calls that differ only in the test are one case.
func TestDuplicates(t *testing.T) {
	other := aCall()
	other.Test = "admission_test.go:2 TestOther"
	oneCase(t, aCall(), other)
}

// The cache of a plugin counts more than what the server has.
func TestWorld(t *testing.T) {
	const namespace = `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"shop"`
	call := aCall()
	call.Listed = []json.RawMessage{json.RawMessage(namespace + `}}`)}
	call.Stored = []json.RawMessage{json.RawMessage(namespace + `,"labels":{"new":"1"}}}`), json.RawMessage(`{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"other"}}`)}
	c := oneCase(t, call)
	if len(c.Cluster) != 2 || string(c.Cluster[0]) != string(call.Listed[0]) || string(c.Cluster[1]) != string(call.Stored[1]) {
		t.Errorf("the cluster is %s", c.Cluster)
	}
}

// What cannot happen on a server is left out, with the reason.
func TestLeftOut(t *testing.T) {
	for reason, change := range map[string]func(*Call){
		"PodNodeSelector: the server does not ask it about this operation":    func(c *Call) { c.Operation = "DELETE" },
		"PodNodeSelector: no server has the resource":                         func(c *Call) { c.Operation, c.Resource, c.Object, c.Handles = "CONNECT", "cats", nil, nil },
		"PodNodeSelector: the object is not of the kind of the resource":      func(c *Call) { c.Resource = "services" },
		"PodNodeSelector: there is no object":                                 func(c *Call) { c.Object = nil },
		"PodNodeSelector: it asks a client that the test answers with errors": func(c *Call) { c.Live = true },
		"PodNodeSelector: its caches are not filled":                          func(c *Call) { c.Status = &metav1.Status{Message: "not yet ready to handle request"} },
		"PodNodeSelector: no scheme has *Cat":                                 func(c *Call) { c.Lost = "no scheme has *Cat" },
		"LimitRanger: the order of its errors is that of a map": func(c *Call) {
			c.Plugin, c.Status = "LimitRanger", &metav1.Status{Message: `pods "web" is forbidden: [too much cpu, too much memory]`}
		},
		"ImagePolicyWebhook: its TTLs are not configurable":                 func(c *Call) { c.Plugin = "ImagePolicyWebhook" },
		"PodNodeSelector: Kubernetes 1.37: unrecognized feature gate: Cats": func(c *Call) { c.Gates = map[string]bool{"Cats": true} },
	} {
		call := aCall()
		change(&call)
		cases, leftOut, err := Cases([]Call{call}, "1.37")
		if err != nil || len(cases) != 0 || leftOut[reason] != 1 {
			t.Errorf("Cases() = %d cases, %v, %v; want none because of %s", len(cases), leftOut, err, reason)
		}
	}
}

// Some tests invent an operation, since the plugin does not read it.
func TestInventedOperation(t *testing.T) {
	call := aCall()
	call.Operation = "ignored"
	if r := oneCase(t, call).Requests[0]; r.Verb != "create" {
		t.Errorf("the operation is %s, want create", r.Verb)
	}
}

// A field of the plugin ServiceAccount stands for an annotation of all service accounts.
func TestLimitedSecrets(t *testing.T) {
	call := aCall()
	call.Plugin = "ServiceAccount"
	call.Settings = map[string]json.RawMessage{"LimitSecretReferences": json.RawMessage("true")}
	call.Listed = []json.RawMessage{json.RawMessage(`{"kind":"ServiceAccount","apiVersion":"v1","metadata":{"name":"default"}}`)}
	world := oneCase(t, call).Cluster
	if !slices.ContainsFunc(world, func(text json.RawMessage) bool {
		return strings.Contains(string(text), `"kubernetes.io/enforce-mountable-secrets":"true"`)
	}) {
		t.Errorf("the cluster is %s", world)
	}
}

// The calls of a plugin that remembers them are one case.
func TestSequence(t *testing.T) {
	event := func(number int, at time.Duration, refused bool) Call {
		c := Call{
			Plugin: "EventRateLimit", Method: "Validate", Instance: "1-1", Number: number, At: at, Handles: []string{"CREATE", "UPDATE"},
			Settings:  map[string]json.RawMessage{"limits": json.RawMessage(`[{"type":"Server","qps":1,"burst":1}]`)},
			Operation: "CREATE", Resource: "resource", Kind: "Event", Namespace: "shop", Name: "e",
		}
		if refused {
			c.Status = &metav1.Status{Code: 429}
		}
		return c
	}
	c := oneCase(t, event(2, 3*time.Second, true), event(1, time.Second, false))
	if len(c.Requests) != 2 || c.Requests[1].ID != "2" || c.Requests[0].Resource != "events" || len(c.Plugin.Later) != 1 || c.Plugin.Later[0].After != 2*time.Second {
		t.Fatalf("the case is %+v of %+v", c.Plugin, c.Requests)
	}
	if expect, _ := c.Requests[1].Expect.(map[string]any); expect["code"] != float64(429) {
		t.Errorf("expected of the second request is %v", expect)
	}
	other := event(1, 0, false)
	other.Instance = "1-2"
	cases, _, err := Cases([]Call{event(1, 0, false), event(2, 0, true), other}, "1.37")
	if err != nil || len(cases) != 2 {
		t.Errorf("Cases() = %d cases, %v; want one for each plugin", len(cases), err)
	}
}

// The service of ImagePolicyWebhook is elsewhere, and its TTLs are those of the test.
func TestImagePolicy(t *testing.T) {
	call := aCall()
	call.Plugin = "ImagePolicyWebhook"
	call.Settings = map[string]json.RawMessage{"allowTTL": json.RawMessage("300000000000"), "denyTTL": json.RawMessage("0"), "defaultAllow": json.RawMessage("true")}
	got, unfair := configurationOf(call)
	for _, want := range []string{`"allowTTL":300`, `"denyTTL":-1`, `"defaultAllow":true`, `"server":"https://images.example.com"`} {
		if !strings.Contains(string(got), want) || unfair != "" {
			t.Errorf("configurationOf() = %s, %s; want %s", got, unfair, want)
		}
	}
}

// Two plugins that deny exec are one type with different settings.
func TestExec(t *testing.T) {
	call := Call{Plugin: "DenyEscalatingExec", Settings: map[string]json.RawMessage{}}
	for _, name := range []string{"hostNetwork", "hostIPC", "hostPID", "privileged"} {
		call.Settings[name] = json.RawMessage("true")
	}
	if got := ofExec(call); got != "DenyEscalatingExec" {
		t.Errorf("with all settings it is %q", got)
	}
	call.Settings["hostPID"] = json.RawMessage("false")
	if got := ofExec(call); got != "" {
		t.Errorf("with some settings it is %q", got)
	}
}

// What a plugin writes is part of what is expected, and generated names end as in admsim.
func TestWrites(t *testing.T) {
	call := aCall()
	call.Written = []json.RawMessage{json.RawMessage(`{"kind":"Namespace"}`)}
	call.Listed = []json.RawMessage{json.RawMessage(`{"kind":"Secret","metadata":{"name":"token-abc123"}}`)}
	c := oneCase(t, call)
	if expect, _ := c.Requests[0].Expect.(map[string]any); expect["writes"] == nil {
		t.Errorf("expected is %v", expect)
	}
	if !strings.Contains(string(c.Cluster[0]), "token-xxxxx") {
		t.Errorf("the cluster is %s", c.Cluster)
	}
}
