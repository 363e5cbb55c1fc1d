package kubeversion

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func ofMinor(t *testing.T, minor int) *Release {
	t.Helper()
	r, err := Parse(fmt.Sprintf("1.%d", minor))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A server has an APIService for each group version that it serves, except for those of APIServices themselves. 1.17 forgot
// the first version of flow control.
func TestPriorities(t *testing.T) {
	for minor := 10; minor <= Default().Minor; minor++ {
		r, err := ofMinor(t, minor).With(Flags{RuntimeConfig: map[string]bool{"api/all": true}})
		if err != nil {
			t.Fatal(err)
		}
		for _, resource := range r.Resources {
			gv := schema.GroupVersion{Group: resource.Group, Version: resource.Version}
			none := gv.Group == "apiregistration.k8s.io" || minor == 17 && gv.Group == "flowcontrol.apiserver.k8s.io"
			if _, _, ok := r.Priority(gv); ok == none {
				t.Errorf("1.%d: %s has a priority: %v", minor, gv, ok)
			}
		}
	}
	for minor, want := range map[int]int32{19: 17900, 20: 17150, 23: 0} {
		if group, _, _ := ofMinor(t, minor).Priority(schema.GroupVersion{Group: "extensions", Version: "v1beta1"}); group != want {
			t.Errorf("1.%d: the priority of extensions is %d, want %d", minor, group, want)
		}
	}
}
