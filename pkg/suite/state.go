package suite

import (
	"encoding/json"
	"fmt"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/scenario"
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
		if problem != "" || data != nil {
			c.fail(fmt.Sprintf("state.absent[%d]", i), "no "+want.String(), first(problem, "it is there")).Hint = hint
		}
	}
}

// stored is the object that want names, in the version that it names; nil where there is
// none.
func (c *check) stored(want scenario.ObjectSubset) (data json.RawMessage, problem, hint string) {
	next := c.Result.Next
	resource, ok := next.Resources().ForKind(want.GroupVersionKind)
	if !ok {
		return nil, fmt.Sprintf("the cluster serves no %s of %s", want.Kind, want.GroupVersion()), next.Resources().HintKind(want.GroupVersionKind)
	}
	key := cluster.Key{GroupKind: want.GroupKind(), Name: want.Name}
	if resource.Namespaced {
		key.Namespace = first(want.Namespace, c.suite.Defaults.Namespace, "default")
	}
	found, ok := next.State().Find(key)
	if !ok {
		return nil, "", ""
	}
	object, err := next.Types().Convert(found.Object, want.GroupVersionKind)
	if err != nil {
		return nil, err.Error(), ""
	}
	if data, err = next.Types().Encode(object); err != nil {
		return nil, err.Error(), ""
	}
	return data, "", ""
}
