package record

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/conformance"
	"github.com/admsim/admsim/internal/release/reference"
)

// A Session is a server that answers single requests, each in a cluster of its own. It is for many requests that only
// need objects as they are stored: unlike [Recorder.Play] it creates nothing through the API and waits for nothing, so
// that a request takes some milliseconds.
type Session struct {
	play
	folder     string
	definition definition
}

// A definition is the current CustomResourceDefinition, as requested and as stored.
type definition struct{ asked, stored, name, plural string }

// A Resource is a served resource.
type Resource struct {
	Group, Version, Name, Kind string
	Namespaced                 bool
	Subresources               []string
}

// Open starts a server with a profile.
func (r *Recorder) Open(ctx context.Context, profile string) (_ *Session, err error) {
	s := &Session{play: play{Recorder: r}}
	if s.folder, err = os.MkdirTemp("", "admsim-reference-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	flags, err := r.prepare(profile, s.folder)
	if err != nil {
		return nil, err
	}
	if s.etcd, err = reference.StartEtcd(ctx, s.folder); err != nil {
		return nil, err
	}
	if s.server, err = reference.Start(ctx, reference.Options{Binary: r.binary, Folder: s.folder, Etcd: s.etcd, Flags: flags}); err != nil {
		return nil, err
	}
	if s.baseline, err = newBaseline(ctx, s.etcd); err != nil {
		return nil, err
	}
	s.resources, err = resources(ctx, s.server)
	return s, err
}

// Close ends the server.
func (s *Session) Close() {
	if s.server != nil {
		s.server.Stop()
	}
	if s.etcd != nil {
		s.etcd.Stop()
	}
	_ = os.RemoveAll(s.folder)
}

// Resources returns the served resources, in the order of their versions' priority.
func (s *Session) Resources() []Resource {
	var all []Resource
	for _, r := range s.resources {
		all = append(all, Resource{r.group, r.version, r.name, r.kind, r.namespaced, r.subresources})
	}
	return all
}

// Ask sends the requests of a recording, one after the other, in a cluster with exactly the recording's objects, and
// puts the answers into the recording. The objects of the cluster are written into etcd as they are.
func (s *Session) Ask(ctx context.Context, of *conformance.Recording) error {
	s.of = of
	if s.webhooks.Load() == nil {
		hooks, err := conformance.NewWebhooks(of)
		if err != nil {
			return err
		}
		s.webhooks.Store(hooks)
	}
	for i := range of.Requests {
		request := &of.Requests[i]
		var keys []string
		for i := range of.Cluster {
			if i == 0 && isDefinition(of.Cluster[0]) && request.Group != apiextensions {
				if err := s.define(ctx, &of.Cluster[0], request); err != nil {
					return err
				}
				continue
			}
			key, err := s.put(ctx, &of.Cluster[i], conformance.UID(i))
			if err != nil {
				return err
			}
			keys = append(keys, key)
		}
		answer, err := s.request(ctx, request)
		if err != nil {
			return err
		}
		request.Expect = answer
		for _, key := range keys {
			if err := s.etcd.Delete(ctx, key); err != nil {
				return err
			}
		}
		if answer["code"].(float64) >= 300 {
			continue // nothing was written
		}
		if err := s.forget(ctx, request, answer); err != nil {
			return err
		}
	}
	return nil
}

// put writes an object into etcd. If the server itself then changes the object, raw becomes the changed object.
func (s *Session) put(ctx context.Context, raw *json.RawMessage, uid types.UID) (key string, err error) {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(*raw); err != nil {
		return "", err
	}
	r := resource{group: s.definition.group(), version: object.GroupVersionKind().Version, name: s.definition.plural, namespaced: true}
	if object.GroupVersionKind().Group != r.group || r.group == "" {
		if r, err = s.resourceOf(ctx, object); err != nil {
			return "", err
		}
	}
	object.SetUID(uid)
	text, err := object.MarshalJSON()
	if err != nil {
		return "", err
	}
	key = r.key(object.GetNamespace(), object.GetName())
	if err := s.etcd.Put(ctx, key, conformance.SelectedBy(text, uid)); err != nil || r.name != "customresourcedefinitions" {
		return key, err
	}
	settled, err := s.settled(ctx, r.path(object.GetNamespace(), object.GetName()))
	if err == nil {
		*raw, err = json.Marshal(s.normalize(settled.Object))
	}
	return key, err
}

const apiextensions = "apiextensions.k8s.io"

func isDefinition(raw json.RawMessage) bool {
	var object struct{ Kind string }
	return json.Unmarshal(raw, &object) == nil && object.Kind == "CustomResourceDefinition"
}

// group returns the group of the defined kind.
func (d definition) group() string { return strings.TrimPrefix(d.name, d.plural+".") }

// define makes the server serve the resource of a request, and nothing that was defined for an earlier one. The
// definition in raw becomes what the server stores.
func (s *Session) define(ctx context.Context, raw *json.RawMessage, r *conformance.Request) error {
	if s.definition.asked == string(*raw) {
		*raw = json.RawMessage(s.definition.stored)
		return nil
	}
	if s.definition.name != "" {
		if err := s.etcd.Delete(ctx, "/registry/apiextensions.k8s.io/customresourcedefinitions/"+s.definition.name); err != nil {
			return err
		}
	}
	s.definition = definition{}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(*raw); err != nil {
		return err
	}
	of := resource{group: apiextensions, version: "v1", name: "customresourcedefinitions"}
	if err := s.post(ctx, of, object); err != nil {
		return err
	}
	made := definition{asked: string(*raw), name: object.GetName(), plural: r.Resource}
	if err := s.established(ctx, of, made.name); err != nil {
		return err
	}
	served := resource{group: r.Group, version: r.Version, name: r.Resource}.path(r.Namespace, "")
	for range 200 {
		answer, err := s.server.Do(ctx, reference.Request{Method: http.MethodGet, Path: served, Token: reference.Setup})
		if err != nil {
			return err
		}
		if answer.Code == http.StatusOK {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	stored, err := s.settled(ctx, of.path("", made.name))
	if err != nil {
		return err
	}
	text, err := json.Marshal(s.normalize(stored.Object))
	if err != nil {
		return err
	}
	made.stored = string(text)
	s.definition, *raw = made, text
	return nil
}

// Refused reports whether an error means that the server does not accept what a recording has.
func Refused(err error) bool {
	refused := (*refusedError)(nil)
	return errors.As(err, &refused)
}

// settled reads an object until it has not changed for a while.
func (s *Session) settled(ctx context.Context, path string) (object *unstructured.Unstructured, err error) {
	for version := ""; ; version = object.GetResourceVersion() {
		time.Sleep(100 * time.Millisecond)
		if object, err = s.get(ctx, path); err != nil {
			return nil, &reference.NoAnswerError{Err: err}
		}
		if object.GetResourceVersion() == version {
			return object, nil
		}
	}
}

// allocating lists the resources whose objects allocate something exclusively, which the server stores under other
// keys.
var allocating = []string{"services", "servicecidrs", "ipaddresses"}

// forget removes what a request has written.
func (s *Session) forget(ctx context.Context, r *conformance.Request, answer map[string]any) error {
	if slices.Contains(allocating, r.Resource) || r.Subresource != "" {
		_, err := s.baseline.restore(ctx)
		return err
	}
	body, _ := answer["body"].(map[string]any)
	stored, asked := unstructured.Unstructured{Object: body}, unstructured.Unstructured{}
	if err := json.Unmarshal(r.Object, &asked.Object); err != nil {
		return err
	}
	if stored.GetName() == "" {
		return nil // the answer is not a stored object
	}
	name := cmp.Or(asked.GetName(), stored.GetName())
	key := resource{group: r.Group, version: r.Version, name: r.Resource}.key(stored.GetNamespace(), name)
	if before, ok := s.baseline.values[key]; ok {
		return s.etcd.Put(ctx, key, before.Value)
	}
	if err := s.etcd.Delete(ctx, key); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}
