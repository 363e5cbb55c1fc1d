package differential

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/webhooktest"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// A verdict is the result of a request.
type verdict struct {
	Denial      *metav1.Status    `json:",omitempty"` // nil: admitted
	Object      runtime.Object    `json:",omitempty"`
	Warnings    []string          `json:",omitempty"`
	Annotations map[string]string `json:",omitempty"`
}

// TestDifferential sends each case through the server's plugins and through admsim.
func TestDifferential(t *testing.T) {
	w := newWorld(t)
	rows := cases()
	if len(rows) < 60 {
		t.Errorf("%d cases, want at least 60", len(rows))
	}
	for _, c := range rows {
		for _, phase := range []trace.Phase{trace.Mutating, trace.Validating} {
			for _, policy := range []admissionregistrationv1.FailurePolicyType{admissionregistrationv1.Fail, admissionregistrationv1.Ignore} {
				if c.slow && (testing.Short() || policy == admissionregistrationv1.Ignore && phase == trace.Validating) {
					continue
				}
				t.Run(string(phase)+"/"+c.name+"/"+string(policy), func(t *testing.T) {
					t.Parallel()
					c.compare(t, w, phase, policy)
				})
			}
		}
	}
}

// compare reports the differences. A webhook that uses up its time has to start in time, which may fail on a busy
// machine: then it is repeated with more time. Also, the server's client sometimes resends a request whose connection
// was lost at a bad moment.
func (c testCase) compare(t *testing.T, w *world, phase trace.Phase, policy admissionregistrationv1.FailurePolicyType) {
	wrong := c.differences(t, w, phase, policy, 1)
	for seconds := int32(2); c.slow && len(wrong) > 0 && seconds <= 4; seconds *= 2 {
		wrong = c.differences(t, w, phase, policy, seconds)
	}
	if len(wrong) > 0 && !c.slow {
		wrong = c.differences(t, w, phase, policy, 1)
	}
	for _, what := range wrong {
		t.Error(c.rule + ": " + what)
	}
}

func (c testCase) differences(t *testing.T, w *world, phase trace.Phase, policy admissionregistrationv1.FailurePolicyType, seconds int32) (wrong []string) {
	e := w.env(t, c)
	hook := c.webhook(e)
	hook.FailurePolicy = &policy
	if c.slow {
		hook.TimeoutSeconds = &seconds
	}
	hooks := []admissionregistrationv1.ValidatingWebhook{hook}
	req := c.admission()
	kubeconfig := ""
	if c.kubeconfig != nil {
		kubeconfig = c.kubeconfig(e)
	}

	want := newServer(t, phase, hooks, kubeconfig, e.services).Admit(t.Context(), req)
	wantSeen := e.log.take()
	got := newAdmsim(t, phase, hooks, kubeconfig, e.services).Admit(t.Context(), req)
	gotSeen := e.log.take()

	if c.unseen != (len(wantSeen) == 0) {
		wrong = append(wrong, fmt.Sprintf("the server sent %d requests to the webhook", len(wantSeen)))
	}
	if diff := cmp.Diff(wantSeen, gotSeen); diff != "" {
		wrong = append(wrong, "what the webhook sees (-server +admsim):\n"+diff)
	}
	if diff := cmp.Diff(want.normalized(t), got.normalized(t)); diff != "" {
		wrong = append(wrong, "verdict (-server +admsim):\n"+diff)
	}
	return wrong
}

// Values that differ between runs: ports, UIDs, times.
var (
	anyPort   = regexp.MustCompile(`(127\.0\.0\.1|localhost|\[::1\]):\d+`)
	anyUID    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	anyMoment = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	anyStream = regexp.MustCompile(`stream ID \d+`)

	// Since 1.37 the server's client chooses an endpoint of a service itself (WebhookRoundTripLoadBalancing), and the
	// address of the endpoint appears in this one error.
	endpoint = regexp.MustCompile(`https://127\.0\.0\.1:port(/[^"]*": failed to parse Location header)`)
)

func normalized(text string) string {
	text = anyPort.ReplaceAllString(text, "$1:port")
	text = endpoint.ReplaceAllString(text, "https://hook.shop.svc:443$1")
	text = anyUID.ReplaceAllString(text, "uid")
	text = anyMoment.ReplaceAllString(text, "moment")
	return anyStream.ReplaceAllString(text, "stream ID n")
}

