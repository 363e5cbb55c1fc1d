package record

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/conformance"
	"github.com/admsim/admsim/internal/release/reference"
)

// stored provides the objects of the server to requests that refer to them.
type stored struct {
	ctx context.Context
	*play
}

var _ conformance.Objects = stored{}

func (s stored) UID(path string) (types.UID, error) {
	words := strings.Split(path, "/")
	namespace := ""
	if len(words) == 3 {
		namespace = words[1]
	}
	for _, r := range s.resources {
		if r.kind != words[0] || r.namespaced != (namespace != "") {
			continue
		}
		if object, err := s.get(s.ctx, r.path(namespace, words[len(words)-1])); err == nil {
			return object.GetUID(), nil
		}
	}
	return "", fmt.Errorf("%s does not exist", path)
}

func (s stored) Target(r *conformance.Request) (metav1.Object, bool) {
	if r.Name == "" {
		return nil, false
	}
	object, err := s.get(s.ctx, resource{group: r.Group, version: r.Version, name: r.Resource}.path(r.Namespace, r.Name))
	return object, err == nil
}

// get reads an object.
func (p *play) get(ctx context.Context, path string) (*unstructured.Unstructured, error) {
	answer, err := p.server.Do(ctx, reference.Request{Method: http.MethodGet, Path: path, Token: reference.Setup})
	if err != nil {
		return nil, err
	}
	if answer.Code != http.StatusOK {
		return nil, refusal(answer)
	}
	object := &unstructured.Unstructured{}
	return object, object.UnmarshalJSON(answer.Body)
}

// post creates an object.
func (p *play) post(ctx context.Context, r resource, object *unstructured.Unstructured) error {
	body, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	answer, err := p.server.Do(ctx, reference.Request{
		Method: http.MethodPost, Path: r.path(object.GetNamespace(), ""), Body: body,
		Header: http.Header{"Content-Type": {"application/json"}}, Token: reference.Setup,
	})
	if err == nil && answer.Code != http.StatusCreated {
		err = refusal(answer)
	}
	return err
}

// A refusedError reports that this server does not accept what a recording has.
type refusedError struct{ because string }

func (e *refusedError) Error() string { return e.because }

// refusal returns the error for an unexpected answer.
func refusal(answer reference.Answer) error {
	var status struct{ Message string }
	if json.Unmarshal(answer.Body, &status) != nil || status.Message == "" {
		status.Message = string(answer.Body)
	}
	return &refusedError{fmt.Sprintf("%d: %s", answer.Code, status.Message)}
}
