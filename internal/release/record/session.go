package record

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/conformance"
	"github.com/admsim/admsim/internal/release/reference"
)

// A Session is a server that answers single requests, each in a cluster of its own. It is for many
// requests that need no more than objects as they are stored: unlike [Recorder.Play] it creates nothing
// over the API and waits for nothing, so that a request takes some milliseconds.
type Session struct {
	play
	folder string
}

// A NoAnswerError says that the server did not answer a request, or is not there any more.
type NoAnswerError struct{ Err error }

func (e *NoAnswerError) Error() string { return "the server does not answer: " + e.Err.Error() }
func (e *NoAnswerError) Unwrap() error { return e.Err }

// A Resource is one that a server serves.
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

// Resources are those that the server serves, in the order of their versions' priority.
func (s *Session) Resources() []Resource {
	var all []Resource
	for _, r := range s.resources {
		all = append(all, Resource{r.group, r.version, r.name, r.kind, r.namespaced, r.subresources})
	}
	return all
}

// Ask gives the requests of a recording, one after the other, the cluster of the recording and no other,
// and puts the answers into the recording. Objects of the cluster are written into etcd as they are.
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
		for i, raw := range of.Cluster {
			key, err := s.put(ctx, raw, conformance.UID(i))
			if err != nil {
				return err
			}
			keys = append(keys, key)
		}
		answer, err := s.request(ctx, request)
		if err != nil {
			return &NoAnswerError{err}
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

// put writes an object into etcd.
func (s *Session) put(ctx context.Context, raw json.RawMessage, uid types.UID) (key string, err error) {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(raw); err != nil {
		return "", err
	}
	r, err := s.resourceOf(ctx, object)
	if err != nil {
		return "", err
	}
	object.SetUID(uid)
	text, err := object.MarshalJSON()
	if err != nil {
		return "", err
	}
	key = r.key(object.GetNamespace(), object.GetName())
	return key, s.etcd.Put(ctx, key, conformance.SelectedBy(text, uid))
}

// allocating are the resources whose objects take something from the server that others cannot have: the
// server keeps that under other keys.
var allocating = []string{"services", "servicecidrs", "ipaddresses"}

// forget removes what a request has written.
func (s *Session) forget(ctx context.Context, r *conformance.Request, answer map[string]any) error {
	if slices.Contains(allocating, r.Resource) || r.Subresource != "" {
		_, err := s.baseline.restore(ctx)
		return err
	}
	body, _ := answer["body"].(map[string]any)
	object := unstructured.Unstructured{Object: body}
	name := object.GetName()
	if name == "" {
		return nil
	}
	key := resource{group: r.Group, version: r.Version, name: r.Resource}.key(object.GetNamespace(), name)
	if before, ok := s.baseline.values[key]; ok {
		return s.etcd.Put(ctx, key, before.Value)
	}
	if err := s.etcd.Delete(ctx, key); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}
