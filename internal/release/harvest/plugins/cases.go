package plugins

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/conformance"
	"github.com/admsim/admsim/internal/conformance/plugincall"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// Cases returns recordings of what plugins were asked, without duplicates. They are named after their content. leftOut
// counts the calls that cannot happen on a server, or that cannot be asked again, by reason.
func Cases(calls []Call, version string) (cases []conformance.Recording, leftOut map[string]int, err error) {
	release, err := kubeversion.Parse(version)
	if err != nil {
		return nil, nil, err
	}
	leftOut = map[string]int{}
	seen := map[string]bool{}
	for _, those := range sequences(calls) {
		r, unfair, err := newSequence(those, release)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", those[0].Test, err)
		}
		switch {
		case unfair != "":
			leftOut[those[0].Plugin+": "+unfair] += len(those)
		case !seen[r.ID]:
			seen[r.ID] = true
			cases = append(cases, r)
		}
	}
	slices.SortFunc(cases, func(a, b conformance.Recording) int { return strings.Compare(a.ID, b.ID) })
	return cases, leftOut, nil
}

var operations = []string{"CREATE", "UPDATE", "DELETE", "CONNECT"}

// sequences groups calls: those of a plugin that remembers them are one sequence, every other call is a sequence of its
// own.
func sequences(calls []Call) (all [][]Call) {
	of := map[string]int{}
	for _, c := range calls {
		i, known := of[c.Instance]
		if c.Instance == "" || !known {
			of[c.Instance] = len(all)
			all = append(all, []Call{c})
			continue
		}
		all[i] = append(all[i], c)
	}
	for _, those := range all {
		slices.SortFunc(those, func(a, b Call) int { return a.Number - b.Number })
	}
	return all
}

// newSequence returns the recording of the calls of a sequence, or why there is none.
func newSequence(calls []Call, release *kubeversion.Release) (r conformance.Recording, unfair string, err error) {
	for i, c := range calls {
		next, unfair, err := newCase(c, release)
		if err != nil || unfair != "" {
			return r, unfair, err
		}
		if i == 0 {
			r = next
			continue
		}
		moment := next.Plugin.Moment
		moment.After = c.At - calls[0].At
		r.Plugin.Later = append(r.Plugin.Later, moment)
		next.Requests[0].ID = strconv.Itoa(i + 1)
		r.Requests = append(r.Requests, next.Requests...)
	}
	r.ID = "plugin-" + strings.ToLower(r.Plugin.Name) + "-" + hash(r)
	return r, "", nil
}

