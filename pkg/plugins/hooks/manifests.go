package hooks

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/cluster"
)

// A Manifest is one object in a folder named by staticManifestsDir: webhooks and policies that the server reads from
// its own disk (KEP-5793), and that the API neither shows nor changes.
type Manifest struct {
	File   string // its name in the server's messages
	JSON   []byte
	Source string         // where the user wrote it
	Places cluster.Places // nil: only the place of the whole manifest is known
}

// A Folder has the manifests of one plugin.
type Folder struct {
	plugin, dir string
	manifests   []Manifest
	again       bool // of a running server
}

// staticSuffix is the suffix of the names of static webhooks and policies.
const staticSuffix = ".static.k8s.io"

// staticKinds lists the kinds that may be in the folder of each plugin.
var staticKinds = map[string][]string{
	mutatingPolicies:   {"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"},
	mutatingWebhooks:   {"MutatingWebhookConfiguration"},
	validatingPolicies: {"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"},
	validatingWebhooks: {"ValidatingWebhookConfiguration"},
}

// Load loads the webhooks and policies in folders of manifests. types are those of a cluster without objects. before are
// those that a running server has: those of other plugins stay, and the folders are read again (W-049). The error has
// the first mistake in each folder.
func Load(folders []Folder, types *objects.Types, before []cluster.Object) (all []cluster.Object, err error) {
	all = slices.Clone(before)
	var wrong []error
	for _, f := range folders {
		found, err := f.load(types)
		wrong = append(wrong, err)
		all = slices.DeleteFunc(all, func(o cluster.Object) bool {
			return slices.Contains(staticKinds[f.plugin], cluster.KeyOf(o.Object).Kind)
		})
		all = append(all, found...)
	}
	return all, errors.Join(wrong...)
}

// load reads the folder as the server does at startup, which ends at the first mistake (W-048):
// kubernetes/apiserver:pkg/admission/plugin/webhook/manifest/loader/loader.go and
// kubernetes/apiserver:pkg/admission/plugin/policy/manifest/loader/loader.go. The objects are in the order of their
// names.
func (f Folder) load(types *objects.Types) ([]cluster.Object, error) {
	var found []cluster.Object
	seen := map[string]string{} // files, by kind and name
	for _, m := range f.manifests {
		object, wrong := f.read(m, types)
		if wrong == nil {
			wrong = f.check(object, m, seen)
		}
		if wrong != nil {
			wrong.error = fmt.Errorf("error loading %s: %w", m.File, wrong.error)
			return nil, f.fails(m.placeOf(wrong.field), wrong)
		}
		found = append(found, cluster.Object{Object: object, Source: m.Source, Places: m.Places})
	}
	for _, o := range found {
		if wrong := checkPolicy(o, found); wrong != nil {
			return nil, f.fails(o.PlaceOf(wrong.field), wrong)
		}
	}
	slices.SortFunc(found, func(a, b cluster.Object) int { return cmp.Compare(nameOf(a.Object), nameOf(b.Object)) })
	return found, nil
}

// checkPolicy returns an error if an object is a binding whose policy is not in the folder.
func checkPolicy(o cluster.Object, found []cluster.Object) *mistake {
	policy := PolicyName(o)
	if policy == "" || slices.ContainsFunc(found, func(p cluster.Object) bool { return PolicyName(p) == "" && nameOf(p.Object) == policy }) {
		return nil
	}
	wrong := newMistake("spec.policyName", "put the policy into the same folder, or correct its name",
		"binding %q references policy %q which does not exist in the manifest directory", nameOf(o.Object), policy)
	wrong.missingPolicy = strings.TrimSuffix(cluster.KeyOf(o.Object).Kind, "Binding") + "/" + policy
	return wrong
}

// fails returns the error with which the server does not start, or does not use what it has read again, and its
// position.
func (f Folder) fails(at string, wrong *mistake) error {
	what := "policy"
	if strings.HasSuffix(f.plugin, "Webhook") {
		what = "webhook"
	}
	if f.again {
		wrong.error = fmt.Errorf("reloading static %s manifests from %q: %w", what, f.dir, wrong.error)
	} else {
		wrong.error = fmt.Errorf("failed to initialize admission plugin %q: failed to load static %s manifests from %q: %w", f.plugin, what, f.dir, wrong.error)
	}
	wrong.place = at
	return wrong
}

// A mistake is what is wrong with a manifest. Its methods are found by assertion.
type mistake struct {
	error
	field         string // the path of the field that is wrong; empty if it is not known
	place         string // its place in the user's files; empty if there is none
	hint          string // what the user can try next
	missingPolicy string // the policy that a binding does not find, as Kind/name
}

func newMistake(field, hint, format string, args ...any) *mistake {
	return &mistake{error: fmt.Errorf(format, args...), field: field, hint: hint}
}

// Error returns the place of the mistake and the server's message.
func (m *mistake) Error() string {
	if m.place == "" {
		return m.error.Error()
	}
	return m.place + ": " + m.error.Error()
}

// Unwrap returns the error without its place.
func (m *mistake) Unwrap() error { return m.error }

// Place returns where the mistake is in the user's files, or "".
func (m *mistake) Place() string { return m.place }

// Hint returns what to try next, or "".
func (m *mistake) Hint() string { return m.hint }

// MissingPolicy returns the policy that a binding does not find, as Kind/name; it is empty for other mistakes.
func (m *mistake) MissingPolicy() string { return m.missingPolicy }

func (m Manifest) placeOf(path string) string {
	return cluster.Object{Source: m.Source, Places: m.Places}.PlaceOf(path)
}

