package scenario

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/admsim/admsim/internal/manifest"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	validation "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
)

// ClusterOptions say how manifests become the objects of a cluster. Only the fields up to NewUID are required.
type ClusterOptions struct {
	// Served returns the resources and types of a cluster with these definitions.
	Served func(*cluster.State) (*discovery.Resources, *objects.Types, error)

	// Now and NewUID give an object that was written by hand what the server would have given it: its creation time and
	// UID.
	Now    func() time.Time
	NewUID func() types.UID

	// IgnoreUnknown turns errors about unknown fields, and about kinds that the cluster does not serve, into warnings:
	// objects of another release may have them.
	IgnoreUnknown bool

	// Incomplete means that some of the files could not be read. Errors that may only be a consequence of that are not
	// reported: kinds without a definition, and conversions without an answer.
	Incomplete bool

	// Unchecked leaves out the warnings of the type check.
	Unchecked bool

	// Base is the state that the manifests are added to; manifests replace objects of the same name. Nil: an empty
	// cluster.
	Base *cluster.State
}

// Cluster returns the cluster with the objects of found: decoded, defaulted, and in the version in which the server
// stores them. CustomResourceDefinitions are read first, wherever they are. Admission configuration and definitions are
// validated as the server does on create, with its messages. The warnings are those of the server, and others that may
// help the author. The error is an [Errors].
func Cluster(found []manifest.Manifest, o ClusterOptions) (*cluster.State, []*manifest.Error, error) {
	l := &clusterLoader{options: o, state: o.Base, places: map[cluster.Key]manifest.Source{}}
	if l.state == nil {
		l.state = cluster.New()
	}
	definitions, others := definitionsFirst(found)
	bound := sync.OnceValue(func() bindings { return bindingsAmong(others) })
	definitions = append(definitions, constraintDefinitions(found, l.state)...)
	for _, some := range [][]manifest.Manifest{definitions, others} {
		reader, err := NewObjectReader(l.state, o)
		if err != nil {
			return nil, nil, err
		}
		reader.bindings = bound
		for _, m := range some {
			l.add(reader, m)
		}
		o.Incomplete = o.Incomplete || len(l.errs) > 0 // a definition may be missing
	}
	return l.state, l.warnings, l.errs.Err()
}

// definitionsFirst separates CustomResourceDefinitions from the other manifests.
func definitionsFirst(found []manifest.Manifest) (definitions, others []manifest.Manifest) {
	for _, m := range found {
		if m.Kind == "CustomResourceDefinition" && m.Group == "apiextensions.k8s.io" {
			definitions = append(definitions, m)
		} else {
			others = append(others, m)
		}
	}
	return definitions, others
}

type clusterLoader struct {
	options  ClusterOptions
	state    *cluster.State
	places   map[cluster.Key]manifest.Source
	warnings []*manifest.Error
	errs     manifest.Errors
}

func (l *clusterLoader) add(reader *ObjectReader, m manifest.Manifest) {
	object, warnings, err := reader.Read(m)
	l.warnings = append(l.warnings, warnings...)
	if err != nil {
		l.errs.Join(err)
		return
	}
	if object.Object == nil {
		return // its kind is ignored
	}
	key := cluster.KeyOf(object.Object)
	if first, twice := l.places[key]; twice {
		m.Namespace, m.Name = key.Namespace, key.Name
		hint := "keep one of the two"
		if first.File != m.Source.File {
			hint = "keep one of the two; if one is a patch of kustomize, name the folder with the kustomization.yaml instead"
		}
		l.errs.Add(m.Source, hint, "%s appears twice, first in %s", m, first)
		return
	}
	l.places[key] = m.Source
	l.state = l.state.With(object)
}

// An ObjectReader reads manifests as objects of one cluster.
type ObjectReader struct {
	options   ClusterOptions
	bindings  func() bindings // of policies
	resources *discovery.Resources
	types     *objects.Types
}

