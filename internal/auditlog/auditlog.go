// Package auditlog writes the answers of admsim's API server in the format of a kube-apiserver's audit log: one event
// of audit.k8s.io/v1 per line, which admsim replay and other programs can read.
//
// Start with [Event]. The package does not deal with files or the order of lines.
package auditlog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/answer/secrets"
	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/conceal"
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
	level := "Metadata"
	if writes(a) {
		level = "RequestResponse"
	}
	event := map[string]any{
		"kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": level, "auditID": a.ID, "stage": "ResponseComplete",
		"requestURI": a.HTTP.URL.RequestURI(), "verb": a.Verb, "user": a.User, "sourceIPs": []string{source(a.HTTP)}, "userAgent": a.HTTP.UserAgent(),
		"responseStatus": statusOf(a), "requestReceivedTimestamp": timeOf(a.Began), "stageTimestamp": timeOf(ended),
	}
	if a.Verb == "watch" {
		event["stage"] = "ResponseStarted"
	}
	if a.As != nil {
		event["impersonatedUser"] = *a.As
	}
	if a.Request.Resource.Resource != "" {
		event["objectRef"] = reference(a.Request)
	}
	if annotations := annotationsOf(a); len(annotations) > 0 {
		event["annotations"] = annotations
	}
	if writes(a) {
		if body := a.Request.Body; len(body) > 0 {
			event["requestObject"] = bodyOf(a.Request)
		}
		if event["responseObject"], err = answerOf(a); err != nil {
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

func source(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

func timeOf(t time.Time) metav1.MicroTime { return metav1.NewMicroTime(t) }

// reference returns the object that the request was about: kubernetes/apiserver:pkg/audit/request.go.
func reference(req rest.Request) map[string]string {
	namespace, name := req.Namespace, req.Name
	var object metav1.PartialObjectMetadata
	if req.Verb == rest.Create && json.Unmarshal(req.Body, &object) == nil {
		name, namespace = cmp.Or(name, object.Name), cmp.Or(namespace, object.Namespace)
	}
	if req.Resource.Group == "" && req.Resource.Resource == "namespaces" {
		namespace = name
	}
	ref := map[string]string{
		"resource": req.Resource.Resource, "namespace": namespace, "name": name, "apiGroup": req.Resource.Group, "apiVersion": req.Resource.Version,
		"subresource": req.Subresource, "uid": string(object.UID), "resourceVersion": object.ResourceVersion,
	}
	maps.DeleteFunc(ref, func(_, value string) bool { return value == "" })
	return ref
}

// statusOf returns the event's responseStatus.
func statusOf(a *serve.Answered) map[string]any {
	status := map[string]any{"metadata": map[string]any{}, "code": a.Code}
	switch {
	case a.Status != nil && a.Code >= 400:
		status["status"], status["message"], status["reason"] = a.Status.Status, a.Status.Message, a.Status.Reason
		if a.Status.Details != nil {
			status["details"] = a.Status.Details
		}
	case a.Code >= 400:
		status["status"], status["message"] = metav1.StatusFailure, http.StatusText(a.Code)
	}
	return status
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
func answerOf(a *serve.Answered) (any, error) {
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
	return decoded(text)
}

func decoded(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// hidden returns the event without secrets.
func hidden(event map[string]any, a *serve.Answered, redactor *redact.Redactor) (map[string]any, error) {
	text, err := json.Marshal(event)
	if err != nil {
		return nil, err
	}
	plain, err := decoded(text)
	if err != nil {
		return nil, err
	}
	event, _ = plain.(map[string]any)
	if event["responseObject"] == nil {
		delete(event, "responseObject")
	}
	if redactor == nil {
		return event, nil
	}
	var behind conceal.Behind
	if a.Result != nil {
		behind = secrets.Behind(a.Result)
	}
	behind.Asked = []conceal.Request{secrets.Asked(a.Request, a.Found)}
	if pass := conceal.In(redactor, behind); pass != nil {
		resource, _ := a.Found.Resources().Resource(a.Request.Resource)
		pass.Event(event, nil, resource.Kind.Group, resource.Kind.Kind)
		for _, key := range slices.Sorted(maps.Keys(event)) {
			switch key {
			case "annotations", "responseStatus", "requestObject", "responseObject", "requestURI":
				event[key] = pass.Texts(event[key])
			}
		}
	}
	return withoutCredentials(event), nil
}

// withoutCredentials removes the passwords of URLs from messages and annotations. They are not among the known secrets.
func withoutCredentials(event map[string]any) map[string]any {
	for _, key := range []string{"annotations", "responseStatus"} {
		event[key] = credentialsHidden(event[key])
	}
	if event["annotations"] == nil {
		delete(event, "annotations")
	}
	if answer, ok := event["responseObject"].(map[string]any); ok && answer["kind"] == "Status" {
		event["responseObject"] = credentialsHidden(answer)
	}
	return event
}

func credentialsHidden(v any) any {
	switch v := v.(type) {
	case string:
		return redact.Credentials(v)
	case []any:
		for i := range v {
			v[i] = credentialsHidden(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = credentialsHidden(v[key])
		}
	}
	return v
}
