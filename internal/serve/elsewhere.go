package serve

import (
	"encoding/json"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
)

// isElsewhere reports whether another server serves a group version, according to an APIService.
func (x *exchange) isElsewhere(gv schema.GroupVersion) bool {
	found, ok := x.sim.View().Types().Cached(x.sim.State()).Find(cluster.Key{GroupKind: schema.GroupKind{Group: "apiregistration.k8s.io", Kind: "APIService"}, Name: gv.Version + "." + gv.Group})
	if !ok || gv.Group == "" {
		return false
	}
	var service struct {
		Spec struct{ Service *struct{} }
	}
	data, err := json.Marshal(found.Object)
	return err == nil && json.Unmarshal(data, &service) == nil && service.Spec.Service != nil
}

// unavailable writes the answer for a server that cannot be reached:
// kubernetes/kube-aggregator:pkg/apiserver/handler_proxy.go.
func (x *exchange) unavailable() { x.text(http.StatusServiceUnavailable, "service unavailable\n") }