// NewObjectReader returns a reader for objects of the kinds that a cluster in that state serves.
func NewObjectReader(state *cluster.State, o ClusterOptions) (*ObjectReader, error) {
	resources, known, err := o.Served(state)
	if err != nil {
		return nil, fmt.Errorf("what the cluster serves: %w", err)
	}
	none := func() bindings { return nil }
	return &ObjectReader{options: o, bindings: none, resources: resources, types: known}, nil
}

// Read reads one object as the cluster stores it. With IgnoreUnknown, an object of an unknown kind leads to a warning
// and a nil object.
func (r *ObjectReader) Read(m manifest.Manifest) (cluster.Object, []*manifest.Error, error) {
	x := &objectRead{ObjectReader: r, of: m}
	object := x.read()
	return cluster.Object{Object: object, Source: m.Source.String(), Places: manifest.PlacesOf(&m)}, x.warnings, x.errs.Err()
}

// An objectRead is the state while one object is read.
type objectRead struct {
	*ObjectReader
	of       manifest.Manifest
	resource discovery.Resource
	warnings []*manifest.Error
	errs     manifest.Errors
}

func (x *objectRead) read() runtime.Object {
	var served bool
	if x.resource, served = x.resources.ForKind(x.of.GroupVersionKind); !served || !x.resource.Served {
		x.unknownKind()
		return nil
	}
	object := x.decode()
	if object == nil {
		return nil
	}
	m, err := meta.Accessor(object)
	if err != nil {
		x.errs.Add(x.of.Source, "", "%s is not kept in a cluster", x.of.Kind)
		return nil
	}
	if m.GetName() == "" {
		x.errs.Add(x.of.Position("metadata"), "an object of the cluster needs a name; what gets one generated is a request", "%s has no name", x.of.Kind)
		return nil
	}
	x.setNamespace(m)
	write := objects.Write{
		Resource:  x.resource.GroupVersionResource,
		Namespace: m.GetNamespace(),
		Name:      m.GetName(),
		Kind:      x.resource.Kind,
		Stored:    m.GetUID() != "", // only servers set it
		Now:       x.options.Now(),
		NewUID:    x.options.NewUID,
	}
	if object, err = x.types.Read(x.asStored(object, m, write)); err != nil {
		x.errs.Add(x.of.Source, "", "%s cannot be stored: %v", x.of, err)
		return nil
	}
	if x.of.HasExpressions() {
		x.validate(object, write)
	}
	return x.convert(object)
}

func (x *objectRead) unknownKind() {
	err := &manifest.Error{Source: x.of.Position("kind"), Message: fmt.Sprintf("the cluster serves no %s of %s", x.of.Kind, x.of.GroupVersion())}
	err.Hint = x.resources.HintKind(x.of.GroupVersionKind)
	if x.options.IgnoreUnknown {
		x.warnings = append(x.warnings, err)
		return
	}
	if err.Hint == discovery.Undefined {
		if x.options.Incomplete {
			return
		}
		if engine, ok := EngineOf(x.of.GroupVersionKind); ok {
			err.Hint = "it is a policy of " + engine.Name + ": load its CustomResourceDefinition, too;"
		}
		err.Hint += " --allow-unknown leaves the object out"
	} else if strings.HasSuffix(err.Hint, "see --kubernetes-version") { // it is only served by other releases
		err.Hint += "; --allow-unknown leaves the object out"
	}
	x.errs = append(x.errs, err)
}

func (x *objectRead) decode() runtime.Object {
	strictness := objects.Strict
	if x.options.IgnoreUnknown {
		strictness = objects.Warn
	}
	object, warnings, err := x.types.Decode(x.of.JSON, x.of.GroupVersionKind, strictness)
	for _, w := range warnings {
		if !slices.ContainsFunc(x.of.StrictErrors(w, manifest.InCluster, x.types), isOfLaterStatus) {
			x.warn(x.of.Position(manifest.QuotedField(w)), w)
		}
	}
	if err == nil {
		return object
	}
	x.decodeErrors(err)
	x.errs = slices.DeleteFunc(x.errs, isOfLaterStatus)
	// The rest of the object may have errors even without the unknown fields.
	object, _, err = x.types.Decode(x.of.JSON, x.of.GroupVersionKind, objects.Ignore)
	if err != nil {
		return nil
	}
	return object
}

