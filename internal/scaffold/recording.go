package scaffold

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/convert"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/recording/callee"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/worlds"
	"github.com/admsim/admsim/pkg/rest"
)

// FromRecording makes the case of the first denied request in a recording. webhook names the webhook that denied it, if
// the recording does not; it may be empty.
func (b *Builder) FromRecording(ctx context.Context, name, webhook string, stdin io.Reader) error {
	denied, err := b.denied(name, webhook, stdin)
	if err != nil {
		return err
	}
	review, err := b.redacted(denied.review)
	if err != nil {
		return err
	}
	if b.files["testdata/request.yaml"], err = scenario.YAML(review); err != nil {
		return err
	}
	requests, err := requestsOf("testdata/request.yaml", b.files["testdata/request.yaml"])
	if err != nil {
		return err
	}
	if err := b.recordedWorld(ctx, denied, requests[0]); err != nil {
		return err
	}
	w, err := b.load(ctx, false)
	if err != nil {
		return err
	}
	defer b.end(w)
	result, err := b.ask(ctx, w, requests[0])
	if err != nil {
		return err
	}
	if result.Allowed() {
		hint := "name the manifests of the cluster that it happened in as PATHs"
		if len(b.paths) > 0 {
			hint = "is something of the cluster missing in " + strings.Join(b.paths, ", ") + "?"
		}
		return &scenario.Error{Message: fmt.Sprintf("%s: it was denied (%s), but is admitted here", denied.at, denied.message), Hint: hint}
	}
	if err := b.answerOthers(w, denied.webhook, result); err != nil {
		return err
	}
	b.draft.Cases = []convert.DraftCase{{Name: showing(requestWords(requests[0].Review), result), Request: "testdata/request.yaml", Denied: denialOf(result)}}
	return nil
}

// A recordedDenial is a denial in a recording.
type recordedDenial struct {
	at      string
	review  *admissionv1.AdmissionReview
	webhook string         // the webhook that denied it; empty: no webhook did
	call    recording.Call // the call of that webhook, as far as it is known
	unnamed bool           // a webhook denied it, but it is not known which
	record  *recording.Record
	message string
	status  metav1.Status // as the webhook returned it
}

// denied returns the first denied request about which enough is known. If there are no manifests of anything else that
// denies, that means a denial by a webhook.
func (b *Builder) denied(name, webhook string, stdin io.Reader) (*recordedDenial, error) {
	sources, err := recording.Find([]string{name}, nil, stdin)
	if err != nil {
		return nil, err
	}
	reader, err := recording.NewReader(sources, recording.Options{})
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	var byServer *recordedDenial
	why := errors.New("no request in it was denied")
	for {
		r, err := reader.Next()
		switch {
		case errors.Is(err, io.EOF) && byServer != nil:
			return byServer, nil
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%s: %w", name, why)
		case err != nil:
			return nil, err
		}
		found, reason := denialIn(r, webhook)
		switch {
		case found == nil && reason != "":
			why = fmt.Errorf("no denied request can be rebuilt: %s", reason)
		case found == nil:
		case found.beyondAdmission():
			why = fmt.Errorf("requests were refused, but none by admission, for example: %s (%s)", found.message, found.at)
		case found.byWebhook() || len(b.paths) > 0:
			return found, nil
		case byServer == nil:
			byServer = found
		}
	}
}

// byWebhook reports whether a webhook denied the request.
func (d *recordedDenial) byWebhook() bool { return d.webhook != "" || d.unnamed }

// beyondAdmission reports whether a request was refused for a reason outside of admission.
func (d *recordedDenial) beyondAdmission() bool {
	if d.byWebhook() {
		return false
	}
	switch d.status.Reason {
	case metav1.StatusReasonAlreadyExists, metav1.StatusReasonConflict, metav1.StatusReasonExpired, metav1.StatusReasonMethodNotAllowed,
		metav1.StatusReasonUnauthorized, metav1.StatusReasonUnsupportedMediaType:
		return true
	case metav1.StatusReasonNotFound:
		return !d.withoutNamespace()
	}
	return false
}

// withoutNamespace reports whether NamespaceLifecycle refused the request because its namespace did not exist.
func (d *recordedDenial) withoutNamespace() bool {
	return !d.byWebhook() && d.status.Reason == metav1.StatusReasonNotFound && d.status.Details != nil && d.status.Details.Kind == "namespaces"
}