// read decodes, defaults and validates one object.
func (f Folder) read(m Manifest, types *objects.Types) (runtime.Object, *mistake) {
	var kind metav1.TypeMeta
	if err := json.Unmarshal(m.JSON, &kind); err != nil {
		return nil, &mistake{error: err}
	}
	gvk := kind.GroupVersionKind()
	if err := f.accepts(gvk); err != nil {
		hint := fmt.Sprintf("the folder of %s may only contain %s of %s/v1", f.plugin, strings.Join(staticKinds[f.plugin], " and "), admissionregistrationv1.GroupName)
		return nil, &mistake{error: err, field: "kind", hint: hint}
	}
	object, _, err := types.Decode(m.JSON, gvk, objects.Strict)
	if err != nil { // the decoder's error, without the words for a request
		text := err.Error()
		if _, of, found := strings.Cut(text, "cannot be handled as a "+gvk.Kind+": "); found {
			text = of
		}
		return nil, &mistake{error: errors.New(text), field: quoted(text)}
	}
	if wrong := types.Worded(types.Validate(object, objects.Write{Static: true})); len(wrong) > 0 {
		return nil, newMistake(wrong[0].Field, "", "%s %q: %w", gvk.Kind, nameOf(object), wrong.ToAggregate())
	}
	return object, nil
}

// quoted returns the field in the error of a strict decoder.
func quoted(text string) string {
	_, text, _ = strings.Cut(text, `"`)
	text, _, _ = strings.Cut(text, `"`)
	return text
}

// accepts returns an error if objects of a kind may not be in the folder.
func (f Folder) accepts(gvk schema.GroupVersionKind) error {
	known := false
	for _, kinds := range staticKinds {
		known = known || slices.Contains(kinds, gvk.Kind)
	}
	switch {
	case gvk.Group == admissionregistrationv1.GroupName && gvk.Version == "v1" && slices.Contains(staticKinds[f.plugin], gvk.Kind):
		return nil
	case gvk.Group == admissionregistrationv1.GroupName && known:
		return fmt.Errorf("unsupported resource type *%s.%s", gvk.Version, gvk.Kind)
	}
	return runtime.NewNotRegisteredErrForKind("pkg/runtime/scheme.go:111", gvk)
}

// check checks the additional requirements for static objects.
func (f Folder) check(object runtime.Object, m Manifest, seen map[string]string) *mistake {
	name := nameOf(object)
	key := object.GetObjectKind().GroupVersionKind().Kind + " " + name
	switch before, again := seen[key]; {
	case name == "":
		return newMistake("metadata", "give it a name that ends with "+staticSuffix, "resource in file %q must have a name", m.File)
	case !strings.HasSuffix(name, staticSuffix):
		return newMistake("metadata.name", fmt.Sprintf("call it %q", name+staticSuffix),
			"%q in file %q must have a name ending with %q", name, m.File, staticSuffix)
	case again:
		return newMistake("metadata.name", "rename or remove one of the two", "duplicate name %q found in file %q (previously seen in %q)", name, m.File, before)
	}
	seen[key] = m.File
	switch o := object.(type) {
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		return withoutParams(o.Kind, name, o.Spec.ParamKind)
	case *admissionregistrationv1.MutatingAdmissionPolicy:
		return withoutParams(o.Kind, name, o.Spec.ParamKind)
	case *admissionregistrationv1.ValidatingAdmissionPolicyBinding:
		return bindsStatic(name, o.Spec.PolicyName, o.Spec.ParamRef)
	case *admissionregistrationv1.MutatingAdmissionPolicyBinding:
		return bindsStatic(name, o.Spec.PolicyName, o.Spec.ParamRef)
	}
	for i, w := range objects.Webhooks(object) {
		client := fmt.Sprintf("webhooks[%d].clientConfig", i)
		switch {
		case w.ClientConfig.Service != nil:
			return newMistake(client+".service", "give the URL at which the server reaches the webhook",
				"webhook %q in %q (file %q): clientConfig.service is not supported for static manifests; use clientConfig.url instead", w.Name, name, m.File)
		case w.ClientConfig.URL == nil || *w.ClientConfig.URL == "":
			return newMistake(client, "set clientConfig.url", "webhook %q in %q (file %q): clientConfig.url is required for static manifests", w.Name, name, m.File)
		}
	}
	return nil
}

// paramsHint is about params, which only policies in the cluster have.
const paramsHint = "write the values into the expressions of the policy, or create policy and binding in the cluster"

func withoutParams(kind, name string, params *admissionregistrationv1.ParamKind) *mistake {
	if params == nil {
		return nil
	}
	return newMistake("spec.paramKind", paramsHint, "%s %q: spec.paramKind is not supported for static manifests", kind, name)
}

func bindsStatic(name, policy string, params *admissionregistrationv1.ParamRef) *mistake {
	switch {
	case policy == "":
		return newMistake("spec", "name a policy of the same folder", "binding %q must reference a policy (spec.policyName)", name)
	case !strings.HasSuffix(policy, staticSuffix):
		return newMistake("spec.policyName", "name a policy of the same folder", "binding %q: spec.policyName %q must end with %q", name, policy, staticSuffix)
	case params != nil:
		return newMistake("spec.paramRef", paramsHint, "binding %q: spec.paramRef is not supported for static manifests", name)
	}
	return nil
}

func nameOf(object runtime.Object) string {
	m, err := meta.Accessor(object)
	if err != nil {
		return ""
	}
	return m.GetName()
}

// PolicyName returns the name of the policy of a binding; it is empty if the object is not a binding.
func PolicyName(binding cluster.Object) string {
	switch b := binding.Object.(type) {
	case *admissionregistrationv1.ValidatingAdmissionPolicyBinding:
		return b.Spec.PolicyName
	case *admissionregistrationv1.MutatingAdmissionPolicyBinding:
		return b.Spec.PolicyName
	}
	return ""
}