// normalized returns the verdict as generic JSON.
func (v verdict) normalized(t *testing.T) any {
	t.Helper()
	if v.Denial != nil {
		v.Denial.TypeMeta, v.Denial.ListMeta = metav1.TypeMeta{}, metav1.ListMeta{}
	}
	if v.Object != nil {
		v.Object = v.Object.DeepCopyObject()
		v.Object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var generic any
	if err := json.Unmarshal([]byte(normalized(string(text))), &generic); err != nil {
		t.Fatal(err)
	}
	return generic
}

// admsim is the simulator with only the two plugins that call webhooks. The webhooks are in one phase or, if that is
// empty, in both.
type admsim struct{ *simulator.Simulator }

func newAdmsim(t testing.TB, phase trace.Phase, webhooks []admissionregistrationv1.ValidatingWebhook, kubeconfig string, services addresses) admsim {
	t.Helper()
	credentials := map[trace.Phase]*dispatch.Credentials{}
	if kubeconfig != "" {
		parsed, err := dispatch.ParseKubeconfig([]byte(kubeconfig), "/nowhere/kubeconfig")
		if err != nil {
			t.Fatal(err)
		}
		credentials[phase] = parsed
	}
	client := dispatch.NewClient(dispatch.AllowNetwork(), dispatch.ClientOptions{Services: services, Credentials: credentials, Now: time.Now})
	t.Cleanup(client.Close)
	return newAdmsimWith(t, phase, webhooks, client)
}

// newAdmsimWith returns the simulator with webhooks that the backend answers for.
func newAdmsimWith(t testing.TB, phase trace.Phase, webhooks []admissionregistrationv1.ValidatingWebhook, backend dispatch.Backend) admsim {
	t.Helper()
	state := simulator.Bootstrap().With(cluster.Object{Object: namespace()})
	for _, p := range []trace.Phase{trace.Mutating, trace.Validating} {
		if phase == p || phase == "" {
			state = state.With(cluster.Object{Object: configuration(p, webhooks)})
		}
	}
	sim, err := simulator.New(simulator.Options{
		Release:  newest(t),
		State:    state,
		Plugins:  onlyWebhooks(t),
		Backends: func(string, string) dispatch.Backend { return backend },
	})
	if err != nil {
		t.Fatal(err)
	}
	return admsim{sim}
}

func onlyWebhooks(t testing.TB) simulator.Plugins {
	return only(t, "MutatingAdmissionWebhook", "ValidatingAdmissionWebhook")
}

// newest returns the release of the packages that admsim is compared with.
func newest(t testing.TB) *kubeversion.Release {
	t.Helper()
	r, err := kubeversion.Parse(kubeversion.Versions()[0])
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// only disables all other plugins.
func only(t testing.TB, names ...string) simulator.Plugins {
	t.Helper()
	chain, err := newest(t).Chain(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var others []string
	for _, p := range chain {
		if !slices.Contains(names, p.Name) {
			others = append(others, p.Name)
		}
	}
	return simulator.Plugins{Disable: others}
}

// Admit returns admsim's verdict on a request.
func (a admsim) Admit(ctx context.Context, req admission.Request) verdict {
	result, err := a.Simulator.Admit(ctx, req)
	if err != nil {
		return verdict{Warnings: []string{"admsim: " + err.Error()}}
	}
	v := verdict{Warnings: result.Warnings, Annotations: result.AuditAnnotations, Object: result.Object}
	if status := result.Status(); status != nil {
		v.Object, v.Denial = nil, status
	}
	if req.Object == nil {
		v.Object = nil // the server answers with a Status
	}
	return v
}

// A seen is a request as a webhook saw it.
type seen struct {
	Method, Host, URI, Proto string
	Header                   http.Header
	Body                     string
	Client                   string // name in the client's certificate
	ServerName               string
}

// A requestLog records the requests that a webhook saw.
type requestLog struct {
	mu  sync.Mutex
	all []seen
}

// note records a request, returns how many came before it, and leaves its body readable.
func (l *requestLog) note(r *http.Request) (number int) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		body = []byte(err.Error())
	}
	r.Body = reread(body)
	s := seen{
		Method: r.Method, Host: normalized(r.Host), URI: r.RequestURI, Proto: r.Proto,
		Header: r.Header.Clone(), Body: normalized(string(body)), ServerName: r.TLS.ServerName,
	}
	if len(r.TLS.PeerCertificates) > 0 {
		s.Client = r.TLS.PeerCertificates[0].Subject.CommonName
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, s)
	return len(l.all) - 1
}

func (l *requestLog) take() []seen {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.all
	l.all = nil
	return all
}

// A world holds what all cases share.
type world struct {
	authority, stranger *webhooktest.Authority
}

func newWorld(t *testing.T) *world {
	return &world{authority: webhooktest.NewAuthority(t), stranger: webhooktest.NewAuthority(t)}
}

// An env is the environment of a case: a webhook and its address.
type env struct {
	*world
	t        testing.TB
	log      *requestLog
	address  string // host:port of the webhook
	services addresses
}

const serviceName = "hook.shop.svc"

func (w *world) env(t testing.TB, c testCase) *env {
	t.Helper()
	e := &env{world: w, t: t, log: &requestLog{}}
	names := c.names
	if names == nil {
		names = []string{serviceName, "127.0.0.1", "localhost", "kubernetes.shop.svc"}
	}
	expires := time.Hour
	if c.expired {
		expires = -time.Minute
	}
	answer := c.answer
	if answer == nil {
		answer = allowing
	}
	if c.nobody {
		e.address = webhooktest.Nobody(t)
	} else {
		e.address = webhooktest.Serve(t, w.authority.Certificate(expires, names...), http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			answer(rw, r, e.log.note(r))
		})).Address
	}
	e.services = addresses{"shop/hook:443": e.address, "shop/hook:8443": e.address, "shop/kubernetes:443": e.address}
	return e
}

