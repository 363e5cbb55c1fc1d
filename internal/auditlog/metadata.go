package auditlog

import (
	"cmp"
	"encoding/json"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/rest/access"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
)

// mostUserAgent is how much of a user agent is logged: kubernetes/apiserver:pkg/audit/request.go.
const mostUserAgent = 1024

// metadata returns an event without bodies and annotations: kubernetes/apiserver:pkg/audit/request.go.
func metadata(a *serve.Answered, level auditv1.Level, stage auditv1.Stage, at time.Time) *auditv1.Event {
	question := questionOf(a)
	agent := a.HTTP.UserAgent()
	if len(agent) > mostUserAgent {
		agent = agent[:mostUserAgent] + "...TRUNCATED"
	}
	event := &auditv1.Event{
		TypeMeta: metav1.TypeMeta{Kind: "Event", APIVersion: auditv1.SchemeGroupVersion.String()},
		Level:    level, AuditID: types.UID(a.ID), Stage: stage, RequestURI: a.HTTP.URL.RequestURI(), Verb: question.Verb, UserAgent: agent,
		User: a.User, ImpersonatedUser: a.As, RequestReceivedTimestamp: metav1.NewMicroTime(a.Began), StageTimestamp: metav1.NewMicroTime(at),
	}
	if a.Rejected {
		event.User = authenticationv1.UserInfo{}
	}
	for _, ip := range utilnet.SourceIPs(a.HTTP) {
		event.SourceIPs = append(event.SourceIPs, ip.String())
	}
	if question.ResourceRequest {
		event.ObjectRef = &auditv1.ObjectReference{
			Resource: question.Resource, Namespace: question.Namespace, Name: question.Name, APIGroup: question.APIGroup, APIVersion: question.APIVersion, Subresource: question.Subresource,
		}
	}
	if a.Constraint != "" {
		event.AuthenticationMetadata = &auditv1.AuthenticationMetadata{ImpersonationConstraint: a.Constraint}
	}
	if stage == auditv1.StageRequestReceived {
		event.StageTimestamp = event.RequestReceivedTimestamp
		return event
	}
	if a.Code != 0 {
		event.ResponseStatus = statusOf(a)
	}
	completeReference(event.ObjectRef, a)
	return event
}

// questionOf returns a request as authorizers see it, and as the policy of an audit log does.
func questionOf(a *serve.Answered) authorizer.AttributesRecord {
	var question authorizer.AttributesRecord
	if a.Request.Resource.Resource == "" {
		question = authorizer.AttributesRecord{Verb: a.Verb, Path: a.HTTP.URL.Path}
	} else {
		question = access.Request{
			Verb: a.Verb, Resource: a.Request.Resource, Subresource: a.Request.Subresource, Namespace: a.Request.Namespace, Name: a.Request.Name,
			Query: a.Request.Query, Release: a.Found.Release(),
		}.Question()
	}
	question.User = nil
	if !a.Rejected {
		question.User = access.Request{User: a.User}.Who()
	}
	return question
}

// completeReference adds to a reference what only the body of a write says.
func completeReference(ref *auditv1.ObjectReference, a *serve.Answered) {
	if ref == nil || !hasObject(a) {
		return
	}
	var object metav1.PartialObjectMetadata
	if json.Unmarshal(a.Request.Body, &object) != nil {
		return
	}
	ref.Name, ref.Namespace = cmp.Or(ref.Name, object.Name), cmp.Or(ref.Namespace, object.Namespace)
	ref.UID, ref.ResourceVersion = object.UID, object.ResourceVersion
}

// hasObject reports whether the server has read an object in the body.
func hasObject(a *serve.Answered) bool {
	return a.Result != nil && a.Result.Read && (a.Request.Verb == rest.Create || a.Request.Verb == rest.Update)
}

// statusOf returns the event's responseStatus.
func statusOf(a *serve.Answered) *metav1.Status {
	of := a.Status
	if of == nil && a.Result != nil {
		of, _ = a.Result.Object.(*metav1.Status) // of a success, too
	}
	status := &metav1.Status{Code: int32(a.Code)}
	if of == nil {
		return status
	}
	status.Status, status.Reason = of.Status, of.Reason
	if a.Found.Release().Has(kubeversion.AuditStatusMessages) {
		status.Message, status.Details = of.Message, of.Details
	}
	return status
}
