package record

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/admsim/admsim/internal/conformance"
	"github.com/admsim/admsim/internal/release/reference"
	"github.com/admsim/admsim/pkg/dispatch"
)

// play is a recording that is being played.
type play struct {
	*Recorder
	server    *reference.Server
	etcd      *reference.Etcd
	baseline  *baseline
	of        *conformance.Recording
	resources []resource
	between   time.Duration // pause between two requests
}

// remark prints what may explain an answer.
func (p *play) remark(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(text) > 200 {
		text = text[:200] + "…"
	}
	fmt.Fprintf(p.progress, "  %s: %s\n", p.of.ID, text)
}

// fill sets up the cluster for the first request, and returns the recording with the cluster as this server stores it.
func (p *play) fill(ctx context.Context) (*conformance.Recording, error) {
	hooks, err := conformance.NewWebhooks(p.of)
	if err != nil {
		return nil, err
	}
	p.webhooks.Store(hooks)
	changed, err := p.baseline.restore(ctx)
	if err != nil {
		return nil, err
	}
	if changed {
		time.Sleep(noticed)
	}
	if p.resources, err = resources(ctx, p.server); err != nil {
		return nil, err
	}
	result := *p.of
	result.Cluster = nil
	for _, raw := range p.of.Cluster {
		object, err := p.ensure(ctx, raw)
		if err != nil {
			return nil, fmt.Errorf("the cluster: %w", err)
		}
		result.Cluster = append(result.Cluster, object)
	}
	for _, raw := range p.of.Configs {
		if err := p.configure(ctx, raw); err != nil {
			return nil, fmt.Errorf("the configurations: %w", err)
		}
	}
	wait, err := settling(p.of)
	if err != nil {
		return nil, err
	}
	time.Sleep(wait)
	return &result, nil
}

// How long a server takes at most to notice what was written.
const (
	noticed         = 400 * time.Millisecond // its informers
	definitionsKnow = 2 * time.Second        // new resources are known everywhere
	policiesKnown   = 3 * time.Second        // policies are compiled once a second at most
)

// settling returns how long to wait between the configurations and the first request.
func settling(r *conformance.Recording) (time.Duration, error) {
	wait := noticed
	has := func(objects []json.RawMessage, kind string) bool {
		for _, raw := range objects {
			var object struct{ Kind string }
			if json.Unmarshal(raw, &object) == nil && strings.HasPrefix(object.Kind, kind) {
				return true
			}
		}
		return false
	}
	if has(r.Cluster, "CustomResourceDefinition") || has(r.Configs, "CustomResourceDefinition") {
		wait = definitionsKnow
	}
	for _, kind := range []string{"ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"} {
		if has(r.Configs, kind) || has(r.Cluster, kind) {
			wait = policiesKnown
		}
	}
	if r.Settle == "" {
		return wait, nil
	}
	stated, err := time.ParseDuration(r.Settle)
	return max(wait, stated), err
}

// configure creates a configuration.
func (p *play) configure(ctx context.Context, raw json.RawMessage) error {
	object, err := p.configuration(raw)
	if err != nil {
		return err
	}
	r, err := p.resourceOf(ctx, object)
	if err != nil {
		return err
	}
	if err := p.post(ctx, r, object); err != nil {
		return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return nil
}

// configuration returns a configuration whose webhooks point to our server.
func (p *play) configuration(raw json.RawMessage) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	conformance.FillClientConfigs(object, func(phase, webhook string) map[string]any {
		address, bundle := p.address, p.authority
		if p.of.HasFault(webhook, dispatch.Refuse) {
			address = "127.0.0.1:1"
		}
		if p.of.HasFault(webhook, dispatch.BadCA) {
			bundle = p.stranger
		}
		return map[string]any{
			"url":      fmt.Sprintf("https://%s/%s/%s", address, phase, webhook),
			"caBundle": base64.StdEncoding.EncodeToString(bundle),
		}
	})
	return object, nil
}

// requests sends the requests, and puts those that are answered into result, with their answers. It ends with an error
// if the server is gone.
func (p *play) requests(ctx context.Context, result *conformance.Recording) error {
	result.Requests = nil
	p.webhooks.Load().Calls() // discards the calls for the configurations
	for i, request := range p.of.Requests {
		answer, err := p.request(ctx, &request)
		switch {
		case err == nil:
			request.Expect = answer
			result.Requests = append(result.Requests, request)
		case !isUnanswered(ctx, err):
			return fmt.Errorf("%s: %w", request.ID, err)
		default:
			p.remark("%s is not answered: %v", request.ID, err)
			p.unanswered++
			if _, err := p.server.Do(ctx, reference.Request{Method: http.MethodGet, Path: "/version", Token: reference.Setup}); err != nil {
				p.unanswered += len(p.of.Requests) - i - 1
				return fmt.Errorf("%s ended the server: %w", request.ID, err)
			}
		}
		time.Sleep(p.between)
	}
	return nil
}

// isUnanswered reports whether err is that of a request that got no answer.
func isUnanswered(ctx context.Context, err error) bool {
	var none *reference.NoAnswerError
	return errors.As(err, &none) && ctx.Err() == nil
}

// between is the time for the informers of a real server to notice what the previous request wrote.
const between = 30 * time.Millisecond

func (p *play) request(ctx context.Context, r *conformance.Request) (map[string]any, error) {
	body, err := r.Body(stored{ctx, p})
	if err != nil {
		return nil, err
	}
	id := string(uuid.NewUUID())
	header := http.Header{"Audit-Id": {id}}
	sender := r.Sender()
	header.Set("Impersonate-User", sender.Username)
	for _, group := range sender.Groups {
		header.Add("Impersonate-Group", group)
	}
	if body != nil {
		header.Set("Content-Type", r.ContentType())
	}
	path := resource{group: r.Group, version: r.Version, name: r.Resource}.path(r.Namespace, r.Name)
	if r.Subresource != "" {
		path += "/" + r.Subresource
	}
	answer, err := p.server.Do(ctx, reference.Request{
		Method: r.Method(), Path: path, Query: r.Query, Body: body, Header: header, Token: reference.Admin,
	})
	if err != nil {
		return nil, err
	}
	annotations, err := p.server.Audit.Annotations(ctx, id)
	if err != nil {
		return nil, &reference.NoAnswerError{Err: err}
	}
	expect := expectation(answer, annotations, p.webhooks.Load().Calls())
	return p.normalize(expect).(map[string]any), nil
}

// expectation returns what the server did, in the form of a recording's `expect`.
func expectation(answer reference.Answer, annotations map[string]string, calls []any) map[string]any {
	var body any
	if json.Unmarshal(answer.Body, &body) != nil {
		body = string(answer.Body)
	}
	expect := map[string]any{"code": float64(answer.Code), "body": body}
	warnings, _ := utilnet.ParseWarningHeaders(answer.Header["Warning"])
	var texts []any
	for _, w := range warnings {
		texts = append(texts, w.Text)
	}
	if len(texts) > 0 {
		expect["warnings"] = texts
	}
	if len(annotations) > 0 {
		all := map[string]any{}
		for name, value := range annotations {
			all[name] = value
		}
		expect["auditAnnotations"] = all
	}
	if len(calls) > 0 {
		expect["calls"] = calls
	}
	return expect
}