// webhook returns the webhook of a case.
func (c testCase) webhook(e *env) admissionregistrationv1.ValidatingWebhook {
	h := admissionregistrationv1.ValidatingWebhook{
		Name:                    "h.shop.example",
		AdmissionReviewVersions: []string{"v1", "v1beta1"},
		Rules: []admissionregistrationv1.RuleWithOperations{{
			Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.OperationAll},
			Rule:       admissionregistrationv1.Rule{APIGroups: []string{"*"}, APIVersions: []string{"*"}, Resources: []string{"*/*"}},
		}},
		MatchPolicy:       new(admissionregistrationv1.Exact),
		NamespaceSelector: &metav1.LabelSelector{},
		ObjectSelector:    &metav1.LabelSelector{},
		SideEffects:       new(admissionregistrationv1.SideEffectClassNone),
		TimeoutSeconds:    new(int32(10)),
		ClientConfig:      e.service("/review", 443),
	}
	if c.client != nil {
		h.ClientConfig = c.client(e)
	}
	if c.hook != nil {
		c.hook(&h)
	}
	return h
}

// service and url return client configurations.
func (e *env) service(path string, port int32) admissionregistrationv1.WebhookClientConfig {
	return admissionregistrationv1.WebhookClientConfig{
		Service:  &admissionregistrationv1.ServiceReference{Namespace: "shop", Name: "hook", Path: &path, Port: &port},
		CABundle: e.authority.Bundle,
	}
}

func (e *env) url(u string) admissionregistrationv1.WebhookClientConfig {
	return admissionregistrationv1.WebhookClientConfig{URL: &u, CABundle: e.authority.Bundle}
}

// admission returns the request of a case: the creation of a ConfigMap unless the case says otherwise.
func (c testCase) admission() admission.Request {
	r := admission.Request{
		Operation: "CREATE",
		Resource:  schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
		Kind:      schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"},
		Namespace: "shop", Name: "settings",
		Object: &corev1.ConfigMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "settings", Labels: map[string]string{"app": "shop"}},
			Data:       map[string]string{"colour": "<blue> & 'green' \u2028"},
		},
		Options: &metav1.CreateOptions{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "CreateOptions"}, FieldManager: "kubectl"},
	}
	r.User.Username, r.User.Groups = "alice", []string{"shop", "system:authenticated"}
	if c.request != nil {
		c.request(&r)
	}
	return r
}
