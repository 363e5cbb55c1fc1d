package auditlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/admsim/admsim/internal/auditlog/policy"
	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
)

// A Log is the audit log of a server. Like that of a real server, it hides nothing. It is safe for concurrent use.
type Log struct {
	policy *policy.Policy
	warn   func(error)

	mutex  sync.Mutex
	to     io.Writer
	later  Later
	failed bool // the writer failed, which was reported
}

// NewLog returns a log of what the policy selects. warn is called for events that are lost.
func NewLog(p *policy.Policy, to io.Writer, warn func(error)) *Log {
	return &Log{policy: p, to: to, warn: warn}
}

// Staged logs that a client's request has come to a stage.
func (l *Log) Staged(stage serve.Stage, a *serve.Answered) {
	var own []*auditv1.Event
	if stage != auditv1.StagePanic && (stage != auditv1.StageResponseComplete || !a.IsLong()) {
		own = l.own(a)
	}
	event := l.event(stage, a, time.Now())
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if stage != auditv1.StageRequestReceived || len(own) > 0 {
		l.report(l.later.CatchUp(a.Began))
	}
	l.report(l.write(append(own, event)...))
}

// Wrote logs a request of a controller after the request that it reacts to.
func (l *Log) Wrote(a *serve.Answered) {
	events := []*auditv1.Event{l.event(auditv1.StageRequestReceived, a, a.Began)}
	events = append(events, l.own(a)...)
	events = append(events, l.event(auditv1.StageResponseComplete, a, time.Now()))
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.later.Add(a.Began, func() error { return l.write(events...) })
}

// own returns the events of what the server asked itself in order to answer a request.
func (l *Log) own(a *serve.Answered) (events []*auditv1.Event) {
	for _, own := range a.ToItself() {
		events = append(events, l.event(auditv1.StageRequestReceived, own, own.Began), l.event(auditv1.StageResponseComplete, own, time.Now()))
	}
	return events
}

// Close writes what is left. It does not close the writer.
func (l *Log) Close() error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.later.CatchUp(time.Time{})
}

// write writes events, except for those that the policy omits.
func (l *Log) write(events ...*auditv1.Event) (err error) {
	for _, event := range events {
		if event != nil && err == nil && !l.failed {
			err = encode.JSON(l.to, event)
		}
	}
	return err
}

// report reports that the writer failed, once.
func (l *Log) report(err error) {
	if err != nil && !l.failed {
		l.failed = true
		l.warn(fmt.Errorf("the audit log is not complete: %w", err))
	}
}

// event returns an event, or nil if the policy omits it.
func (l *Log) event(stage serve.Stage, a *serve.Answered, at time.Time) *auditv1.Event {
	rule := l.policy.For(questionOf(a))
	if rule.Omits(stage) {
		return nil
	}
	event := metadata(a, rule.Level, stage, at)
	if stage == auditv1.StageRequestReceived {
		event.Annotations = firstAnnotations(a)
		return event
	}
	if err := complete(event, a, rule); err != nil {
		l.warn(fmt.Errorf("the audit log has no event %s of %s %s: %w", stage, a.HTTP.Method, a.HTTP.URL.Path, err))
		return nil
	}
	return event
}

// complete adds to an event what is known when the request is answered.
func complete(event *auditv1.Event, a *serve.Answered, rule policy.Rule) (err error) {
	defer bug.Catch(&err)
	event.Annotations = auditAnnotations(a, rule, event.StageTimestamp.Time)
	if event.Stage == auditv1.StagePanic {
		event.ResponseStatus = &metav1.Status{
			Status: metav1.StatusFailure, Reason: metav1.StatusReasonInternalError, Code: 500, Message: fmt.Sprintf("APIServer panic'd: %v", a.Panic),
		}
	}
	if rule.Logs(auditv1.LevelRequest) && a.Result != nil && a.Result.Read {
		if event.RequestObject, err = logged(func() ([]byte, error) { return requestObject(a) }, rule); err != nil {
			return err
		}
	}
	if rule.Logs(auditv1.LevelRequestResponse) && a.Shown != nil && event.Stage != auditv1.StagePanic {
		event.ResponseObject, err = logged(a.Shown, rule)
	}
	return err
}

