package rest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/internal/rbac"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/trace"
)

// TestScenarios runs testdata/*.txtar: requests to a server whose chain has one plugin, which records what it is called
// with and does what the script says. The first lines of a file say which behaviour it shows; then come
//
//	-- release --       its version, if it is not the newest, feature gates: GATE=true, and
//	                    versions of APIs: GROUP/VERSION=true
//	-- cluster.yaml --  the objects that exist before
//	-- patch --         what the plugin does with the object of the next request
//	-- VERB RESOURCE[.GROUP][/SUBRESOURCE] [[NAMESPACE/]NAME] [WORD=VALUE …] --
//	-- want --          the plugin's calls and the answer
//
// A verb of patch is written as patch:TYPE, a version other than the preferred one as
// resource.version.group. The words are
//
//	query=a=b&c=d  the query of the URL
//	as=USER        the user; the default user may do everything
//	see=PATH,…     fields of the objects to record when the plugin is called
//	show=PATH,…    fields of the answer to record
//	deny=PHASE     the plugin refuses the request
//	saying=REASON  … for that reason, if it is not Forbidden
//	or=REASON      … or for this one; the server does not determine which
//	takes=TIME     the plugin takes that long in each phase
//	raw=BODY       the body as it is; otherwise it is YAML
//	keys=N         the body has so many long keys in its data, with empty values
//	image=N        the image of the pod in the body has so many characters
func TestScenarios(t *testing.T) {
	golden.Play(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		w := newWorld()
		a.Steps(t, func(name string, body []byte) string {
			switch name {
			case "release":
				w.become(t, strings.Fields(string(body)))
			case "cluster.yaml":
				w.fill(t, body)
			case "patch":
				var err error
				if w.plugin.patch, err = yaml.YAMLToJSON(body); err != nil {
					t.Fatal(err)
				}
			default:
				return w.play(t, name, body)
			}
			return ""
		})
	})
}

// A world is a server and its cluster.
type world struct {
	release *kubeversion.Release
	state   *cluster.State
	plugin  *spy
	uids    int
	// convert is the webhook that converts custom resources.
	convert objects.Converter
}

func newWorld() *world {
	return &world{release: kubeversion.Default(), state: cluster.New(), plugin: &spy{}}
}

func (w *world) become(t *testing.T, words []string) {
	t.Helper()
	release, err := kubeversion.Parse(words[0])
	if err != nil {
		t.Fatal(err)
	}
	flags := kubeversion.Flags{FeatureGates: map[string]bool{}, RuntimeConfig: map[string]bool{}}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		if strings.Contains(name, "/") {
			flags.RuntimeConfig[name] = value == "true"
		} else {
			flags.FeatureGates[name] = value == "true"
		}
	}
	if w.release, err = release.With(flags); err != nil {
		t.Fatal(err)
	}
}

func (w *world) server() *Server {
	cached := objects.Cached(w.state, w.release)
	resources := discovery.New(w.release, cached)
	served := func(gvk schema.GroupVersionKind) (objects.Resource, bool) {
		r, ok := resources.ForKind(gvk)
		return objects.Resource{Namespaced: r.Namespaced, Storage: r.Storage, CRD: r.CRD}, ok
	}
	w.plugin.types = kinds.New(served, objects.Options{Release: w.release, Convert: w.convert})
	return &Server{
		Chain:      chain.New(chain.Plugin{Name: "spy", Mutator: w.plugin, Validator: w.plugin}),
		Release:    w.release,
		Resources:  resources,
		Types:      w.plugin.types,
		Authorizer: rbac.New(cached),
		Now:        func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) },
		NewUID: func() types.UID {
			w.uids++
			return types.UID(fmt.Sprintf("uid-%d", w.uids))
		},
		Suffix: func() string { return "xxxxx" },
	}
}

// fill adds objects to the cluster, definitions first.
func (w *world) fill(t *testing.T, text []byte) {
	t.Helper()
	var rest [][]byte
	for reader := utilyaml.NewYAMLReader(newReader(text)); ; {
		doc, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if doc, err = yaml.YAMLToJSON(doc); err != nil {
			t.Fatal(err)
		}
		rest = append(rest, doc)
	}
	for _, definitions := range []bool{true, false} {
		for _, doc := range rest {
			var kind schemaKind
			if err := json.Unmarshal(doc, &kind); err != nil {
				t.Fatal(err)
			}
			if kind.defines() == definitions {
				w.put(t, doc, kind)
			}
		}
	}
}

type schemaKind struct{ APIVersion, Kind string }

func (k schemaKind) defines() bool { return k.Kind == "CustomResourceDefinition" }

