package recording

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/admsim/admsim/pkg/rest"
)

// connecting lists the subresources that open a connection, with any verb.
var connecting = []string{"exec", "attach", "portforward", "proxy"}

// withBody lists the verbs that need a body to be run again.
var withBody = []string{rest.Create, rest.Update, rest.Patch}

func (e *event) connects() bool { return slices.Contains(connecting, e.ref.subresource) }

// skip returns why the event is not for a request that admission handled.
func (e *event) skip(r *Record) Reason {
	switch {
	case e.stage == "Panic":
		return Reason{Code: Panicked}
	case !e.final():
		return Reason{NotFinal, "stage " + e.stage}
	case e.ref.resource == "":
		return Reason{NonResource, pathOf(e.uri)}
	}
	if !e.connects() {
		switch e.verb {
		case "get", "list", "watch", "head":
			return Reason{ReadOnly, e.verb}
		case rest.Create, rest.Update, rest.Patch, rest.Delete, rest.DeleteCollection:
		default:
			return Reason{UnknownVerb, e.verb}
		}
	}
	switch {
	case e.status.code == http.StatusUnauthorized:
		return Reason{Code: Unauthenticated}
	case e.annotations[decisionAnnotation] == "forbid":
		return Reason{Unauthorized, e.status.message}
	case strings.Contains(e.status.message, " cannot impersonate resource "):
		return Reason{Unauthorized, e.status.message}
	case e.status.code == http.StatusTooManyRequests && e.status.message == "":
		return Reason{Code: Throttled}
	case e.annotations[truncatedAnnotation] == "true":
		return Reason{Code: Truncated}
	}
	return e.bodyMissing(r)
}

// bodyMissing returns why there is no body although the verb takes one.
func (e *event) bodyMissing(r *Record) Reason {
	if e.request != nil || e.connects() || !slices.Contains(withBody, r.Verb) {
		return Reason{}
	}
	switch {
	case e.level == "Metadata" || e.level == "":
		return Reason{BodyNotLogged, "level Metadata"}
	case e.status.code >= 400:
		return Reason{BodyRefused, e.status.message}
	}
	return Reason{BodyNotLogged, "as where another API server answers"}
}

func pathOf(uri string) string {
	path, _, _ := strings.Cut(uri, "?")
	return path
}

// rebuild returns the request as it was sent, as far as the event shows it.
func (e *event) rebuild(r *Record) (*rest.Request, Reason) {
	path, query, _ := strings.Cut(e.uri, "?")
	where, ok := parsePath(path)
	if !ok || where.resource != e.ref.resource {
		return nil, Reason{URINotParsed, e.uri}
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, Reason{URINotParsed, e.uri}
	}
	req := &rest.Request{
		Verb:        e.verb,
		Resource:    r.Resource,
		Subresource: where.subresource,
		Namespace:   where.namespace,
		Name:        where.name,
		Query:       values,
		User:        r.User,
		UserAgent:   r.UserAgent,
	}
	e.unknownAnswer(r)
	if e.connects() {
		req.Verb, req.ConnectVerb = rest.Connect, e.verb
		return req, Reason{}
	}
	req.Body = e.request
	switch e.verb {
	case rest.Delete, rest.DeleteCollection:
		e.rebuildDelete(r, req)
	case rest.Patch:
		if reason := e.rebuildPatch(r, req); reason.Code != "" {
			return nil, reason
		}
	default:
		r.Unknown = append(r.Unknown, Reason{Code: BodyDecoded})
	}
	return req, Reason{}
}

// rebuildDelete restores the version of the options, which the server logs in its internal version.
func (e *event) rebuildDelete(r *Record, req *rest.Request) {
	if e.request == nil {
		if e.level == "Metadata" {
			r.Unknown = append(r.Unknown, Reason{Code: OptionsUnknown})
		}
		return
	}
	req.Body = bytes.Replace(e.request, []byte(`"apiVersion":"meta.k8s.io/__internal"`), []byte(`"apiVersion":"meta.k8s.io/v1"`), 1)
}

// unknownAnswer records what is unknown about the answer.
func (e *event) unknownAnswer(r *Record) {
	switch {
	case e.status.code == 0:
		r.Unknown = append(r.Unknown, Reason{AnswerUnknown, "no code"})
	case e.response == nil:
		r.Unknown = append(r.Unknown, Reason{AnswerUnknown, "no response object: level " + e.level})
	}
}

// A requestPath is the parsed path of a request.
type requestPath struct{ resource, subresource, namespace, name string }

// parsePath follows kubernetes/apiserver:pkg/endpoints/request/requestinfo.go, except that a Namespace object has no
// namespace here.
func parsePath(path string) (p requestPath, ok bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i, part := range parts {
		plain, err := url.PathUnescape(part)
		if err != nil {
			return p, false
		}
		parts[i] = plain
	}
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		parts = parts[3:]
	default:
		return p, false
	}
	if parts[0] == "namespaces" && len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
		p.namespace, parts = parts[1], parts[2:]
	}
	p.resource = parts[0]
	if len(parts) > 1 {
		p.name = parts[1]
	}
	if len(parts) > 2 {
		p.subresource = strings.Join(parts[2:], "/")
	}
	return p, true
}
