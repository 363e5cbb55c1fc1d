package scenario

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"

	"github.com/admsim/admsim/internal/manifest"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/rest"
)

// Defaults are used for what a request leaves open.
type Defaults struct {
	Namespace string // empty: default
	User      authenticationv1.UserInfo
	DryRun    bool // make every request a dry run

	// FieldValidation says how to treat unknown and repeated fields of plain manifests: Strict, Warn or Ignore. Empty:
	// the server's own default.
	FieldValidation string
}

// API returns r as an API request to a cluster that serves these resources. The error is an [*Error].
func (r Request) API(served *discovery.Resources, d Defaults) (rest.Request, error) {
	resource, err := r.resource(served)
	if err != nil {
		return rest.Request{}, err
	}
	req := rest.Request{
		Verb:        r.Verb,
		Resource:    resource.GroupVersionResource,
		Subresource: r.Subresource,
		Name:        r.Name,
		Body:        r.Body,
		PatchType:   r.PatchType,
		Query:       r.Query,
		User:        d.User,
	}
	if r.User != nil {
		req.User = *r.User
	}
	if r.Plain && d.FieldValidation != "" && r.Verb != rest.Delete {
		req.Query = maps.Clone(req.Query)
		if req.Query == nil {
			req.Query = url.Values{}
		}
		req.Query.Set("fieldValidation", d.FieldValidation)
	}
	if resource.Namespaced {
		req.Namespace = cmp.Or(cmp.Or(r.Namespace, d.Namespace), metav1.NamespaceDefault)
	}
	if d.DryRun {
		req, err = dryRun(req)
	}
	return req, err
}

// dryRun returns r as a dry run. It sets the option where the server looks for it: in the body of a deletion, if it has
// one (W-018), or else in the query.
func dryRun(r rest.Request) (rest.Request, error) {
	deletes := r.Verb == rest.Delete || r.Verb == rest.DeleteCollection
	if !deletes || len(r.Body) == 0 {
		query := maps.Clone(r.Query)
		if query == nil {
			query = url.Values{}
		}
		query.Set("dryRun", metav1.DryRunAll)
		r.Query = query
		return r, nil
	}
	var options map[string]any
	if err := json.Unmarshal(r.Body, &options); err != nil {
		return r, fmt.Errorf("the options of the deletion: %w", err)
	}
	options["dryRun"] = []string{metav1.DryRunAll}
	var err error
	r.Body, err = json.Marshal(options)
	return r, err
}

// CheckResource checks that the cluster has the resource that the author of r named, if any.
func (r Request) CheckResource(served *discovery.Resources) error {
	if r.Resource == "" {
		return nil
	}
	_, err := r.resource(served)
	return err
}

// resource finds the resource of r: the one that its author named, or else the resource for objects of its kind.
func (r Request) resource(served *discovery.Resources) (discovery.Resource, error) {
	words := r.Resource
	if words == "" {
		found, ok := served.ForKind(r.Kind)
		if !ok || !found.Served {
			return found, &manifest.Error{
				Source:  r.manifest.Position("kind"),
				Message: fmt.Sprintf("the cluster serves no %s of %s", r.Kind.Kind, r.Kind.GroupVersion()),
				Hint:    served.HintKind(r.Kind),
			}
		}
		if r.Subresource == "" {
			return found, nil
		}
		words = found.GroupResource().String() + "/" + found.Version
	}
	if r.Subresource != "" {
		words += "/" + r.Subresource
	}
	found, _, err := served.Find(words)
	if err == nil {
		return found, nil
	}
	return found, manifest.At(r.manifest.Position("resource"), err)
}