// denialIn returns the denial in r, if r was denied.
func denialIn(r *recording.Record, webhook string) (found *recordedDenial, reason string) {
	d := &recordedDenial{at: r.Position.String(), webhook: webhook, record: r}
	switch {
	case r.Answer.Response != nil && !r.Answer.Response.Allowed:
		if s := r.Answer.Response.Result; s != nil {
			d.status = *s
		}
		d.message = d.status.Message
		if d.webhook == "" {
			d.webhook = webhookIn(r.Webhook)
			d.unnamed = d.webhook == ""
		}
	case r.Answer.Response == nil && r.Answer.Code >= http.StatusBadRequest && r.Answer.Status != nil:
		d.status, d.message = *r.Answer.Status, r.Answer.Status.Message
		name, said := convert.Denier(d.message)
		if d.webhook == "" {
			d.webhook = name
		}
		d.status.Message = said
	default:
		return nil, ""
	}
	if !r.Runs() {
		return nil, r.Skip.String()
	}
	if n := slices.IndexFunc(r.Calls, func(c recording.Call) bool { return c.Denied != "" }); n >= 0 {
		d.call = r.Calls[n]
	}
	d.review = &admissionv1.AdmissionReview{Request: r.Review}
	if r.Review == nil {
		line, why := recording.LineOf(r)
		if why.Code != "" {
			return nil, why.String()
		}
		d.review.Request = line.Review.Request
	}
	d.review.SetGroupVersionKind(admissionv1.SchemeGroupVersion.WithKind("AdmissionReview"))
	d.review.Response = &admissionv1.AdmissionResponse{UID: d.review.Request.UID, Result: &d.status}
	return d, ""
}

// webhookIn returns the name of the webhook in the source of a record, empty if it contains none.
func webhookIn(source string) string {
	name := source[strings.LastIndexByte(source, '/')+1:]
	if strings.Count(name, ".") < 2 || strings.ContainsAny(source, ":?") {
		return ""
	}
	return name
}

// redacted returns a review in JSON without secrets.
func (b *Builder) redacted(review *admissionv1.AdmissionReview) ([]byte, error) {
	data, err := json.Marshal(review)
	if err != nil || b.Redactor == nil {
		return data, err
	}
	data, _, err = b.Redactor.Review(data)
	return data, err
}

// recordedWorld adds the namespace of the request and the webhook that denied it to the world, unless the user's
// manifests have them.
func (b *Builder) recordedWorld(ctx context.Context, d *recordedDenial, request scenario.Request) error {
	if !d.byWebhook() && len(b.paths) == 0 {
		return &scenario.Error{Message: fmt.Sprintf("%s: no webhook denied this, but the API server with what its cluster had: %s", d.at, d.message), Hint: "name the manifests of policies, quotas and the like as PATHs"}
	}
	known, err := scenario.Load(b.paths, b.Reading)
	if err != nil {
		return err
	}
	r := request.Review
	if r.Namespace != "" && !d.withoutNamespace() && !holds(known, "Namespace", r.Namespace) && r.Kind.Kind != "Namespace" {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: r.Namespace}}
		namespace.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
		if b.files["world/namespace.yaml"], err = manifest(namespace); err != nil {
			return err
		}
	}
	var asked []string
	if d.unnamed {
		if asked = recognised(known, d.record); len(asked) != 1 {
			others, err := b.asked(ctx, request)
			if err != nil {
				return err
			}
			if asked = both(asked, others); len(asked) == 0 {
				asked = others
			}
		}
		d.webhook = madeUp
		if len(asked) == 1 {
			d.webhook = asked[0]
		}
	}
	if d.webhook == "" {
		return nil
	}
	if !declared(known, d.webhook) {
		if b.files["world/webhook.yaml"], err = manifest(convert.WebhookFor(d.configuredCall(), r)); err != nil {
			return err
		}
		if d.unnamed || len(b.paths) > 0 {
			b.Warn(b.inventedWebhook(d, asked))
		}
	}
	// The response was redacted with the request, so its message is taken from there.
	if b.denial, err = denyingBackend(d.webhook, b.files["testdata/request.yaml"]); err != nil {
		return err
	}
	b.files["world/backends.yaml"], err = backendsFile(b.denial)
	return err
}

// configuredCall returns the webhook whose configuration is written.
func (d *recordedDenial) configuredCall() recording.Call {
	if d.call.Webhook == d.webhook {
		return d.call
	}
	return recording.Call{Webhook: d.webhook} // named by --webhook
}

// madeUp is the name of a webhook whose name is not known.
const madeUp = "recorded.webhook.example"

// recognised returns the webhooks among the user's manifests that the recorded call was for, judging by its address.
func recognised(known []scenario.Manifest, r *recording.Record) (names []string) {
	var all []callee.Webhook
	for _, s := range subjectsOf(known) {
		if s.webhook {
			all = append(all, s.hook)
		}
	}
	found, evidence := callee.Of(r, all)
	for _, w := range found {
		if evidence > callee.None && !slices.Contains(names, w.Name) {
			names = append(names, w.Name)
		}
	}
	return names
}

