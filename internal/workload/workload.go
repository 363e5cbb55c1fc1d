// Package workload knows what controllers make of a workload: the ReplicaSet of a Deployment and the first of
// its pods, the Job of a CronJob, and so on, each as the request that the controller would send.
//
// Start with [Next]. The package makes requests and sends none.
package workload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// A Child is an object that a controller creates because of another one.
type Child struct {
	Kind  string
	By    string // the controller
	Asked world.Asked
}

// Next is the request that a controller sends once the request for a workload has been answered, in the
// cluster that the answer left. It is nil if no controller sends one: the request was denied or is about something
// else, or the workload has no replicas or is suspended.
func Next(parent world.Asked, answer *simulator.Result) (*Child, error) {
	if answer.Code >= http.StatusBadRequest || !writes(parent) {
		return nil, nil
	}
	object, err := admitted(answer)
	if object == nil || err != nil {
		return nil, err
	}
	c, ok := childOf(object)
	if !ok {
		return nil, nil
	}
	resource, ok := answer.Next.Resources().ForKind(c.gvk)
	if !ok {
		return nil, fmt.Errorf("the cluster serves no %s", c.gvk)
	}
	body, err := json.Marshal(c.object)
	if err != nil {
		return nil, err
	}
	return &Child{Kind: c.gvk.Kind, By: c.by, Asked: world.Asked{
		From:      scenario.Request{Label: c.gvk.Kind + " by " + c.by, Source: parent.From.Source},
		Simulator: answer.Next,
		API: rest.Request{
			Verb: rest.Create, Resource: resource.GroupVersionResource, Namespace: c.namespace, Body: body, User: controller(c.by),
		},
	}}, nil
}

// writes reports whether a request leaves the object that its answer shows in the cluster.
func writes(asked world.Asked) bool {
	if r := asked.Review; r != nil {
		return r.Subresource == "" && (r.Operation == admissionv1.Create || r.Operation == admissionv1.Update)
	}
	return asked.API.Subresource == "" && slices.Contains([]string{rest.Create, rest.Update, rest.Patch}, asked.API.Verb)
}

// admitted is the object of the answer as the client gets it, or else as it left admission.
func admitted(r *simulator.Result) (map[string]any, error) {
	object := r.Object
	if _, isStatus := object.(*metav1.Status); (isStatus || object == nil) && len(r.Admissions) > 0 {
		object = r.Admissions[len(r.Admissions)-1].Object
	}
	if object == nil {
		return nil, nil
	}
	data, err := r.Next.Types().Encode(object)
	if err != nil {
		return nil, fmt.Errorf("encoding an admitted object: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var m map[string]any
	if err := decoder.Decode(&m); err != nil {
		return nil, fmt.Errorf("decoding an admitted object: %w", err)
	}
	return m, nil
}

// controller is the user that a controller is to the server. Each has a service account of its own.
func controller(name string) authenticationv1.UserInfo {
	return authenticationv1.UserInfo{
		Username: serviceaccount.MakeUsername("kube-system", name),
		Groups:   append(serviceaccount.MakeGroupNames("kube-system"), user.AllAuthenticated),
	}
}

// A child is an object that a controller makes of another one.
type child struct {
	by        string // the controller
	gvk       schema.GroupVersionKind
	namespace string
	object    map[string]any
}