// newCase returns the recording of a call, or why there is none.
func newCase(c Call, release *kubeversion.Release) (r conformance.Recording, unfair string, err error) {
	c.Object, c.OldObject, c.After = suffixed(c.Object), suffixed(c.OldObject), suffixed(c.After)
	if !slices.Contains(operations, c.Operation) && len(c.Handles) > 0 {
		c.Operation = c.Handles[0] // the test invents one, since the plugin does not read it
	}
	switch c.Plugin {
	case "EventRateLimit":
		c = ofEvents(c)
	case "DenyEscalatingExec":
		c.Plugin = ofExec(c)
	case "PersistentVolumeLabel":
		c.After = inOrder(c.Object, c.After)
	}
	switch {
	case c.Lost != "":
		return r, c.Lost, nil
	case len(c.Handles) > 0 && !slices.Contains(c.Handles, c.Operation):
		return r, "the server does not ask it about this operation", nil
	case given(c.Object) == nil && given(c.OldObject) == nil && (c.Operation == "CREATE" || c.Operation == "UPDATE"):
		return r, "there is no object", nil
	case c.Status != nil && strings.Contains(c.Status.Message, "not yet ready to handle request"):
		return r, "its caches are not filled", nil
	case c.Plugin == "LimitRanger" && c.Status != nil && strings.Contains(c.Status.Message, "is forbidden: ["):
		return r, "the order of its errors is that of a map", nil
	case neverStored(c):
		return r, "its old object was never stored", nil
	case c.Plugin == "PodSecurityPolicy" && c.User == nil:
		return r, "the request comes from nobody", nil
	case c.Plugin == "NodeRestriction" && c.Operation == "CREATE" && c.Resource == "nodes" && c.Name == "":
		return r, "its name is not that of the object", nil
	case c.Status != nil && strings.Contains(c.Status.Message, "unexpected type *v1."):
		return r, "the object is not of the kind of the resource", nil
	}
	world := worldOf(c)
	if c.Plugin == "ServiceAccount" && string(c.Settings["LimitSecretReferences"]) == "true" {
		world = limited(world)
	}
	if size(world) > longest {
		return r, "its cluster is very large", nil
	}
	if c.Operation == "DELETE" && c.Subresource == "" && given(c.OldObject) == nil && c.Name != "" {
		c.OldObject = find(world, c) // the server always has it, but most plugins do not read it
	}
	if c.Operation == "DELETE" && given(c.OldObject) == nil && c.Status != nil && c.Status.Code == http.StatusNotFound {
		return r, "there is no object", nil
	}
	if c.Live {
		return r, "it asks a client that the test answers with errors", nil
	}
	configuration, unfair := configurationOf(c)
	if unfair != "" {
		return r, unfair, nil
	}
	release, err = release.With(kubeversion.Flags{FeatureGates: c.Gates, RuntimeConfig: map[string]bool{"api/all": true}})
	if err != nil {
		return r, err.Error(), nil
	}
	request, unfair := requestOf(c, release)
	if unfair != "" {
		return r, unfair, nil
	}
	if request.Expect, err = expectation(c); err != nil {
		return r, "", err
	}
	r = conformance.Recording{
		Title: c.Test, Kubernetes: release.Version, Cluster: world,
		Plugin: &plugincall.Call{
			Name: c.Plugin, Phase: phaseOf(c.Method), Gates: c.Gates, Configuration: configuration,
			Moment: plugincall.Moment{
				User: userOf(c), OldObject: given(c.OldObject), Options: given(c.Options), DryRun: c.DryRun,
				Answers: c.Questions, Exchanges: c.Exchanges,
			},
		},
		Requests: []conformance.Request{request},
	}
	return r, "", nil
}

// neverStored reports whether a plugin charges an update as a create. It does so if the old object has no version.
func neverStored(c Call) bool {
	var old metav1.PartialObjectMetadata
	_ = json.Unmarshal(c.OldObject, &old) // it comes from an encoder
	return c.Plugin == "ResourceQuota" && c.Operation == "UPDATE" && old.ResourceVersion == ""
}

// userOf returns who makes the request of a call.
func userOf(c Call) authenticationv1.UserInfo {
	if c.User == nil {
		return authenticationv1.UserInfo{}
	}
	return *c.User
}

// ofEvents completes a call of EventRateLimit, which only reads the kind of the object and the source of an event: its
// tests invent the resource, and leave out most objects.
func ofEvents(c Call) Call {
	c.Resource = "events"
	if c.Kind != "Event" {
		c.Resource, c.Object = "pods", json.RawMessage(`{"apiVersion":"v1","kind":"Pod","spec":{"containers":null}}`)
	} else if given(c.Object) == nil {
		c.Object = json.RawMessage(`{"apiVersion":"v1","kind":"Event","metadata":{},"involvedObject":{}}`)
	}
	return c
}

func phaseOf(method string) trace.Phase {
	if method == "Admit" {
		return trace.Mutating
	}
	return trace.Validating
}

// given returns JSON, or nil if it is null.
func given(text json.RawMessage) json.RawMessage {
	if string(text) == "null" {
		return nil
	}
	return text
}

// worldOf returns the objects that a plugin knows: those in its caches, and those that it finds only if it asks the
// server.
func worldOf(c Call) []json.RawMessage {
	var world []json.RawMessage
	for _, text := range c.Listed {
		world = append(world, suffixed(text))
	}
	cached := map[string]bool{}
	for _, text := range c.Listed {
		cached[keyOf(text)] = true
	}
	for _, text := range c.Stored {
		if !cached[keyOf(text)] {
			world = append(world, suffixed(text))
		}
	}
	return world
}