// isOfLaterStatus reports whether an error is about a field of a status that only later releases have. A status comes from
// a server, which may be a later one, and a server drops such fields when it finds them in etcd.
func isOfLaterStatus(e *manifest.Error) bool {
	unknown, ok := e.Err.(*manifest.UnknownField)
	return ok && unknown.Later && strings.HasPrefix(unknown.Path, "status.")
}

// setNamespace handles a missing namespace, or a namespace of an object that cannot have one, as kubectl and the server
// do.
func (x *objectRead) setNamespace(m metav1.Object) {
	switch {
	case x.resource.Namespaced && m.GetNamespace() == "":
		m.SetNamespace(metav1.NamespaceDefault)
	case !x.resource.Namespaced && m.GetNamespace() != "":
		x.warn(x.of.Position("metadata.namespace"), fmt.Sprintf("metadata.namespace is ignored: a %s is in no namespace", x.of.Kind))
		m.SetNamespace("")
	}
}

// asStored returns the object that the server would have stored for a manifest that was written by hand. An object that
// came from a server, or that has a status, is taken as it is.
func (x *objectRead) asStored(object runtime.Object, m metav1.Object, write objects.Write) runtime.Object {
	byHand := m.GetUID() == "" && m.GetDeletionTimestamp() == nil && !x.of.Status
	if byHand {
		object = x.types.PrepareForCreate(object, write)
		m, _ = meta.Accessor(object)
	}
	if m.GetUID() == "" {
		m.SetUID(x.options.NewUID())
	}
	if m.GetCreationTimestamp().Time.IsZero() {
		m.SetCreationTimestamp(metav1.NewTime(write.Now))
	}
	if m.GetResourceVersion() == "" {
		m.SetResourceVersion("1")
	}
	return object
}

func (x *objectRead) validate(object runtime.Object, write objects.Write) {
	for _, e := range x.types.Validate(object, write) {
		if e.Type == validation.ErrorTypeRequired && x.isMisspelt(e) {
			continue
		}
		at, text := x.of.InFile(e.Field, withoutObject(e))
		hint := cmp.Or(x.of.CELHint(e.Field, e.Error()), unsupportedHint(e), x.conversionHint(e))
		if strings.HasSuffix(text, "not a valid selector operator") { // the server does not list the valid ones
			hint = "it is one of In, NotIn, Exists, DoesNotExist"
		}
		x.errs = append(x.errs, &manifest.Error{Source: at, Message: fmt.Sprintf("%s: %s", x.of, text), Hint: hint, Err: e})
	}
	if len(x.errs) == 0 && !x.options.Unchecked {
		x.typeCheck(object)
	}
	for _, w := range x.types.WarningsOnCreate(object, write) {
		if x.options.Unchecked && strings.HasSuffix(w, "; this rule will have no effect") {
			continue // a lint rule reports it
		}
		path, _, _ := strings.Cut(w, ":")
		x.warn(x.of.Position(path), w)
	}
}

// isMisspelt reports whether a field is only missing because its name is misspelt, or that of another field that would
// do instead. The unknown field beside it says so.
func (x *objectRead) isMisspelt(missing *validation.Error) bool {
	at := strings.LastIndexByte(missing.Field, '.') + 1
	return slices.ContainsFunc(x.errs, func(e *manifest.Error) bool {
		unknown, ok := e.Err.(*manifest.UnknownField)
		if !ok || unknown.Path[:strings.LastIndexByte(unknown.Path, '.')+1] != missing.Field[:at] {
			return false
		}
		return unknown.Meant != "" && (unknown.Meant == missing.Field[at:] || slices.Contains(strings.Fields(missing.Detail), unknown.Meant))
	})
}

