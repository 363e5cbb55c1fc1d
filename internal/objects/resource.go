package objects

import (
	"bytes"
	"encoding/json"
	"fmt"

	resourcev1 "k8s.io/api/resource/v1"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/removed"
)

// moved lists a version in which some fields are elsewhere than in the hub's: there and back
// move them in the JSON of an object.
func moved(gv, hub schema.GroupVersion, kind string, there, back func(map[string]any)) *spoke {
	return &spoke{
		gvk: gv.WithKind(kind), hub: hub.WithKind(kind), sameShape: true,
		toHub:   func(o, empty runtime.Object) runtime.Object { return fillMoved(o, empty, there) },
		fromHub: func(o, empty runtime.Object) runtime.Object { return fillMoved(o, empty, back) },
	}
}

// fillMoved is [fill] with move between.
func fillMoved(obj, empty runtime.Object, move func(map[string]any)) runtime.Object {
	data, err := json.Marshal(obj)
	if err != nil {
		panic(fmt.Sprintf("objects: %T does not encode: %v", obj, err))
	}
	content := map[string]any{}
	numbers := json.NewDecoder(bytes.NewReader(data))
	numbers.UseNumber()
	if err := numbers.Decode(&content); err != nil {
		panic(fmt.Sprintf("objects: %T: %v", obj, err))
	}
	move(content)
	if data, err = json.Marshal(content); err != nil {
		panic(err)
	}
	if err := json.Unmarshal(data, empty); err != nil {
		panic(fmt.Sprintf("objects: no conversion to %T: %v", empty, err))
	}
	return empty
}

// deviceVersions are the betas that differ from their hub in where fields are, and alphas that
// are gone and whose fields are elsewhere now.
func deviceVersions() []*spoke {
	return []*spoke{
		moved(resourcev1beta1.SchemeGroupVersion, resourcev1.SchemeGroupVersion, "ResourceClaim", claimRequests(nestRequest), claimRequests(flatten("exactly"))),
		moved(resourcev1beta1.SchemeGroupVersion, resourcev1.SchemeGroupVersion, "ResourceClaimTemplate", templateRequests(nestRequest), templateRequests(flatten("exactly"))),
		moved(resourcev1beta1.SchemeGroupVersion, resourcev1.SchemeGroupVersion, "ResourceSlice", sliceDevices(flatten("basic")), sliceDevices(nestDevice)),

		moved(removed.ResourceV1alpha3, resourcev1.SchemeGroupVersion, "ResourceClaim", claimRequests(nestRequest), claimRequests(flatten("exactly"))),
		moved(removed.ResourceV1alpha3, resourcev1.SchemeGroupVersion, "ResourceClaimTemplate", templateRequests(nestRequest), templateRequests(flatten("exactly"))),
		moved(removed.ResourceV1alpha3, resourcev1.SchemeGroupVersion, "ResourceSlice", sliceDevices(flattenBareDevice), sliceDevices(nestBareDevice)),

		moved(removed.ResourceV1alpha1, removed.ResourceV1alpha2, "ResourceClaim", severalHandles, oneHandle),
		reshaped(removed.ResourceV1alpha1.WithKind("ResourceClaimTemplate"), removed.ResourceV1alpha2.WithKind("ResourceClaimTemplate")),
		reshaped(removed.ResourceV1alpha1.WithKind("ResourceClass"), removed.ResourceV1alpha2.WithKind("ResourceClass")),
		reshaped(removed.ResourceV1alpha1.WithKind("PodScheduling"), removed.ResourceV1alpha3.WithKind("PodSchedulingContext")),
	}
}

func runtimeClassFromSpec(c map[string]any) {
	spec, _ := c["spec"].(map[string]any)
	delete(c, "spec")
	for name, value := range spec {
		if name == "runtimeHandler" {
			name = "handler"
		}
		c[name] = value
	}
}

func runtimeClassToSpec(c map[string]any) {
	spec := map[string]any{"runtimeHandler": c["handler"]}
	for _, name := range []string{"overhead", "scheduling"} {
		if value, ok := c[name]; ok {
			spec[name] = value
		}
		delete(c, name)
	}
	delete(c, "handler")
	c["spec"] = spec
}

// under is the object at a path of names, nil where there is none.
func under(c map[string]any, names ...string) map[string]any {
	for _, name := range names {
		c, _ = c[name].(map[string]any)
	}
	return c
}

func each(list any, change func(map[string]any)) {
	items, _ := list.([]any)
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			change(m)
		}
	}
}

func claimRequests(change func(map[string]any)) func(map[string]any) {
	return func(c map[string]any) { each(under(c, "spec", "devices")["requests"], change) }
}

func templateRequests(change func(map[string]any)) func(map[string]any) {
	return func(c map[string]any) { each(under(c, "spec", "spec", "devices")["requests"], change) }
}

func sliceDevices(change func(map[string]any)) func(map[string]any) {
	return func(c map[string]any) { each(under(c, "spec")["devices"], change) }
}

// nestRequest puts what is asked of one kind of devices where it does not stand beside the
// alternatives.
func nestRequest(r map[string]any) {
	exactly := map[string]any{}
	for name, value := range r {
		if name != "name" && name != "firstAvailable" {
			delete(r, name)
			if value != "" {
				exactly[name] = value
			}
		}
	}
	if len(exactly) > 0 {
		r["exactly"] = exactly
	}
}

func nestDevice(d map[string]any) {
	basic := map[string]any{}
	for name, value := range d {
		if name != "name" {
			delete(d, name)
			basic[name] = value
		}
	}
	if len(basic) > 0 {
		d["basic"] = basic
	}
}

// flatten does the reverse of both: what is under a member comes to stand beside it.
func flatten(member string) func(map[string]any) {
	return func(m map[string]any) {
		for name, value := range under(m, member) {
			m[name] = value
		}
		delete(m, member)
	}
}
