package testcluster

import (
	"encoding/json"
	"fmt"
	"net/url"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/rest"
)

// A Variation is what is unusual about a request. The zero value changes nothing.
type Variation struct {
	Subresource string
	User        *authenticationv1.UserInfo
	Query       url.Values
}

// Create returns a request to create an object.
func (c *Cluster) Create(object runtime.Object, v Variation) (scenario.Request, error) {
	return c.request(rest.Create, object, v)
}

// Update returns a request to replace an object.
func (c *Cluster) Update(object runtime.Object, v Variation) (scenario.Request, error) {
	return c.request(rest.Update, object, v)
}

// Delete returns a request to delete an object.
func (c *Cluster) Delete(object runtime.Object, v Variation) (scenario.Request, error) {
	return c.request(rest.Delete, object, v)
}

// Get returns a request to read an object.
func (c *Cluster) Get(object runtime.Object) (scenario.Request, error) {
	return c.request(rest.Get, object, Variation{})
}

// Patch returns a request to change an object.
func (c *Cluster) Patch(object runtime.Object, kind types.PatchType, patch []byte, v Variation) (scenario.Request, error) {
	r, err := c.request(rest.Patch, object, v)
	patchTypes := map[types.PatchType]string{
		types.JSONPatchType: rest.JSONPatch, types.MergePatchType: rest.MergePatch,
		types.StrategicMergePatchType: rest.StrategicPatch, types.ApplyYAMLPatchType: rest.ApplyPatch,
	}
	r.Body, r.PatchType = patch, patchTypes[kind]
	return r, err
}

// request returns a request for an object.
func (c *Cluster) request(verb string, object runtime.Object, v Variation) (scenario.Request, error) {
	data, err := Encode(object, c.scheme)
	if err != nil {
		return scenario.Request{}, err
	}
	m, err := meta.Accessor(object)
	if err != nil {
		return scenario.Request{}, err
	}
	var kind struct{ APIVersion, Kind string }
	if err := json.Unmarshal(data, &kind); err != nil {
		return scenario.Request{}, err
	}
	r := scenario.Request{
		Verb:        verb,
		Kind:        schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind),
		Subresource: v.Subresource,
		Namespace:   m.GetNamespace(),
		Query:       v.Query,
		User:        v.User,
	}
	if verb != rest.Create {
		r.Name = m.GetName()
	}
	if verb == rest.Create || verb == rest.Update {
		r.Body = data
	}
	return r, nil
}

// ParseReview returns the request of an AdmissionReview in JSON.
func ParseReview(review []byte) (scenario.Request, error) {
	found, err := scenario.Parse("review", review)
	if err != nil {
		return scenario.Request{}, err
	}
	if len(found) != 1 {
		return scenario.Request{}, fmt.Errorf("%d documents instead of one AdmissionReview", len(found))
	}
	requests, err := scenario.Requests(found, rest.Create, scenario.Options{})
	if err != nil {
		return scenario.Request{}, err
	}
	if requests[0].Review == nil {
		return scenario.Request{}, fmt.Errorf("%s instead of an AdmissionReview", found[0])
	}
	return requests[0], nil
}

// LoadRequests returns the requests in files: manifests to create, AdmissionReviews, documents of kind Request.
func LoadRequests(paths ...string) ([]scenario.Request, error) {
	found, err := scenario.Load(paths, scenario.Options{})
	if err != nil {
		return nil, err
	}
	return scenario.Requests(found, rest.Create, scenario.Options{})
}