// suffixed returns an object with the suffix that names which a plugin generates have in admsim.
func suffixed(text json.RawMessage) json.RawMessage {
	return bytes.ReplaceAll(text, []byte(testSuffix), []byte(plugincall.Suffix))
}

// find returns the object of a request in a cluster.
func find(world []json.RawMessage, c Call) json.RawMessage {
	want := strings.Join([]string{schema.GroupKind{Group: c.Group, Kind: c.Kind}.String(), c.Namespace, c.Name}, "\n")
	for _, text := range world {
		if keyOf(text) == want {
			return text
		}
	}
	return nil
}

// longest is the maximum size of a cluster. A benchmark has one with 3,000 pods.
const longest = 200_000

func size(world []json.RawMessage) (n int) {
	for _, text := range world {
		n += len(text)
	}
	return n
}

// keyOf returns what identifies an object.
func keyOf(text json.RawMessage) string {
	var o metav1.PartialObjectMetadata
	_ = json.Unmarshal(text, &o) // it comes from an encoder
	return strings.Join([]string{o.GroupVersionKind().GroupKind().String(), o.Namespace, o.Name}, "\n")
}

// requestOf returns the request of a call. The version is that of the object, or else the preferred one: tests invent
// versions, which plugins do not read.
func requestOf(c Call, release *kubeversion.Release) (r conformance.Request, unfair string) {
	r = conformance.Request{
		ID: "1", Verb: strings.ToLower(c.Operation), Group: c.Group, Resource: c.Resource, Subresource: c.Subresource,
		Namespace: c.Namespace, Name: c.Name, Object: given(c.Object),
	}
	kind := kindOf(cmp.Or(string(given(c.Object)), string(given(c.OldObject))))
	for _, served := range discovery.New(release, cluster.New()).All() {
		if served.Group != c.Group || served.Resource != c.Resource {
			continue
		}
		body := served.Kind
		if c.Subresource != "" {
			sub, ok := served.Subresources[c.Subresource]
			if !ok {
				continue
			}
			body = sub.Kind
		}
		if kind.Empty() || kind == body || r.Version == "" && kind.GroupKind() == body.GroupKind() {
			r.Version = served.Version
			if kind.Empty() || kind == body {
				return r, ""
			}
		}
	}
	switch {
	case r.Version != "":
		return r, ""
	case kind.Empty():
		return r, "no server has the resource"
	}
	return r, "the object is not of the kind of the resource"
}

func kindOf(text string) schema.GroupVersionKind {
	var kind metav1.TypeMeta
	_ = json.Unmarshal([]byte(text), &kind) // it comes from an encoder
	return kind.GroupVersionKind()
}

// testSuffix completes the names that a plugin generates in tests.
const testSuffix = "-abc123"

// expectation returns what the plugin did in the form in which admsim's plugin is compared.
func expectation(c Call) (any, error) {
	did := map[string]any{}
	if c.Status != nil {
		status := *c.Status
		status.TypeMeta = metav1.TypeMeta{} // it is always the same
		did["code"], did["body"] = status.Code, status
	} else if c.Method == "Admit" && !bytes.Equal(c.Object, c.After) {
		did["object"] = c.After
	}
	if len(c.Written) > 0 {
		did["writes"] = c.Written
	}
	if len(c.Warnings) > 0 {
		did["warnings"] = c.Warnings
	}
	if len(c.Annotations) > 0 {
		did["auditAnnotations"] = c.Annotations
	}
	text, err := json.Marshal(did)
	if err != nil {
		return nil, err
	}
	var expect any
	return expect, json.Unmarshal(text, &expect)
}

// hash returns a hash of the question. Of some answers, the order differs between runs of upstream's tests.
func hash(r conformance.Recording) string {
	r.Title, r.Requests = "", slices.Clone(r.Requests)
	for i := range r.Requests {
		r.Requests[i].Expect = nil
	}
	text, _ := json.Marshal(r) // it was decoded
	var content any
	_ = json.Unmarshal(text, &content)
	text, _ = json.Marshal(conformance.Normalize(content))
	sum := sha256.Sum256(text)
	return fmt.Sprintf("%x", sum[:5])
}