// withoutObject returns the text of an error. A value that is a whole object, such as a rule in a schema, is left out:
// the server writes it in JSON, and the file has it at the place of the error.
func withoutObject(e *validation.Error) string {
	if value, err := json.Marshal(e.BadValue); err == nil && value[0] == '{' && e.Detail != "" {
		return fmt.Sprintf("%s: %s: %s", e.Field, e.Type, e.Detail)
	}
	return e.Error()
}

// onceForKinds returns a warning of the server about an expression, which has a paragraph for each kind, with what is
// the same for several kinds only once.
func onceForKinds(warning string) string {
	var order []string
	kinds := map[string][]string{} // by what is wrong
	for _, paragraph := range strings.Split(strings.TrimSpace(warning), "\n\n") {
		kind, wrong, isKind := strings.Cut(paragraph, ": ")
		if !isKind || !strings.Contains(kind, "Kind=") {
			kind, wrong = "", paragraph
		}
		if kinds[wrong] == nil {
			order = append(order, wrong)
		}
		kinds[wrong] = append(kinds[wrong], kind)
	}
	for i, wrong := range order {
		if of := strings.Join(kinds[wrong], "; "); of != "" {
			order[i] = of + ": " + wrong
		}
	}
	return strings.Join(order, "\n")
}

// typeCheck warns about expressions of a policy that use fields that do not exist. Those of webhooks are left to a lint
// rule, since there may be thousands.
func (x *objectRead) typeCheck(object runtime.Object) {
	if strings.HasSuffix(x.of.Kind, "WebhookConfiguration") {
		return
	}
	bound := x.bindings()[boundPolicy{x.of.Kind, x.of.Name}]
	for _, w := range x.types.MissingFields(object, bound...) {
		at, text := x.of.InFile(w.Expression, onceForKinds(w.Warning))
		x.warnings = append(x.warnings, &manifest.Error{
			Source:  at,
			Message: fmt.Sprintf("%s: %s: %s", x.of, w.Expression, text),
			Hint:    x.of.MissingFieldHint(w.Problems, x.types),
		})
	}
}

func (x *objectRead) convert(object runtime.Object) runtime.Object {
	if len(x.errs) > 0 {
		return nil
	}
	stored, err := x.types.Convert(object, x.resource.Storage)
	if x.options.Incomplete && errors.Is(err, objects.ErrNoConverter) {
		return nil
	}
	if err != nil {
		x.errs = append(x.errs, &manifest.Error{Source: x.of.Source, Message: fmt.Sprintf("converting to %s: %v", x.resource.Storage.Version, err), Err: err})
		return nil
	}
	return stored
}

func (x *objectRead) warn(at manifest.Source, text string) {
	x.warnings = append(x.warnings, &manifest.Error{Source: at, Message: text})
}

// conversionHint says what a CRD needs before a webhook may convert it.
func (x *objectRead) conversionHint(e *validation.Error) string {
	const gate = "CustomResourceWebhookConversion"
	switch {
	case !strings.HasPrefix(e.Field, "spec.conversion."):
		return ""
	case strings.HasSuffix(e.Detail, "must be None if spec.preserveUnknownFields is true"):
		return "set spec.preserveUnknownFields: false, which is not the default of v1beta1, and give each version a structural schema"
	case strings.HasSuffix(e.Detail, gate+" feature is disabled"):
		return "--feature-gates " + gate + "=true enables it"
	}
	return ""
}

// unsupportedHint suggests a valid value for an unsupported one. The server's message lists the valid values in quotes.
func unsupportedHint(e *validation.Error) string {
	if e.Type != validation.ErrorTypeNotSupported {
		return ""
	}
	var known []string
	for i, part := range strings.Split(e.Detail, `"`) {
		if i%2 == 1 {
			known = append(known, part)
		}
	}
	return manifest.DidYouMean(fmt.Sprint(e.BadValue), known)
}
