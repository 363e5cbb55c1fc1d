package client_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/client"
	"github.com/admsim/admsim/internal/traffic/traffictest"
)

const deployment = `
---
apiVersion: admsim.dev/v1alpha1
kind: Request
object:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, namespace: shop}
  spec:
    selector: {matchLabels: {app: web}}
    template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "nginx:1"}]}}
---
apiVersion: admsim.dev/v1alpha1
kind: Request
verb: delete
resource: deployments
namespace: shop
name: web
`

// Each request finds what the previous one left, and the requests of controllers follow from a workload.
func TestClient(t *testing.T) {
	w := traffictest.Read(t, traffictest.Mesh+deployment)
	c := client.New(w.World, scenario.Defaults{})
	send := func(i int) {
		asked, result, err := c.Send(t.Context(), scenario.CaseStep{Request: &w.Bag.Requests[i]})
		if err != nil {
			t.Fatal(err)
		}
		var codes []int
		for codes = append(codes, result.Code); ; codes = append(codes, result.Code) {
			child, next, answer, err := c.SendNext(t.Context(), asked, result)
			if err != nil {
				t.Fatal(err)
			}
			if child == nil {
				break
			}
			asked, result = next, answer
		}
		want := map[int][]int{0: {201, 201, 201}, 1: {200}}[i]
		if !cmp.Equal(codes, want) {
			t.Errorf("request %d was answered %v to the end, want %v", i, codes, want)
		}
	}
	send(0) // a Deployment, its ReplicaSet and a pod of that
	send(1)
}

// An audit event is sent as the request that it records, to a cluster in which the object is as it was then.
func TestRecorded(t *testing.T) {
	const event = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"1","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/shop/configmaps/prices","verb":"update","user":{"username":"ann","groups":["system:authenticated"]},` +
		`"objectRef":{"resource":"configmaps","namespace":"shop","name":"prices","apiVersion":"v1"},"responseStatus":{"metadata":{},"code":200},` +
		`"requestObject":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"prices","namespace":"shop","uid":"1"},"data":{"tea":"3"}},` +
		`"responseObject":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"prices","namespace":"shop","uid":"1","resourceVersion":"7"},"data":{"tea":"3"}},` +
		`"requestReceivedTimestamp":"2026-01-01T00:00:00.000000Z","stageTimestamp":"2026-01-01T00:00:00.010000Z"}`
	w := traffictest.Read(t, traffictest.Mesh)
	c := client.New(w.World, scenario.Defaults{})
	step := scenario.CaseStep{Recorded: &scenario.Recorded{File: "audit.log", JSON: []byte(event)}}
	asked, result, err := c.Send(t.Context(), step)
	if err != nil {
		t.Fatal(err)
	}
	if asked.API.User.Username != "ann" || asked.API.Verb != "update" {
		t.Errorf("%s was asked by %s, want an update by ann", asked.API.Verb, asked.API.User.Username)
	}
	if result.Code != 404 { // the previous object is not known
		t.Errorf("the code is %d, want 404", result.Code)
	}
	step.Recorded.JSON = []byte(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","verb":"get","stage":"ResponseComplete"}`)
	if _, _, err := c.Send(t.Context(), step); err == nil {
		t.Error("an event that is not a request to run was sent")
	}
}
