package rest

import (
	"errors"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/rest/selectors"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// decode decodes the body as the kind of the URL; warnings about its fields go to the client.
func (x *exchange) decode(s objects.Strictness) (runtime.Object, error) {
	object, err := x.decodeBody(s)
	if err != nil && x.isCustomScale() {
		// The code that formats the error does not know Scale: kubernetes/apiserver:pkg/endpoints/handlers/rest.go.
		return nil, badRequest("no kind is registered for the type v1.Scale in scheme %q", "pkg/runtime/scheme.go:111")
	}
	if err == nil {
		err = x.server.Types.ConvertFault(x.req.Body, x.kind)
	}
	if err != nil {
		return nil, refuse(err)
	}
	x.unversioned = x.isCustomScale() && objects.Unversioned(x.req.Body)
	x.read = true
	return object, nil
}

// decodeBody decodes the body. Releases that validate no fields ignore the unknown ones, as later ones do if the client
// asks for that. Nobody is warned of them.
func (x *exchange) decodeBody(s objects.Strictness) (runtime.Object, error) {
	if s == objects.Ignore || !x.server.release().Has(kubeversion.FieldValidation) {
		object, ignored, err := x.server.Types.DecodeConverted(x.req.Body, x.req.Faults, x.kind, objects.Warn)
		if err == nil {
			x.ignored = ignored
			return object, nil
		}
	}
	object, warnings, err := x.server.Types.DecodeConverted(x.req.Body, x.req.Faults, x.kind, s)
	for _, w := range warnings {
		x.warnings.Add(w)
	}
	return object, err
}

func (x *exchange) createOptions() (*metav1.CreateOptions, objects.Strictness, error) {
	o := &metav1.CreateOptions{}
	if err := x.readQuery(o); err != nil {
		return nil, 0, err
	}
	if err := x.valid("CreateOptions", metav1validation.ValidateCreateOptions(o)); err != nil {
		return nil, 0, err
	}
	o.TypeMeta = selectors.OptionsMeta("CreateOptions")
	return o, x.strictness(o.FieldValidation), nil
}

func (x *exchange) updateOptions() (*metav1.UpdateOptions, objects.Strictness, error) {
	o := &metav1.UpdateOptions{}
	if err := x.readQuery(o); err != nil {
		return nil, 0, err
	}
	if err := x.valid("UpdateOptions", metav1validation.ValidateUpdateOptions(o)); err != nil {
		return nil, 0, err
	}
	o.TypeMeta = selectors.OptionsMeta("UpdateOptions")
	return o, x.strictness(o.FieldValidation), nil
}

func (x *exchange) patchOptions() (*metav1.PatchOptions, error) {
	o := &metav1.PatchOptions{}
	if err := x.readQuery(o); err != nil {
		return nil, err
	}
	return o, x.valid("PatchOptions", metav1validation.ValidatePatchOptions(o, contentTypes[x.req.PatchType]))
}

var contentTypes = map[string]types.PatchType{
	JSONPatch:      types.JSONPatchType,
	MergePatch:     types.MergePatchType,
	StrategicPatch: types.StrategicMergePatchType,
	ApplyPatch:     types.ApplyYAMLPatchType,
}

// deleteOptions returns the options in the body, or else those in the URL (W-018).
func (x *exchange) deleteOptions() (*metav1.DeleteOptions, error) {
	o := &metav1.DeleteOptions{}
	read := func(o *metav1.DeleteOptions) error { return x.readQuery(o) }
	if len(x.req.Body) > 0 {
		read = x.readOptions
	}
	if err := read(o); err != nil {
		return nil, err
	}
	x.read = len(x.req.Body) > 0
	if !x.read && !x.server.release().Has(kubeversion.PreconditionsInURLs) {
		o.Preconditions = nil
	}
	if !x.tellsUnreadable() {
		o.IgnoreStoreReadErrorWithClusterBreakingPotential = nil
	}
	if !x.server.release().Has(kubeversion.DryRunParameter) {
		o.DryRun = nil
	}
	if err := x.valid("DeleteOptions", x.validateDeleteOptions(o)); err != nil {
		return nil, err
	}
	if len(x.req.Body) > 0 { // if there is a body, the URL is ignored
		x.req.Query = selectors.WithDryRun(x.req.Query, o.DryRun)
	}
	o.TypeMeta = selectors.OptionsMeta("DeleteOptions")
	return o, nil
}

// readQuery decodes options from the URL.
func (x *exchange) readQuery(into runtime.Object) error {
	if len(x.req.Query) == 0 {
		return nil
	}
	query := x.req.Query
	if !x.server.release().Has(kubeversion.FieldValidationOption) {
		query = maps.Clone(query)
		delete(query, "fieldValidation")
	}
	if err := selectors.OptionsInQuery().DecodeParameters(query, metav1.SchemeGroupVersion, into); err != nil {
		return badRequest("%s", err)
	}
	return nil
}

// readOptions decodes options from the body. Their kind may be that of any group with its own DeleteOptions.
func (x *exchange) readOptions(into *metav1.DeleteOptions) error {
	kind := metav1.SchemeGroupVersion.WithKind("DeleteOptions")
	object, _, err := selectors.OptionsInBody().Decode(x.req.Body, &kind, into)
	if err == nil && object != runtime.Object(into) {
		err = errors.New("decoded object cannot be converted to DeleteOptions")
	}
	if err != nil && !x.server.release().Has(kubeversion.BadOptionsAreBadRequests) {
		return refuse(err) // as other than a bad request
	}
	if err != nil {
		return badRequest("%s", err)
	}
	return nil
}

// checkDryRun refuses a dry run if dry runs are disabled (W-341).
func (x *exchange) checkDryRun() error {
	r := x.server.release()
	if !x.dryRun() || r.Has(kubeversion.DryRuns) || x.req.Verb == Get || x.req.Verb == List {
		return nil
	}
	if !r.Has(kubeversion.DryRunWords) {
		return badRequest("the dryRun alpha feature is disabled")
	}
	return badRequest("the dryRun feature is disabled")
}

func (x *exchange) valid(kind string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return x.refuseInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", errs)
}

// strictness returns how unknown fields are handled. Releases without the parameter ignore them.
func (x *exchange) strictness(fieldValidation string) objects.Strictness {
	if !x.server.release().Has(kubeversion.FieldValidation) {
		return objects.Ignore
	}
	switch fieldValidation {
	case metav1.FieldValidationIgnore:
		return objects.Ignore
	case metav1.FieldValidationStrict:
		return objects.Strict
	}
	return objects.Warn
}
