package expect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/cluster"
)

// state checks what is in the cluster after the request.
func (c *check) state() {
	for i, want := range c.expect.Exists {
		path := fmt.Sprintf("state.exists[%d]", i)
		data, problem, hint := c.stored(want)
		switch {
		case problem != "":
			c.fail(path, want.String(), problem).Hint = hint
		case data == nil:
			c.fail(path, want.String(), "there is none")
		default:
			for _, d := range missing(want.JSON, data) {
				c.fail(path+d.path, d.want, d.got)
			}
		}
	}
	for i, want := range c.expect.Absent {
		data, problem, hint := c.stored(want)
		switch {
		case data != nil:
			problem = "it exists"
		case problem == "":
			problem, hint = c.namespaceMissing(want)
		}
		if problem != "" {
			c.fail(fmt.Sprintf("state.absent[%d]", i), "no "+want.String(), problem).Hint = hint
		}
	}
}

// namespaceMissing reports that an object does not exist because its namespace does not exist either, so that the check
// proves nothing. The namespace of the request itself may be missing, which is a reason to deny it.
func (c *check) namespaceMissing(want scenario.ObjectSubset) (problem, hint string) {
	resource, _ := c.Result.Next.Resources().ForKind(want.GroupVersionKind)
	name := c.namespaceOf(want)
	if !resource.Namespaced || name == c.Asked.API.Namespace {
		return "", ""
	}
	var there []string
	for o := range c.Result.Next.State().List(schema.GroupKind{Kind: "Namespace"}, "") {
		there = append(there, cluster.KeyOf(o.Object).Name)
	}
	if slices.Contains(there, name) {
		return "", ""
	}
	problem = fmt.Sprintf("there is no namespace %q", name)
	return problem, didyoumean.Unknown(problem, name, there).Hint()
}

// namespaceOf returns the namespace of an object whose kind is namespaced.
func (c *check) namespaceOf(want scenario.ObjectSubset) string {
	return cmp.Or(want.Namespace, c.Namespace, "default")
}

// stored returns the object that want names, in the version that it names; nil if it does not exist.
func (c *check) stored(want scenario.ObjectSubset) (data json.RawMessage, problem, hint string) {
	next := c.Result.Next
	resource, ok := next.Resources().ForKind(want.GroupVersionKind)
	if !ok {
		return nil, fmt.Sprintf("the cluster serves no %s of %s", want.Kind, want.GroupVersion()), next.Resources().HintKind(want.GroupVersionKind)
	}
	key := cluster.Key{GroupKind: want.GroupKind(), Name: want.Name}
	if resource.Namespaced {
		key.Namespace = c.namespaceOf(want)
	}
	found, ok := next.State().Find(key)
	if !ok {
		return nil, "", ""
	}
	object, err := next.View().Types().Convert(found.Object, want.GroupVersionKind)
	if err != nil {
		return nil, err.Error(), ""
	}
	if data, err = next.View().Types().Encode(object); err != nil {
		return nil, err.Error(), ""
	}
	return data, "", ""
}