func both(a, b []string) (all []string) {
	for _, one := range a {
		if slices.Contains(b, one) {
			all = append(all, one)
		}
	}
	return all
}

// asked returns the webhooks among the user's manifests that a request is sent to.
func (b *Builder) asked(ctx context.Context, request scenario.Request) (names []string, err error) {
	w, err := b.load(ctx, true) // quiet: it is loaded again later, with warnings
	if err != nil {
		return nil, err
	}
	defer w.Backends.Close()
	result, err := b.ask(ctx, w, request)
	if err != nil {
		return nil, err
	}
	for _, h := range result.hooks {
		if len(h.Calls) > 0 && !slices.Contains(names, h.Name) {
			names = append(names, h.Name)
		}
	}
	return names, nil
}

// inventedWebhook reports that the configuration of the webhook that denied a request is made up, and what to do about
// it.
func (b *Builder) inventedWebhook(d *recordedDenial, asked []string) *scenario.Error {
	given := strings.Join(b.paths, ", ")
	why, hint := "", "name it with --webhook, and the manifests of its configuration as PATHs; or edit the new webhook.yaml"
	switch {
	case !d.unnamed:
		why = fmt.Sprintf("%s has no configuration of webhook %s, which denied it", given, d.webhook)
		hint = "name its manifest as a PATH, or make sure that the new webhook.yaml matches the cluster"
	case len(b.paths) == 0:
		why = "the recording does not say which webhook denied it"
	case len(asked) == 0:
		why = fmt.Sprintf("the recording does not say which webhook denied it, and it goes to none in %s", given)
	default:
		why = fmt.Sprintf("the recording does not say which webhook denied it, and the request goes to several: %s", strings.Join(asked, ", "))
		hint = "say which with --webhook " + asked[len(asked)-1]
	}
	what := "one named " + d.webhook
	if !d.unnamed {
		what = "it"
	}
	return &scenario.Error{Message: fmt.Sprintf("%s: %s; %s is made up", d.at, why, what), Hint: hint}
}

// answerOthers makes the other webhooks that the requests were sent to, and that have no backend, allow them, as they
// must have done when the request was recorded.
func (b *Builder) answerOthers(w *worlds.Loaded, denier string, results ...*result) error {
	var answers []any
	if b.denial != nil {
		answers = append(answers, b.denial)
	}
	var hooks []hook
	for _, result := range results {
		hooks = append(hooks, result.hooks...)
	}
	seen := map[string]bool{denier: true}
	for _, h := range hooks {
		name := hookPattern(h, hooks)
		if len(h.Calls) > 0 && !seen[name] && !w.Backends.Declares(h.Configuration, h.Name) {
			seen[name] = true
			answers = append(answers, backendForm(name, map[string]any{"allowed": true}))
		}
	}
	if len(answers) == 0 {
		return nil
	}
	var err error
	b.files["world/backends.yaml"], err = backendsFile(answers...)
	return err
}

// backendForm returns a backend that gives one answer.
func backendForm(webhook string, answer any) any {
	return map[string]any{"webhook": webhook, "mock": []any{answer}}
}

func backendsFile(backends ...any) ([]byte, error) {
	return manifest(map[string]any{"apiVersion": scenario.APIVersion, "kind": "Backends", "backends": backends})
}

// denyingBackend returns a backend that answers as the recorded webhook did.
func denyingBackend(webhook string, review []byte) (any, error) {
	found, err := scenario.Parse("review", review)
	if err != nil {
		return nil, err
	}
	var recorded admissionv1.AdmissionReview
	if err := json.Unmarshal(found[0].JSON, &recorded); err != nil {
		return nil, err
	}
	deny := map[string]any{}
	if s := recorded.Response.Result; s != nil {
		for key, value := range map[string]any{"code": s.Code, "reason": s.Reason, "message": s.Message} {
			if value != int32(0) && value != metav1.StatusReason("") && value != "" {
				deny[key] = value
			}
		}
	}
	var answer any = map[string]any{"deny": deny}
	if len(deny) == 0 {
		answer = map[string]any{"allowed": false}
	}
	return backendForm(webhook, answer), nil
}

func requestsOf(name string, data []byte) ([]scenario.Request, error) {
	found, err := scenario.Parse(name, data)
	if err != nil {
		return nil, err
	}
	return scenario.Requests(found, rest.Create, scenario.Options{})
}

func holds(manifests []scenario.Manifest, kind, name string) bool {
	for _, m := range manifests {
		if m.Kind == kind && m.Name == name {
			return true
		}
	}
	return false
}

// declared reports whether manifests configure a webhook of that name.
func declared(manifests []scenario.Manifest, webhook string) bool {
	for _, s := range subjectsOf(manifests) {
		if s.webhook && s.name == webhook {
			return true
		}
	}
	return false
}