// auditAnnotations returns the annotations of an event. Those with the patches of webhooks need the level Request:
// kubernetes/apiserver:pkg/admission/plugin/webhook/mutating/dispatcher.go.
func auditAnnotations(a *serve.Answered, rule policy.Rule, at time.Time) map[string]string {
	annotations := map[string]string{}
	for key, value := range a.AuditAnnotations {
		if isPatch(key) && !rule.Logs(auditv1.LevelRequest) {
			continue
		}
		annotations[key] = value
	}
	if a.Fork != "" {
		annotations[forkAnnotation] = a.Fork
	}
	if a.Found.Release().Has(kubeversion.AuditLatencies) {
		addLatencies(annotations, a, at.Sub(a.Began))
	}
	return annotations
}

// firstAnnotations returns the annotations of a request when it is received: those of its token, since the server has
// authenticated the client by then. What has an answer already is a request of a controller or of the server, without a token.
func firstAnnotations(a *serve.Answered) map[string]string {
	annotations := map[string]string{}
	if a.Code == 0 {
		maps.Copy(annotations, a.AuditAnnotations)
	}
	if a.Fork != "" {
		annotations[forkAnnotation] = a.Fork
	}
	return annotations
}

// requestObject returns the body as the server logs it: an object after it was read, with its defaults, a patch as it
// was sent. Before 1.37, a server-side apply in YAML is lost, since an event is JSON; since then, only YAML that begins
// like JSON is.
func requestObject(a *serve.Answered) ([]byte, error) {
	r, types := a.Request, a.Found.View().Types()
	switch {
	case r.Verb == rest.Patch:
		body := r.Body
		if r.PatchType == rest.ApplyPatch && a.Found.Release().Has(kubeversion.PatchesReadFirst) {
			if asJSON, err := utilyaml.ToJSON(body); err == nil {
				body = asJSON
			}
		}
		if !json.Valid(body) {
			return nil, errors.New("its patch is not JSON, so a real server cannot write it, either")
		}
		return body, nil
	case hasObject(a):
		kind := kindOf(a)
		if kind.Group != r.Resource.Group && !a.Found.Release().Has(kubeversion.AuditOtherGroups) {
			return nil, nil
		}
		object, _, err := types.Decode(r.Body, kind, objects.Ignore)
		if err != nil {
			return nil, err
		}
		return types.EncodeAs(object, kind)
	}
	options := &metav1.DeleteOptions{}
	if err := json.Unmarshal(r.Body, options); err != nil {
		return nil, err
	}
	options.TypeMeta = metav1.TypeMeta{Kind: "DeleteOptions", APIVersion: r.Resource.GroupVersion().String()}
	if a.Found.Release().Has(kubeversion.AuditOptionsInternal) {
		options.APIVersion = schema.GroupVersion{Group: "meta.k8s.io", Version: runtime.APIVersionInternal}.String()
	}
	return json.Marshal(options)
}

// kindOf returns the kind of the body of a write.
func kindOf(a *serve.Answered) schema.GroupVersionKind {
	resource, _ := a.Found.Resources().Resource(a.Request.Resource)
	if sub, ok := resource.Subresources[a.Request.Subresource]; ok {
		return sub.Kind
	}
	return resource.Kind
}

// logged returns an object for an event, without managed fields if the policy omits them; nil if there is none.
func logged(read func() ([]byte, error), rule policy.Rule) (*runtime.Unknown, error) {
	text, err := read()
	if err != nil || text == nil {
		return nil, err
	}
	if !rule.OmitManagedFields {
		return &runtime.Unknown{Raw: text, ContentType: runtime.ContentTypeJSON}, nil
	}
	v, err := decoded(text)
	if err != nil {
		return nil, err
	}
	withoutManagedFields(v)
	return unknown(v)
}

// withoutManagedFields removes the managed fields of an object, of the items of a list, or of the rows of a table.
func withoutManagedFields(v any) {
	object, ok := v.(map[string]any)
	if !ok {
		return
	}
	if m, ok := object["metadata"].(map[string]any); ok {
		delete(m, "managedFields")
	}
	for _, key := range []string{"items", "rows"} {
		items, _ := object[key].([]any)
		for _, item := range items {
			withoutManagedFields(item)
		}
	}
	withoutManagedFields(object["object"])
}