func (w *world) put(t *testing.T, doc []byte, kind schemaKind) {
	t.Helper()
	server := w.server()
	gvk := schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind)
	object, _, err := server.Types.Decode(doc, gvk, objects.Strict)
	if err != nil {
		t.Fatal(err)
	}
	resource, _ := server.Resources.ForKind(gvk)
	if object, err = server.Types.Convert(object, resource.Storage); err != nil {
		t.Fatal(err)
	}
	if crd, ok := object.(*apiextensionsv1.CustomResourceDefinition); ok {
		crd.Status.StoredVersions = []string{crd.Spec.Versions[0].Name}
	}
	w.state = w.state.With(cluster.Object{Object: object})
}

// play sends one request, and returns what the plugin recorded and what was answered.
func (w *world) play(t *testing.T, line string, body []byte) string {
	t.Helper()
	response, words := w.do(t, w.server(), line, body)
	w.state, w.plugin.patch = response.State, nil
	if response.Failed != nil {
		w.state = response.Failed(w.state)
	}
	return w.plugin.notes.String() + answerOf(t, w.plugin.types, response, words["show"])
}

// do sends one request to a server, and returns the answer and the words of the line.
func (w *world) do(t *testing.T, server *Server, line string, body []byte) (Response, map[string]string) {
	t.Helper()
	req, words, err := requestOf(server, line, body)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	w.plugin.configure(words)
	response, err := server.Do(t.Context(), w.state, req)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return response, words
}

// requestOf parses the line that describes a request.
func requestOf(s *Server, line string, body []byte) (Request, map[string]string, error) {
	fields := strings.Fields(line)
	if len(fields) < 2 {
		return Request{}, nil, fmt.Errorf("a request needs a verb and a resource")
	}
	req := Request{User: authenticationv1.UserInfo{Username: "admin", Groups: []string{"system:masters", "system:authenticated"}}}
	req.Verb, req.PatchType, _ = strings.Cut(fields[0], ":")
	what, sub, _ := strings.Cut(fields[1], "/")
	if r, _, err := s.Resources.Find(what); err == nil {
		req.Resource = r.GroupVersionResource
	} else { // resources that are not served are written in full
		gvr, gr := schema.ParseResourceArg(what)
		if gvr == nil {
			v := gr.WithVersion("v1")
			gvr = &v
		}
		req.Resource = *gvr
	}
	req.Subresource = sub
	words := map[string]string{}
	for _, f := range fields[2:] {
		key, value, isWord := strings.Cut(f, "=")
		switch {
		case isWord:
			words[key] = value
		default:
			namespace, name, found := strings.Cut(f, "/")
			if !found {
				namespace, name = "", f
			}
			req.Namespace, req.Name = namespace, name
		}
	}
	if user := words["as"]; user != "" {
		req.User = authenticationv1.UserInfo{Username: user, Groups: []string{"system:authenticated"}}
	}
	query, err := url.ParseQuery(words["query"])
	if err != nil {
		return req, nil, err
	}
	req.Query = query
	switch {
	case words["raw"] != "":
		req.Body = []byte(words["raw"])
	case len(body) > 0:
		if req.Body, err = yaml.YAMLToJSON(body); err != nil {
			return req, nil, err
		}
	}
	if words["keys"] != "" {
		req.Body, err = withKeys(req.Body, words["keys"])
	}
	if words["image"] != "" {
		var n int
		n, err = strconv.Atoi(words["image"])
		req.Body = bytes.Replace(req.Body, []byte(`"image":""`), fmt.Appendf(nil, `"image":"%s"`, strings.Repeat("i", n)), 1)
	}
	return req, words, err
}

// withKeys adds n keys of 200 characters to the data of a body. managedFields need as much space for them.
func withKeys(body []byte, n string) ([]byte, error) {
	object, count := map[string]any{}, 0
	if err := errors.Join(json.Unmarshal(body, &object), json.Unmarshal([]byte(n), &count)); err != nil {
		return nil, err
	}
	data := map[string]string{}
	for i := range count {
		data[fmt.Sprintf("%0200d", i)] = ""
	}
	object["data"] = data
	return json.Marshal(object)
}

