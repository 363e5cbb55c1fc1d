package record

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/admsim/admsim/internal/release/reference"
)

// A resource is a served resource.
type resource struct {
	group, version, name, kind string
	namespaced                 bool
	subresources               []string
}

// resources asks the server for everything that it serves, preferred versions first.
func resources(ctx context.Context, s *reference.Server) ([]resource, error) {
	var all []resource
	for _, root := range []string{"/api", "/apis"} {
		// Servers that do not know the first media type answer with the second.
		accept := http.Header{"Accept": {"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"}}
		answer, err := s.Do(ctx, reference.Request{Method: http.MethodGet, Path: root, Header: accept, Token: reference.Setup})
		if err != nil {
			return nil, err
		}
		var list struct {
			Kind  string
			Items []struct {
				Metadata struct{ Name string }
				Versions []struct {
					Version   string
					Resources []struct {
						Resource     string
						ResponseKind struct{ Kind string }
						Scope        string
						Subresources []struct{ Subresource string }
					}
				}
			}
		}
		if err := json.Unmarshal(answer.Body, &list); err != nil {
			return nil, fmt.Errorf("discovery of %s: %d: %w", root, answer.Code, err)
		}
		if list.Kind != "APIGroupDiscoveryList" {
			listed, err := listedResources(ctx, s, root, answer.Body)
			if err != nil {
				return nil, err
			}
			all = append(all, listed...)
			continue
		}
		for _, group := range list.Items {
			for _, version := range group.Versions {
				for _, r := range version.Resources {
					found := resource{group.Metadata.Name, version.Version, r.Resource, r.ResponseKind.Kind, r.Scope == "Namespaced", nil}
					for _, sub := range r.Subresources {
						found.subresources = append(found.subresources, sub.Subresource)
					}
					all = append(all, found)
				}
			}
		}
	}
	return all, nil
}

// listedResources returns the resources of a server without aggregated discovery (up to 1.29). index is the answer for
// root. It lists the versions, and the server is asked for the resources of each.
func listedResources(ctx context.Context, s *reference.Server, root string, index []byte) ([]resource, error) {
	var all []resource
	var listed struct {
		Versions []string // of /api
		Groups   []struct {
			Name     string
			Versions []struct{ Version string }
		}
	}
	if err := json.Unmarshal(index, &listed); err != nil {
		return nil, fmt.Errorf("discovery of %s: %w", root, err)
	}
	type served struct{ group, version, path string }
	var versions []served
	for _, version := range listed.Versions {
		versions = append(versions, served{"", version, root + "/" + version})
	}
	for _, group := range listed.Groups {
		for _, v := range group.Versions {
			versions = append(versions, served{group.Name, v.Version, root + "/" + group.Name + "/" + v.Version})
		}
	}
	for _, v := range versions {
		answer, err := s.Do(ctx, reference.Request{Method: http.MethodGet, Path: v.path, Token: reference.Setup})
		if err != nil {
			return nil, err
		}
		if answer.Code == http.StatusNotFound {
			continue // a definition was deleted meanwhile
		}
		var list struct {
			Resources []struct {
				Name, Kind string
				Namespaced bool
			}
		}
		if err := json.Unmarshal(answer.Body, &list); err != nil {
			return nil, fmt.Errorf("discovery of %s: %d: %w", v.path, answer.Code, err)
		}
		at := map[string]int{}
		for _, r := range list.Resources {
			if !strings.Contains(r.Name, "/") {
				at[r.Name] = len(all)
				all = append(all, resource{v.group, v.version, r.Name, r.Kind, r.Namespaced, nil})
			}
		}
		for _, r := range list.Resources {
			name, subresource, _ := strings.Cut(r.Name, "/")
			if i, ok := at[name]; ok && subresource != "" {
				all[i].subresources = append(all[i].subresources, subresource)
			}
		}
	}
	return all, nil
}

// resourceOf returns the resource of an object. It waits a while for the resource of a new definition.
func (p *play) resourceOf(ctx context.Context, object *unstructured.Unstructured) (resource, error) {
	wanted := object.GroupVersionKind()
	for deadline := time.Now().Add(10 * time.Second); ; {
		for _, r := range p.resources {
			if r.group == wanted.Group && r.version == wanted.Version && r.kind == wanted.Kind {
				return r, nil
			}
		}
		if time.Now().After(deadline) || !p.defines(wanted.Group) {
			return resource{}, &refusedError{fmt.Sprintf("the server does not serve %s", wanted)}
		}
		time.Sleep(200 * time.Millisecond)
		var err error
		if p.resources, err = resources(ctx, p.server); err != nil {
			return resource{}, err
		}
	}
}

// defines reports whether the cluster of the recording has a CustomResourceDefinition of this group.
func (p *play) defines(group string) bool {
	return slices.ContainsFunc(p.of.Cluster, func(raw json.RawMessage) bool {
		var definition struct {
			Kind string
			Spec struct{ Group string }
		}
		return json.Unmarshal(raw, &definition) == nil && definition.Kind == "CustomResourceDefinition" && definition.Spec.Group == group
	})
}

// path returns the path of an object, or of the collection if name is empty.
func (r resource) path(namespace, name string) string {
	path := "/apis/" + r.group + "/" + r.version
	if r.group == "" {
		path = "/api/" + r.version
	}
	if namespace != "" {
		path += "/namespaces/" + namespace
	}
	path += "/" + r.name
	if name != "" {
		path += "/" + name
	}
	return path
}

// key returns the key under which the server stores the object in etcd.
func (r resource) key(namespace, name string) string {
	folder := r.name
	switch {
	case r.group == "apiextensions.k8s.io":
		folder = r.group + "/" + r.name
	case strings.Contains(r.group, ".") && !strings.HasSuffix(r.group, ".k8s.io"):
		folder = r.group + "/" + r.name // a custom resource
	case slices.Contains([]string{"", "networking.k8s.io", "extensions", "policy"}, r.group):
		// kubernetes/kubernetes:pkg/kubeapiserver/default_storage_factory_builder.go
		switch r.name {
		case "nodes":
			folder = "minions"
		case "services", "endpoints":
			folder = "services/" + map[string]string{"services": "specs", "endpoints": "endpoints"}[r.name]
		case "replicationcontrollers":
			folder = "controllers"
		case "ingresses":
			folder = "ingress"
		case "podsecuritypolicies":
			folder = "podsecuritypolicy"
		}
	}
	key := "/registry/" + folder
	if namespace != "" {
		key += "/" + namespace
	}
	return key + "/" + name
}
