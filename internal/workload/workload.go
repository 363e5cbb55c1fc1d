// Package workload knows what controllers create for a workload: the ReplicaSet of a Deployment and the first of its
// pods, the Job of a CronJob, and so on, each as the request that the controller would send.
//
// Start with [Next]. The package builds requests but sends none.
package workload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// A Child is an object that a controller creates because of another one.
type Child struct {
	Kind    string
	By      string // the controller
	Request rest.Request
}

// String returns the user's name for the request, such as "Pod by replicaset-controller".
func (c *Child) String() string { return c.Kind + " by " + c.By }

// Next returns the request that a controller sends once a request for a workload has been answered, to the cluster that
// the answer left. It returns nil if no controller sends one: the request was denied or is about something else, or the
// workload has no replicas or is suspended.
func Next(answer *simulator.Result) (*Child, error) {
	object, err := written(answer)
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
	return &Child{c.gvk.Kind, c.by, rest.Request{
		Verb: rest.Create, Resource: resource.GroupVersionResource, Namespace: c.namespace, Body: body, User: controller(c.by),
	}}, nil
}

// written returns the object that a request left in the cluster, as the client gets it, or else as it left admission.
// It returns nil if the request failed or was about something else.
func written(answer *simulator.Result) (map[string]any, error) {
	if answer.Code >= http.StatusBadRequest || len(answer.Admissions) == 0 {
		return nil, nil
	}
	last := answer.Admissions[len(answer.Admissions)-1]
	writes := last.Request.Operation == admissionv1.Create || last.Request.Operation == admissionv1.Update
	if !writes || last.Request.Subresource != "" {
		return nil, nil
	}
	object := answer.Object
	if _, isStatus := object.(*metav1.Status); isStatus || object == nil {
		object = last.Object
	}
	if object == nil {
		return nil, nil
	}
	data, err := answer.Next.View().Types().Encode(object)
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

// controller returns the user of a controller. Each controller has its own service account.
func controller(name string) authenticationv1.UserInfo {
	return authenticationv1.UserInfo{
		Username: serviceaccount.MakeUsername("kube-system", name),
		Groups:   append(serviceaccount.MakeGroupNames("kube-system"), user.AllAuthenticated),
	}
}

// A child is an object that a controller creates for another object.
type child struct {
	by        string // the controller
	gvk       schema.GroupVersionKind
	namespace string
	object    map[string]any
}
