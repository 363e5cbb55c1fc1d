package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/admsim/admsim/internal/steady"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// oracle is the user of recorded requests that name none.
var oracle = authenticationv1.UserInfo{Username: "oracle", Groups: []string{"system:masters", "system:authenticated"}}

// request returns the request for the cluster of sim.
func (r *Request) request(sim *simulator.Simulator) (rest.Request, error) {
	query, err := url.ParseQuery(r.Query)
	if err != nil {
		return rest.Request{}, err
	}
	body, err := r.Body(simulated{sim})
	if err != nil {
		return rest.Request{}, err
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
		User:        r.Sender(),
	}, nil
}

// Sender returns the user who sent the request.
func (r *Request) Sender() authenticationv1.UserInfo {
	if r.User == "" {
		return oracle
	}
	return authenticationv1.UserInfo{Username: r.User, Groups: authenticated(r.Groups)}
}

// Method returns the HTTP method with which the request is sent.
func (r *Request) Method() string {
	switch r.Verb {
	case "get", "list":
		return http.MethodGet
	case "create", "connect":
		return http.MethodPost
	case "update":
		return http.MethodPut
	case "patch":
		return http.MethodPatch
	case "delete", "deletecollection":
		return http.MethodDelete
	}
	return ""
}

// ContentType returns the media type of the body of the request.
func (r *Request) ContentType() string {
	switch r.PatchType {
	case rest.JSONPatch:
		return string(types.JSONPatchType)
	case rest.MergePatch:
		return string(types.MergePatchType)
	case rest.StrategicPatch:
		return string(types.StrategicMergePatchType)
	case rest.ApplyPatch:
		return string(types.ApplyYAMLPatchType)
	}
	return runtime.ContentTypeJSON
}

// authenticated returns the groups of a user with the group of all authenticated users, unless the given groups say
// otherwise.
func authenticated(groups []string) []string {
	if slices.Contains(groups, user.AllAuthenticated) || slices.Contains(groups, user.AllUnauthenticated) {
		return groups
	}
	return append(slices.Clone(groups), user.AllAuthenticated)
}

var uidOf = regexp.MustCompile(`"\$uid:([^"]+)"`)

// Objects are the objects of the cluster that a request is sent to. Bodies refer to them by UID and by version, which
// differ between clusters.
type Objects interface {
	// UID returns the UID of the object that a recording names as Kind/namespace/name or Kind/name.
	UID(path string) (types.UID, error)
	// Target returns the object that the URL of the request names.
	Target(r *Request) (metav1.Object, bool)
}

// Body returns the object with its placeholders for UIDs and versions filled in.
func (r *Request) Body(cluster Objects) ([]byte, error) {
	if string(r.Object) == "null" || len(r.Object) == 0 {
		return nil, nil
	}
	text := string(r.Object)
	var problem error
	text = uidOf.ReplaceAllStringFunc(text, func(match string) string {
		uid, err := cluster.UID(uidOf.FindStringSubmatch(match)[1])
		if err != nil {
			problem = err
			return match
		}
		return fmt.Sprintf("%q", uid)
	})
	if problem == nil && strings.Contains(text, `"$resourceVersion"`) {
		version := ""
		if target, ok := cluster.Target(r); ok {
			version = target.GetResourceVersion()
		}
		text = strings.ReplaceAll(text, `"$resourceVersion"`, fmt.Sprintf("%q", version))
	}
	if problem == nil && strings.Contains(text, steady.UID) {
		if target, ok := cluster.Target(r); ok {
			text = string(SelectedBy([]byte(text), target.GetUID()))
		}
		return r.withUIDs(cluster, []byte(text))
	}
	return []byte(text), problem
}

// withUIDs restores the UIDs in a body that the recorder overwrote: where it refers to an object of the cluster by kind
// and name, that object's UID, and in preconditions the UID of the object that the URL names.
func (r *Request) withUIDs(cluster Objects, body []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var object any
	if err := decoder.Decode(&object); err != nil {
		return body, nil // the body refers to nothing
	}
	r.putUIDs(cluster, object)
	return json.Marshal(object)
}

func (r *Request) putUIDs(cluster Objects, v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			r.putUIDs(cluster, item)
		}
	case map[string]any:
		for _, member := range v {
			r.putUIDs(cluster, member)
		}
		if conditions, ok := v["preconditions"].(map[string]any); ok && conditions["uid"] == steady.UID {
			if m, ok := cluster.Target(r); ok {
				conditions["uid"] = m.GetUID()
			}
		}
		if v["uid"] != steady.UID || v["kind"] == nil || v["name"] == nil {
			return
		}
		for _, path := range []string{fmt.Sprintf("%s/%s/%s", v["kind"], r.Namespace, v["name"]), fmt.Sprintf("%s//%s", v["kind"], v["name"])} {
			if uid, err := cluster.UID(path); err == nil {
				v["uid"] = uid
				return
			}
		}
	}
}

// simulated provides the objects of a simulator.
type simulated struct{ *simulator.Simulator }

func (s simulated) Target(r *Request) (metav1.Object, bool) {
	resource, _ := s.Resources().Resource(schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Resource})
	key := cluster.Key{GroupKind: resource.Storage.GroupKind(), Name: r.Name}
	if resource.Namespaced {
		key.Namespace = r.Namespace
	}
	object, ok := s.State().Find(key)
	if !ok {
		return nil, false
	}
	m, err := meta.Accessor(object.Object)
	return m, err == nil
}

func (s simulated) UID(path string) (types.UID, error) {
	words := strings.Split(path, "/")
	for object := range s.State().All() {
		k := cluster.KeyOf(object.Object)
		if k.Kind != words[0] || k.Name != words[len(words)-1] || len(words) == 3 && k.Namespace != words[1] {
			continue
		}
		m, err := meta.Accessor(object.Object)
		if err != nil {
			return "", err
		}
		return m.GetUID(), nil
	}
	return "", fmt.Errorf("there is no %s", path)
}