// Admission returns a review as the request that the server prepared: its objects are read as they are, in the version
// of the request's URL. served are the resources of the cluster. The error is an [Errors].
func (r Request) Admission(served *discovery.Resources, types *objects.Types, d Defaults) (admission.Request, error) {
	var errs manifest.Errors
	review := r.Review
	req := admission.Request{
		Operation:   review.Operation,
		Resource:    schema.GroupVersionResource(review.Resource),
		Subresource: review.SubResource,
		Kind:        schema.GroupVersionKind(review.Kind),
		Namespace:   review.Namespace,
		Name:        review.Name,
		DryRun:      d.DryRun || (review.DryRun != nil && *review.DryRun),
		User:        review.UserInfo,
	}
	shown := req.Kind // the webhook may have been shown another version than the requested one
	if review.RequestKind != nil {
		req.Kind = schema.GroupVersionKind(*review.RequestKind)
	}
	if review.RequestResource != nil {
		req.Resource, req.Subresource = schema.GroupVersionResource(*review.RequestResource), review.RequestSubResource
	}
	if err := r.checkServed(served, req); err != nil {
		return req, manifest.Errors{err}
	}
	read := func(key string, data []byte) runtime.Object {
		if len(data) == 0 || string(data) == "null" {
			return nil
		}
		if err := sameKind(data, shown); err != nil {
			errs = append(errs, &manifest.Error{Source: r.at(key), Message: fmt.Sprintf("%s: %v", key, err)})
			return nil
		}
		object, err := types.Patched(data, shown)
		if err == nil && shown != req.Kind {
			object, err = types.Convert(object, req.Kind)
		}
		if err != nil {
			errs = append(errs, &manifest.Error{Source: r.at(key), Message: fmt.Sprintf("%s: %v", key, err), Err: err})
		}
		return object
	}
	req.Object = read("object", review.Object.Raw)
	req.OldObject = read("oldObject", review.OldObject.Raw)
	options, err := readOptions(review.Options.Raw, review.Operation)
	if err != nil {
		errs.Add(r.at("options"), "", "options: %v", err)
	}
	req.Options = options
	return req, errs.Err()
}

// checkServed checks that the cluster has the resource of a review, and that its requests have the kind of the review.
func (r Request) checkServed(served *discovery.Resources, req admission.Request) *manifest.Error {
	key, kindKey := "resource", "kind"
	if r.Review.RequestResource != nil {
		key = "requestResource"
	}
	if r.Review.RequestKind != nil {
		kindKey = "requestKind"
	}
	name := req.Resource.GroupResource().String()
	if req.Subresource != "" {
		name += "/" + req.Subresource
	}
	kind, ok := served.KindFor(req.Resource, req.Subresource)
	if !ok {
		e := &manifest.Error{Source: r.at(key), Message: fmt.Sprintf("%s: the cluster has no %s of %s", key, name, req.Resource.GroupVersion())}
		if of, found := served.ForKind(req.Kind); found && req.Subresource == "" {
			e.Hint = fmt.Sprintf("objects of kind %s are called %s", req.Kind.Kind, of.GroupResource())
		} else {
			e.Hint = served.HintKind(req.Kind)
		}
		return e
	}
	// The body of a subresource may have several versions, as that of pods/eviction.
	if kind == req.Kind || req.Subresource != "" && kind.Kind == req.Kind.Kind {
		return nil
	}
	return &manifest.Error{
		Source:  r.at(kindKey),
		Message: fmt.Sprintf("%s: requests for %s of %s are of kind %s, and the review of %s", kindKey, name, req.Resource.GroupVersion(), kind, req.Kind),
	}
}

// sameKind checks that an object has the kind of its review.
func sameKind(data []byte, kind schema.GroupVersionKind) error {
	var is metav1.TypeMeta
	if json.Unmarshal(data, &is) != nil || is.Kind == "" || is.GroupVersionKind() == kind {
		return nil // if it is not an object, this is reported when it is decoded
	}
	return fmt.Errorf("is of kind %s, and the review of %s", is.GroupVersionKind(), kind)
}

// at returns the place of a field of the review's request.
func (r Request) at(field string) manifest.Source {
	if r.manifest.Kind == "AdmissionReview" {
		field = "request." + field
	}
	return r.manifest.Position(field)
}

// readOptions reads the options of a request. They name their own kind, since a patch can have the options of an update
// or, if it creates, of a create.
func readOptions(data []byte, o admissionv1.Operation) (runtime.Object, error) {
	if len(data) == 0 || string(data) == "null" {
		return nil, nil
	}
	var kind metav1.TypeMeta
	if err := json.Unmarshal(data, &kind); err != nil {
		return nil, err
	}
	kinds := map[string]runtime.Object{
		"CreateOptions": &metav1.CreateOptions{},
		"UpdateOptions": &metav1.UpdateOptions{},
		"PatchOptions":  &metav1.PatchOptions{},
		"DeleteOptions": &metav1.DeleteOptions{},
	}
	if kind.Kind == "" {
		operations := map[admissionv1.Operation]string{
			admissionv1.Create: "CreateOptions", admissionv1.Update: "UpdateOptions", admissionv1.Delete: "DeleteOptions",
		}
		kind.Kind = operations[o]
	}
	options, ok := kinds[kind.Kind]
	if !ok {
		return nil, fmt.Errorf("of unknown kind %q", kind.Kind)
	}
	if err := json.Unmarshal(data, options); err != nil {
		return nil, err
	}
	options.GetObjectKind().SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind(kind.Kind))
	return options, nil
}
