// Package auditlog writes the answers of admsim's API server in the format of a kube-apiserver's audit log: one event
// of audit.k8s.io/v1 per line, which admsim replay and other programs can read.
//
// A [Log] has the events that a real server writes under the same policy. [Event] returns an event of admsim's own log,
// which holds all that is needed to repeat the requests, and no secrets. The package does not deal with files.
package auditlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/admsim/admsim/internal/answer/secrets"
	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/wire"
	"github.com/admsim/admsim/pkg/rest"
)

// Facts that other servers do not log: the type of a patch, and which fork of the cluster answered.
const (
	patchTypeAnnotation = "admsim.dev/patch-type"
	forkAnnotation      = "admsim.dev/fork"
)

// Event returns the audit event of a request, without secrets unless redactor is nil. Writes are logged with bodies, as
// at level RequestResponse; everything else as at level Metadata.
func Event(a *serve.Answered, ended time.Time, redactor *redact.Redactor) (_ map[string]any, err error) {
	defer bug.Catch(&err)
	level, stage := auditv1.LevelMetadata, auditv1.StageResponseComplete
	if writes(a) {
		level = auditv1.LevelRequestResponse
	}
	if a.Verb == "watch" {
		stage = auditv1.StageResponseStarted
	}
	event := metadata(a, level, stage, ended)
	event.Annotations = annotationsOf(a)
	if writes(a) {
		if body := a.Request.Body; len(body) > 0 {
			if event.RequestObject, err = unknown(bodyOf(a.Request)); err != nil {
				return nil, err
			}
		}
		if event.ResponseObject, err = answerOf(a); err != nil {
			return nil, err
		}
	}
	return hidden(event, a, redactor)
}

// writes reports whether the request is of a kind that goes through admission.
func writes(a *serve.Answered) bool {
	switch a.Request.Verb {
	case rest.Create, rest.Update, rest.Patch, rest.Delete, rest.DeleteCollection, rest.Connect:
		return a.Request.Resource.Resource != ""
	}
	return false
}

func annotationsOf(a *serve.Answered) map[string]string {
	annotations := map[string]string{}
	if a.Result != nil {
		maps.Copy(annotations, a.Result.AuditAnnotations)
	}
	if a.Request.PatchType != "" {
		annotations[patchTypeAnnotation] = a.Request.PatchType
	}
	if a.Fork != "" {
		annotations[forkAnnotation] = a.Fork
	}
	return annotations
}

// bodyOf returns the body of a request as JSON, or as text if it is not JSON.
func bodyOf(req rest.Request) any {
	body := req.Body
	if req.PatchType == rest.ApplyPatch {
		if converted, err := wire.YAML.Body(body, schema.GroupVersionKind{}, nil); err == nil {
			body = converted
		}
	}
	value, err := decoded(body)
	if err != nil {
		return string(body)
	}
	return value
}

// answerOf returns the object in the answer, or the status.
func answerOf(a *serve.Answered) (*runtime.Unknown, error) {
	var object runtime.Object
	switch {
	case a.Status != nil:
		status := *a.Status
		status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
		object = &status
	case a.Result != nil && a.Result.Object != nil:
		object = a.Result.Object
	default:
		return nil, nil
	}
	text, err := a.Found.View().Types().Encode(object)
	if err != nil {
		return nil, fmt.Errorf("the object of the answer: %w", err)
	}
	return &runtime.Unknown{Raw: text, ContentType: runtime.ContentTypeJSON}, nil
}

func unknown(v any) (*runtime.Unknown, error) {
	text, err := json.Marshal(v)
	return &runtime.Unknown{Raw: text, ContentType: runtime.ContentTypeJSON}, err
}

func decoded(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// hidden returns the event without secrets.
func hidden(whole *auditv1.Event, a *serve.Answered, redactor *redact.Redactor) (map[string]any, error) {
	text, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	plain, err := decoded(text)
	if err != nil {
		return nil, err
	}
	event, _ := plain.(map[string]any)
	if redactor == nil {
		return event, nil
	}
	secrets.HideInEvent(event, a.Request, a.Found, a.Result, redactor)
	return event, nil
}
