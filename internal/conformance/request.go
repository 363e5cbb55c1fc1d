package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/admsim/admsim/internal/steady"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// oracle is who sent the recorded requests that do not say who did.
var oracle = authenticationv1.UserInfo{Username: "oracle", Groups: []string{"system:masters", "system:authenticated"}}

// request is the request as sent to the cluster of sim.
func (r *Request) request(sim *simulator.Simulator) (rest.Request, error) {
	query, err := url.ParseQuery(r.Query)
	if err != nil {
		return rest.Request{}, err
	}
	body, err := r.body(sim)
	if err != nil {
		return rest.Request{}, err
	}
	sender := oracle
	if r.User != "" {
		sender = authenticationv1.UserInfo{Username: r.User, Groups: authenticated(r.Groups)}
	}
	return rest.Request{
		Verb:        r.Verb,
		Resource:    schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Resource},
		Subresource: r.Subresource,
		Namespace:   r.Namespace,
		Name:        r.Name,
		Body:        body,
		PatchType:   r.PatchType,
		Query:       query,
		User:        sender,
	}, nil
}

// authenticated are the groups of a user whose own are given.
func authenticated(groups []string) []string {
	if slices.Contains(groups, user.AllAuthenticated) || slices.Contains(groups, user.AllUnauthenticated) {
		return groups
	}
	return append(slices.Clone(groups), user.AllAuthenticated)
}

var uidOf = regexp.MustCompile(`"\$uid:([^"]+)"`)

// body is the object with what stands for uids and versions filled in.
func (r *Request) body(sim *simulator.Simulator) ([]byte, error) {
	if string(r.Object) == "null" || len(r.Object) == 0 {
		return nil, nil
	}
	text := string(r.Object)
	var problem error
	text = uidOf.ReplaceAllStringFunc(text, func(match string) string {
		m, err := find(sim, uidOf.FindStringSubmatch(match)[1])
		if err != nil {
			problem = err
			return match
		}
		return fmt.Sprintf("%q", m.GetUID())
	})
	if problem == nil && strings.Contains(text, `"$resourceVersion"`) {
		version := ""
		if target, ok := r.target(sim); ok {
			version = target.GetResourceVersion()
		}
		text = strings.ReplaceAll(text, `"$resourceVersion"`, fmt.Sprintf("%q", version))
	}
	if problem == nil && strings.Contains(text, steady.UID) {
		if target, ok := r.target(sim); ok {
			text = string(selectedBy([]byte(text), target.GetUID()))
		}
		return r.withUIDs(sim, []byte(text))
	}
	return []byte(text), problem
}

// target is the object that the URL names, as the cluster has it.
func (r *Request) target(sim *simulator.Simulator) (metav1.Object, bool) {
	resource, _ := sim.Resources().Resource(schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Resource})
	key := cluster.Key{GroupKind: resource.Storage.GroupKind(), Name: r.Name}
	if resource.Namespaced {
		key.Namespace = r.Namespace
	}
	object, ok := sim.State().Find(key)
	if !ok {
		return nil, false
	}
	m, err := meta.Accessor(object.Object)
	return m, err == nil
}

// withUIDs is the body with the uids that the recorder wrote over put back: where it refers
// to an object of the cluster by kind and name, that object's, and in preconditions that of
// the object that the URL names.
func (r *Request) withUIDs(sim *simulator.Simulator, body []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var object any
	if err := decoder.Decode(&object); err != nil {
		return body, nil // not a body that refers to anything
	}
	r.putUIDs(sim, object)
	return json.Marshal(object)
}

func (r *Request) putUIDs(sim *simulator.Simulator, v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			r.putUIDs(sim, item)
		}
	case map[string]any:
		for _, member := range v {
			r.putUIDs(sim, member)
		}
		if conditions, ok := v["preconditions"].(map[string]any); ok && conditions["uid"] == steady.UID {
			if m, ok := r.target(sim); ok {
				conditions["uid"] = m.GetUID()
			}
		}
		if v["uid"] != steady.UID || v["kind"] == nil || v["name"] == nil {
			return
		}
		for _, path := range []string{fmt.Sprintf("%s/%s/%s", v["kind"], r.Namespace, v["name"]), fmt.Sprintf("%s//%s", v["kind"], v["name"])} {
			if m, err := find(sim, path); err == nil {
				v["uid"] = m.GetUID()
				return
			}
		}
	}
}

// find returns the object that a recording names as Kind/namespace/name or Kind/name.
func find(sim *simulator.Simulator, path string) (m interface{ GetUID() types.UID }, err error) {
	words := strings.Split(path, "/")
	for object := range sim.State().All() {
		if cluster.KeyOf(object.Object).Kind != words[0] {
			continue
		}
		k := cluster.KeyOf(object.Object)
		if k.Name == words[len(words)-1] && (len(words) == 2 || k.Namespace == words[1]) {
			return meta.Accessor(object.Object)
		}
	}
	return nil, fmt.Errorf("there is no %s", path)
}
