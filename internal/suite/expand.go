package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// expand asks for what the controllers would make of the workload in an answer, each in its
// turn. Nothing is made of what was denied. What nobody expects to be denied has to be
// admitted.
func (x *execution) expand(ctx context.Context, answer int, children map[string][]scenario.Expect, prefix string) error {
	seen := map[string]bool{}
	for parent := answer; ; {
		of := x.result.Answers[parent]
		asked, next, err := askedNext(of.Asked, of.Result)
		if err != nil {
			return err
		}
		if asked == nil {
			break
		}
		if parent, err = x.answer(ctx, next.kind, *asked); err != nil {
			return err
		}
		seen[next.kind] = true
		x.checkChild(ctx, parent, next, children[next.kind], prefix)
	}
	for _, kind := range sorted(children) {
		for _, e := range children[kind] {
			if !seen[kind] {
				c := &check{execution: x, answer: len(x.result.Answers) - 1, expect: e, prefix: prefix + "." + kind}
				c.fail("", "a "+kind, "no request creates one").Hint = "its owner was denied, has no replicas, or is suspended"
			}
		}
	}
	return nil
}

func (x *execution) checkChild(ctx context.Context, answer int, c child, expect []scenario.Expect, prefix string) {
	for _, e := range expect {
		x.check(ctx, answer, e, prefix+"."+c.kind)
	}
	got := &check{execution: x, answer: answer, Answer: x.result.Answers[answer]}
	if len(expect) == 0 && !got.allowed() {
		status := got.statusOf()
		x.result.Failures = append(x.result.Failures, Failure{
			Source: x.of.Source, Path: prefix + "." + c.kind, Want: "the " + c.kind + " of " + c.by + " to be admitted",
			Got:  fmt.Sprintf("denied: %d %s by %s: %s", got.Result.Code, status.Reason, got.decider(), status.Message),
			Hint: "if that is so, say it: expect: {expand: {" + c.kind + ": {allowed: false}}}", Answer: answer,
		})
	}
}

// Next is what a controller asks for once the request for a workload was answered; nil if
// nothing follows.
func Next(parent world.Asked, answer *simulator.Result) (*world.Asked, error) {
	asked, _, err := askedNext(parent, answer)
	return asked, err
}

func askedNext(parent world.Asked, answer *simulator.Result) (*world.Asked, child, error) {
	_, data := admitted(answer)
	if data == nil || answer.Code >= http.StatusBadRequest {
		return nil, child{}, nil
	}
	c, ok := childOf(decoded(data).(map[string]any))
	if !ok {
		return nil, c, nil
	}
	resource, ok := answer.Next.Resources().ForKind(c.gvk)
	if !ok {
		return nil, c, fmt.Errorf("the cluster serves no %s", c.gvk)
	}
	body, err := json.Marshal(c.object)
	return &world.Asked{
		From:      scenario.Request{Label: c.kind + " by " + c.by, Source: parent.From.Source},
		Simulator: answer.Next,
		API: rest.Request{
			Verb: rest.Create, Resource: resource.GroupVersionResource, Namespace: c.namespace, Body: body, User: controller(c.by),
		},
	}, c, err
}

// controller is who a controller is to the server, each with an account of its own.
func controller(name string) authenticationv1.UserInfo {
	return authenticationv1.UserInfo{
		Username: serviceaccount.MakeUsername("kube-system", name),
		Groups:   append(serviceaccount.MakeGroupNames("kube-system"), user.AllAuthenticated),
	}
}

// A child is an object that a controller makes of another one.
type child struct {
	by        string // the controller
	kind      string
	gvk       schema.GroupVersionKind
	namespace string
	object    map[string]any
}