// answerOf returns a short form of the answer.
func answerOf(t *testing.T, types *objects.Types, r Response, show string) string {
	t.Helper()
	var b strings.Builder
	for _, text := range r.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", text)
	}
	for _, key := range []string{"k8s.io/deprecated", "authentication.kubernetes.io/issued-credential-id"} {
		if value, ok := r.AuditAnnotations[key]; ok {
			fmt.Fprintf(&b, "audit: %s=%s\n", key, value)
		}
	}
	fmt.Fprint(&b, r.Code)
	switch status := r.Status(); {
	case r.Object == nil:
		fmt.Fprintf(&b, " %q\n", r.Text)
	case status != nil:
		fmt.Fprintf(&b, " %s: %s\n", status.Reason, status.Message)
	default:
		fmt.Fprintf(&b, " %s\n", r.Object.GetObjectKind().GroupVersionKind().Kind)
	}
	for _, other := range r.Alternatives {
		fmt.Fprintf(&b, "or %d", other.Code)
		if status := other.Status(); status != nil {
			fmt.Fprintf(&b, " %s", status.Reason)
		}
		fmt.Fprintf(&b, " after %d admissions, since %s\n", len(other.Admissions), r.Undetermined)
		if other.Object != nil && show != "" && other.Status() == nil {
			for _, path := range strings.Split(show, ",") {
				fmt.Fprintf(&b, "    %s: %s\n", path, fieldOf(t, types, other.Object, path))
			}
		}
	}
	if r.Undetermined != "" && len(r.Alternatives) == 0 {
		fmt.Fprintf(&b, "undetermined: %s\n", r.Undetermined)
	}
	if show != "" && r.Object != nil {
		for _, path := range strings.Split(show, ",") {
			fmt.Fprintf(&b, "    %s: %s\n", path, fieldOf(t, types, r.Object, path))
		}
	}
	return b.String()
}

// fieldOf returns a field of an object as JSON, or what is there instead.
func fieldOf(t *testing.T, types *objects.Types, object runtime.Object, path string) string {
	if object == nil {
		return "-"
	}
	text, err := types.Encode(object)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Split(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any: // the field of each item
			var all []any
			for _, item := range v {
				if m, ok := item.(map[string]any); ok {
					all = append(all, m[name])
				}
			}
			value = all
		default:
			value = nil
		}
	}
	if value == nil {
		return "-"
	}
	short, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(short)
}

// A spy records what it is called with.
type spy struct {
	types *objects.Types
	patch []byte

	notes bytes.Buffer
	see   []string
	deny  string
	says  string
	or    string
	takes time.Duration
}

func (p *spy) configure(words map[string]string) {
	p.notes.Reset()
	p.see, p.deny, p.says, p.or, p.takes = nil, words["deny"], words["saying"], words["or"], 0
	if words["see"] != "" {
		p.see = strings.Split(words["see"], ",")
	}
	if words["takes"] != "" {
		p.takes, _ = time.ParseDuration(words["takes"])
	}
}

func (p *spy) Mutate(_ context.Context, _ *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := p.step("mutating", req)
	if p.patch == nil || req.Object == nil {
		return step, nil
	}
	before, err := p.types.Encode(req.Object)
	if err != nil {
		return step, err
	}
	after, err := patch.JSON(before, p.patch)
	if err != nil {
		return step, err
	}
	object, err := p.types.Patched(after, req.Kind)
	if err != nil {
		return step, err
	}
	step.Outcome, step.After = trace.Changed, p.types.Default(object)
	return step, nil
}

func (p *spy) Validate(_ context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	return p.step("validating", req), nil
}

func (p *spy) step(phase string, req admission.Request) trace.Step {
	name := req.Name
	if name == "" {
		name = "-"
	}
	fmt.Fprintf(&p.notes, "%-10s %s %s %s", phase, req.Operation, req.Kind.Kind, name)
	if req.DryRun {
		fmt.Fprint(&p.notes, " dry-run")
	}
	fmt.Fprintln(&p.notes)
	for _, path := range p.see {
		fmt.Fprintf(&p.notes, "    %s: %s\n", path, p.field(req, path))
	}
	step := trace.Step{Outcome: trace.Allowed, Before: req.Object, After: req.Object, Duration: p.takes}
	if p.deny == phase {
		step.Outcome = trace.Denied
		status := apierrors.NewForbidden(req.Resource.GroupResource(), req.Name, errors.New("not today")).Status()
		if p.says != "" {
			status.Reason = metav1.StatusReason(p.says)
		}
		step.Denial = &status
		if p.or != "" {
			other := status
			other.Reason = metav1.StatusReason(p.or)
			step.MayRefuse("it is a test", trace.Hook{Denial: &other})
		}
	}
	return step
}

// field returns a field of the objects of a request, or of its options.
func (p *spy) field(req admission.Request, path string) string {
	t := &testing.T{}
	if rest, ok := strings.CutPrefix(path, "options."); ok {
		return fieldOf(t, p.types, req.Options, rest)
	}
	object := fieldOf(t, p.types, req.Object, path)
	switch req.Operation {
	case admissionv1.Update:
		return fieldOf(t, p.types, req.OldObject, path) + " → " + object
	case admissionv1.Delete:
		return fieldOf(t, p.types, req.OldObject, path)
	}
	return object
}

func newReader(text []byte) *bufio.Reader { return bufio.NewReader(bytes.NewReader(text)) }
