package differential

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/webhooktest"
	"github.com/admsim/admsim/pkg/admission"
)

// A testCase is one call. testCase.webhook and testCase.admission supply what it leaves open.
type testCase struct {
	name, rule string

	client     func(e *env) admissionregistrationv1.WebhookClientConfig
	hook       func(h *admissionregistrationv1.ValidatingWebhook)
	request    func(r *admission.Request)
	kubeconfig func(e *env) string
	answer     answer

	names   []string // of the webhook's certificate
	expired bool     // the certificate has expired
	nobody  bool     // nothing listens
	unseen  bool     // the webhook receives no request
	slow    bool     // the call takes its whole second
}

// An answer answers the n-th request to a webhook.
type answer func(w http.ResponseWriter, r *http.Request, n int)

func cases() []testCase {
	var all []testCase
	for _, some := range [][]testCase{places(), certificates(), reviews(), redirects(), retries(), credentials(), answers(), faults()} {
		all = append(all, some...)
	}
	return all
}

func at(path string) func(*env) admissionregistrationv1.WebhookClientConfig {
	return func(e *env) admissionregistrationv1.WebhookClientConfig { return e.url("https://" + e.address + path) }
}

func service(path string) func(*env) admissionregistrationv1.WebhookClientConfig {
	return func(e *env) admissionregistrationv1.WebhookClientConfig { return e.service(path, 443) }
}

func places() []testCase {
	type config = admissionregistrationv1.WebhookClientConfig
	localhost := func(path string) func(*env) config {
		return func(e *env) config {
			return e.url("https://" + strings.Replace(e.address, "127.0.0.1", "localhost", 1) + path)
		}
	}
	return []testCase{
		{name: "service", rule: "W-143"},
		{name: "service without path and port", rule: "W-143", client: func(e *env) config {
			c := e.service("", 0)
			c.Service.Path, c.Service.Port = nil, nil
			return c
		}},
		{name: "service, port 0", rule: "W-143", client: func(e *env) config { return e.service("/", 0) }},
		{name: "service, another port", rule: "W-143", client: func(e *env) config { return e.service("/x/", 8443) }},
		{name: "service, dots and slashes", rule: "W-146", client: service("/a//b/../c/./d")},
		{name: "service, path without slash", rule: "W-146", client: service("a")},
		{name: "service, escapes", rule: "W-146", client: service("/a%20b%2Fc")},
		{name: "service, a query in the path", rule: "W-146", client: service("/a?b=c")},
		{name: "url", rule: "W-145", client: at("/review")},
		{name: "url, localhost", rule: "W-149", client: localhost("/review")},
		{name: "url without path", rule: "W-146", client: at("")},
		{name: "url, slash", rule: "W-146", client: at("/")},
		{name: "url, last slash", rule: "W-146", client: at("/a/b/")},
		{name: "url, dots and slashes", rule: "W-146", client: at("/a//b/../c/./d")},
		{name: "url, above the root", rule: "W-146", client: at("/../../a")},
		{name: "url, escapes", rule: "W-146", client: at("/a%20b/%7Ec")},
		{name: "url, an escaped slash", rule: "W-146", client: at("/a%2Fb")},
		{name: "url, more than ASCII", rule: "W-146", client: at("/héllo/wörld")},
		{name: "url, a query", rule: "W-147", client: at("/a?timeout=5m&b=c")},
		{name: "url, a fragment", rule: "W-147", client: at("/a#b")},
		{name: "url, a user", rule: "W-145", client: func(e *env) config { return e.url("https://me:secret@" + e.address + "/a") }},
		{name: "url, plain HTTP", rule: "W-145", unseen: true, client: func(e *env) config { return e.url("http://" + e.address + "/a") }},
		{name: "url, no URL", rule: "W-155", unseen: true, client: func(e *env) config { return e.url("https://h.example:port") }},
		{name: "nowhere", rule: "W-155", unseen: true, client: func(*env) config { return config{} }},
	}
}

func certificates() []testCase {
	bundle := func(of func(e *env) []byte) func(*env) admissionregistrationv1.WebhookClientConfig {
		return func(e *env) admissionregistrationv1.WebhookClientConfig {
			c := e.service("/review", 443)
			c.CABundle = of(e)
			return c
		}
	}
	return []testCase{
		{name: "another authority", rule: "W-148", unseen: true, client: bundle(func(e *env) []byte { return e.stranger.Bundle })},
		{name: "system roots", rule: "W-148", unseen: true, client: bundle(func(*env) []byte { return nil })},
		{name: "two authorities", rule: "W-148", client: bundle(func(e *env) []byte { return append(bytes.Clone(e.stranger.Bundle), e.authority.Bundle...) })},
		{name: "bundle is no PEM", rule: "W-155", unseen: true, client: bundle(func(*env) []byte { return []byte("none") })},
		{name: "bundle holds no certificate", rule: "W-155", unseen: true, client: bundle(func(*env) []byte { return []byte("-----BEGIN X-----\n-----END X-----\n") })},
		{name: "certificate of another name", rule: "W-143", unseen: true, names: []string{"other.shop.svc"}},
		{name: "certificate of another address", rule: "W-145", unseen: true, names: []string{"10.0.0.1"}, client: at("/review")},
		{name: "certificate of a cluster domain", rule: "W-143", unseen: true, names: []string{"hook.shop.svc.cluster.local"}},
		{name: "certificate for any service", rule: "W-143", names: []string{"*.shop.svc"}},
		{name: "expired certificate", rule: "W-148", unseen: true, expired: true},
	}
}

func reviews() []testCase {
	type hook = admissionregistrationv1.ValidatingWebhook
	versions := func(v ...string) func(*hook) { return func(h *hook) { h.AdmissionReviewVersions = v } }
	configMap := func(r *admission.Request) *corev1.ConfigMap { return r.Object.(*corev1.ConfigMap) }
	return []testCase{
		{name: "v1", rule: "W-130", hook: versions("v1")},
		{name: "v1beta1", rule: "W-130", hook: versions("v1beta1")},
		{name: "v1beta1 first", rule: "W-130", hook: versions("v1beta1", "v1")},
		{name: "unknown version first", rule: "W-130", hook: versions("v3", "v1beta1")},
		{name: "no known version", rule: "W-130", hook: versions("v3"), unseen: true},
		{name: "no limit of its own", rule: "W-158", hook: func(h *hook) { h.TimeoutSeconds = nil }},
		{name: "30 seconds", rule: "W-158", hook: func(h *hook) { h.TimeoutSeconds = new(int32(30)) }},
		{name: "update", rule: "W-136", request: func(r *admission.Request) {
			r.Operation, r.OldObject = "UPDATE", configMap(r).DeepCopy()
			r.Options = &metav1.UpdateOptions{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "UpdateOptions"}, FieldValidation: "Strict"}
			configMap(r).Data = nil
		}},
		{name: "delete", rule: "W-136", request: func(r *admission.Request) {
			r.Operation, r.Object, r.OldObject = "DELETE", nil, configMap(r)
			r.Options = &metav1.DeleteOptions{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "DeleteOptions"}, GracePeriodSeconds: new(int64(3))}
		}},
		{name: "delete collection", rule: "W-019", request: func(r *admission.Request) {
			r.Operation, r.Name, r.Object, r.OldObject = "DELETE", "", nil, configMap(r)
			r.Options = &metav1.DeleteOptions{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "DeleteOptions"}}
		}},
		{name: "generated name", rule: "W-141", request: func(r *admission.Request) {
			r.Name, configMap(r).Name, configMap(r).GenerateName = "", "", "settings-"
		}},
		{name: "connect", rule: "W-136", request: func(r *admission.Request) {
			r.Operation, r.Subresource, r.Options = "CONNECT", "exec", nil
			r.Resource.Resource, r.Kind.Kind = "pods", "PodExecOptions"
			r.Object = &corev1.PodExecOptions{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodExecOptions"}, Stdin: true, Command: []string{"sh", "-c", "true"}}
		}},
		{name: "scale", rule: "W-135", request: func(r *admission.Request) {
			r.Operation, r.Subresource = "UPDATE", "scale"
			r.Resource = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
			r.Kind = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}
			scale := &autoscalingv1.Scale{TypeMeta: metav1.TypeMeta{APIVersion: "autoscaling/v1", Kind: "Scale"}, ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}}
			r.Name, r.OldObject, r.Object = "web", scale, scale.DeepCopy()
			r.Object.(*autoscalingv1.Scale).Spec.Replicas = 3
			r.Options = &metav1.UpdateOptions{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "UpdateOptions"}}
		}},
		{name: "status", rule: "W-133", request: func(r *admission.Request) {
			r.Operation, r.Subresource = "UPDATE", "status"
			r.Resource = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
			r.Kind = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
			deployment := &appsv1.Deployment{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}, ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}}
			r.Name, r.OldObject, r.Object = "web", deployment, deployment.DeepCopy()
			r.Options = &metav1.UpdateOptions{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "UpdateOptions"}}
		}},
		{name: "cluster-scoped", rule: "W-133", request: func(r *admission.Request) {
			r.Resource.Resource, r.Kind.Kind, r.Namespace, r.Name = "nodes", "Node", "", "n1"
			r.Object = &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
		}},
		{name: "all user fields", rule: "W-140", request: func(r *admission.Request) {
			r.User = authenticationv1.UserInfo{Username: "system:serviceaccount:shop:cart", UID: "u-1", Groups: []string{"a", "b"}, Extra: map[string]authenticationv1.ExtraValue{"k/2": {"x", "y"}, "k/1": {"z"}}}
		}},
		{name: "no user", rule: "W-133", request: func(r *admission.Request) { r.User = authenticationv1.UserInfo{} }},
		{name: "dry run", rule: "W-191", request: func(r *admission.Request) {
			r.DryRun = true
			r.Options.(*metav1.CreateOptions).DryRun = []string{"All"}
		}},
		{name: "dry run with side effects", rule: "W-192", unseen: true,
			hook:    func(h *hook) { h.SideEffects = new(admissionregistrationv1.SideEffectClassSome) },
			request: func(r *admission.Request) { r.DryRun = true }},
		{name: "dry run, side effects unknown to the server", rule: "W-193", unseen: true,
			hook:    func(h *hook) { h.SideEffects = nil },
			request: func(r *admission.Request) { r.DryRun = true }},
	}
}

func redirects() []testCase {
	to := func(status int, location string) answer {
		return func(w http.ResponseWriter, r *http.Request, n int) {
			if n > 0 {
				allowing(w, r, n)
				return
			}
			w.Header().Set("Location", location)
			w.WriteHeader(status)
		}
	}
	return []testCase{
		{name: "301", rule: "W-151", answer: to(301, "/there")},
		{name: "302", rule: "W-151", answer: to(302, "/there")},
		{name: "303", rule: "W-151", answer: to(303, "/there?x=y")},
		{name: "307", rule: "W-151", answer: to(307, "/there")},
		{name: "308", rule: "W-151", answer: to(308, "there")},
		{name: "307 over HTTP/2", rule: "W-151", client: at("/a/b"), answer: to(307, "../there")},
		{name: "307 with credentials", rule: "W-151", answer: to(307, "/there"), kubeconfig: userIs("*", "token: secret")},
		{name: "307 to nowhere", rule: "W-151", answer: to(307, "https://127.0.0.1:1/there")},
		{name: "307 to no URL", rule: "W-151", answer: to(307, "https://h.example:port")},
		{name: "302 without a location", rule: "W-151", answer: func(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(302) }},
		{name: "304", rule: "W-165", answer: func(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(304) }},
		{name: "redirect loop", rule: "W-151", answer: func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Header().Set("Location", "/review")
			w.WriteHeader(307)
		}},
	}
}

func retries() []testCase {
	later := func(status int, after string, times int) answer {
		return func(w http.ResponseWriter, r *http.Request, n int) {
			if n >= times {
				allowing(w, r, n)
				return
			}
			w.Header().Set("Retry-After", after)
			http.Error(w, "later", status)
		}
	}
	return []testCase{
		{name: "503 twice", rule: "W-162", answer: later(503, "0", 2)},
		{name: "429 once", rule: "W-162", answer: later(429, "0", 1)},
		{name: "599 once", rule: "W-162", answer: later(599, "0", 1)},
		{name: "503, a second later", rule: "W-162", answer: later(503, "1", 1)},
		{name: "503 over HTTP/2", rule: "W-162", client: at("/"), answer: later(503, "0", 1)},
		{name: "503 forever", rule: "W-162", answer: later(503, "0", 99)},
		{name: "503, a negative time", rule: "W-162", answer: later(503, "-1", 1)},
		{name: "503 until a date", rule: "W-162", answer: later(503, "Fri, 31 Dec 1999 23:59:59 GMT", 1)},
		{name: "404 with a time", rule: "W-162", answer: later(404, "0", 1)},
		{name: "200 with a time", rule: "W-162", answer: func(w http.ResponseWriter, r *http.Request, n int) {
			w.Header().Set("Retry-After", "0")
			allowing(w, r, n)
		}},
		{name: "503, its body cut short", rule: "W-162", answer: func(w http.ResponseWriter, r *http.Request, n int) {
			if n > 0 {
				allowing(w, r, n)
				return
			}
			w.Header().Set("Retry-After", "0")
			w.Header().Set("Content-Length", "100")
			w.WriteHeader(503)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}},
		{name: "503, its body endless", rule: "W-162", slow: true, answer: func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(503)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}},
		{name: "503 until the timeout", rule: "W-162", slow: true, answer: later(503, "5", 1)},
		{name: "503, then nothing", rule: "W-162", slow: true, answer: func(w http.ResponseWriter, r *http.Request, n int) {
			if n == 0 {
				later(503, "0", 1)(w, r, n)
				return
			}
			<-r.Context().Done()
		}},
	}
}

// userIs returns a kubeconfig with one user.
func userIs(name, is string) func(*env) string {
	return func(e *env) string {
		name := strings.ReplaceAll(name, "$address", e.address)
		return fmt.Sprintf("apiVersion: v1\nkind: Config\nusers:\n- name: %q\n  user: {%s}\n", name, is)
	}
}

func credentials() []testCase {
	const token = "token: secret"
	certified := func(name string) func(*env) string {
		return func(e *env) string {
			cert, key := e.authority.Sign(time.Hour, "apiserver")
			return userIs(name, fmt.Sprintf("client-certificate-data: %s, client-key-data: %s",
				base64.StdEncoding.EncodeToString(cert), base64.StdEncoding.EncodeToString(key)))(e)
		}
	}
	return []testCase{
		{name: "token of the service", rule: "W-153", kubeconfig: userIs("hook.shop.svc:443", token)},
		{name: "token of the service without port", rule: "W-153", kubeconfig: userIs("hook.shop.svc", token)},
		{name: "token of another port", rule: "W-153", kubeconfig: userIs("hook.shop.svc:8443", token)},
		{name: "token of the namespace", rule: "W-153", kubeconfig: userIs("*.shop.svc", token)},
		{name: "token of the namespace with port", rule: "W-153", kubeconfig: userIs("*.shop.svc:443", token)},
		{name: "token of services", rule: "W-153", kubeconfig: userIs("*.svc", token)},
		{name: "token of services with another port", rule: "W-153", kubeconfig: userIs("*.svc:8443", token)},
		{name: "token of another namespace", rule: "W-153", kubeconfig: userIs("*.other.svc", token)},
		{name: "token of all", rule: "W-153", kubeconfig: userIs("*", token)},
		{name: "token of the URL", rule: "W-153", client: at("/"), kubeconfig: userIs("$address", token)},
		{name: "token of some addresses", rule: "W-153", client: at("/"), kubeconfig: func(e *env) string {
			_, rest, _ := strings.Cut(e.address, ".")
			return userIs("*."+rest, token)(e)
		}},
		{name: "the closest of several", rule: "W-153", kubeconfig: func(*env) string {
			return "users:\n- {name: '*', user: {token: far}}\n- {name: '*.svc:443', user: {token: near}}\n- {name: hook.shop.svc, user: {token: exact}}\n"
		}},
		{name: "token of the current context", rule: "W-153", kubeconfig: func(*env) string {
			return "current-context: c\ncontexts:\n- {name: c, context: {user: me, cluster: gone}}\nusers:\n- {name: me, user: {token: mine}}\n"
		}},
		{name: "token of another context", rule: "W-153", kubeconfig: func(*env) string {
			return "current-context: d\ncontexts:\n- {name: c, context: {user: me}}\nusers:\n- {name: me, user: {token: mine}}\n"
		}},
		{name: "password", rule: "W-153", kubeconfig: userIs("*", "username: me, password: 'p:w'")},
		{name: "password and token", rule: "W-155", unseen: true, kubeconfig: userIs("*", "username: me, password: p, token: t")},
		{name: "impersonation", rule: "W-153", kubeconfig: userIs("*", "token: t, as: bob, as-uid: '7', as-groups: [a, b], as-user-extra: {k: [v]}")},
		{name: "client certificate", rule: "W-153", kubeconfig: certified("*")},
		{name: "client certificate over HTTP/2", rule: "W-153", client: at("/"), kubeconfig: certified("$address")},
		{name: "client certificate without key", rule: "W-153", kubeconfig: userIs("*", "client-certificate-data: bm9uZQ==")},
		{name: "no client certificate", rule: "W-155", unseen: true, kubeconfig: userIs("*", "client-certificate-data: bm9uZQ==, client-key-data: bm9uZQ==")},
		{name: "no token file", rule: "W-155", unseen: true, kubeconfig: userIs("*", "tokenFile: /none/at/all")},
		{name: "no certificate file", rule: "W-155", unseen: true, kubeconfig: userIs("*", "client-certificate: /none/cert, client-key: /none/key")},
		{name: "auth provider", rule: "W-153", unseen: true, kubeconfig: userIs("*", "auth-provider: {name: oidc}")},
	}
}

func allowing(w http.ResponseWriter, r *http.Request, _ int) { respond(w, r, `"allowed":true`) }

// respond sends a response with the UID of the review and these fields.
func respond(w http.ResponseWriter, r *http.Request, members string) {
	var review admissionv1.AdmissionReview
	_ = json.NewDecoder(r.Body).Decode(&review)
	uid := "none"
	if review.Request != nil {
		uid = string(review.Request.UID)
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	_, _ = fmt.Fprintf(w, `{"apiVersion":%q,"kind":"AdmissionReview","response":{"uid":%q,%s}}`, review.APIVersion, uid, members)
}

// patching returns the fields of a response with a JSON patch.
func patching(patch string) string {
	return `"allowed":true,"patchType":"JSONPatch","patch":"` + base64.StdEncoding.EncodeToString([]byte(patch)) + `"`
}

func reread(body []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(body)) }

func answers() []testCase {
	status := func(code int, contentType, body string) answer {
		return func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Header()["Content-Type"] = nil
			if contentType != "" {
				w.Header().Set("Content-Type", contentType)
			}
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	response := func(members string) answer {
		return func(w http.ResponseWriter, r *http.Request, _ int) { respond(w, r, members) }
	}
	typed := func(contentType string) answer {
		return func(w http.ResponseWriter, r *http.Request, n int) {
			w.Header().Set("Content-Type", contentType)
			allowing(w, r, n)
		}
	}
	const failure = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"own words","code":418}`
	all := []testCase{
		{name: "denied", rule: "W-179", answer: response(`"allowed":false,"status":{"message":"no","code":402}`)},
		{name: "denied with details", rule: "W-179", answer: response(`"allowed":false,"status":{"message":"no","code":422,"reason":"Invalid","details":{"name":"n","causes":[{"field":"f","message":"m"}]}}`)},
		{name: "denied, for no reason", rule: "W-182", answer: response(`"allowed":false`)},
		{name: "warnings and annotations", rule: "W-178", answer: response(`"allowed":true,"warnings":["careful"],"auditAnnotations":{"k":"v"}`)},
		{name: "warnings of a denial", rule: "W-178", answer: response(`"allowed":false,"warnings":["careful"],"auditAnnotations":{"k":"v"}`)},
		{name: "patch", rule: "W-200", answer: response(patching(`[{"op":"add","path":"/metadata/labels/new","value":"yes"}]`))},
		{name: "patch of what is missing", rule: "W-209", answer: response(patching(`[{"op":"remove","path":"/metadata/labels/none"}]`))},
		{name: "patch that removes the whole object", rule: "W-190", answer: response(patching(`[{"op":"replace","path":""}]`))},
		{name: "test of a list with null", rule: "W-190", answer: response(patching(`[{"op":"add","path":"/l","value":[null]},{"op":"test","path":"/l","value":[null]}]`))},
		{name: "patch of nothing", rule: "W-204", answer: response(`"allowed":true,"patchType":"JSONPatch","patch":"W10="`)},
		{name: "another uid", rule: "W-171", answer: status(200, "application/json", `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"other","allowed":true}}`)},
		{name: "type with parameters", rule: "W-164", answer: typed("application/json; charset=utf-8")},
		{name: "type of YAML", rule: "W-164", answer: typed("application/yaml")},
		{name: "type of text", rule: "W-164", answer: typed("text/plain")},
		{name: "type of protobuf", rule: "W-164", answer: typed("application/vnd.kubernetes.protobuf")},
		{name: "invalid type", rule: "W-164", answer: typed("/")},
		{name: "YAML", rule: "W-164", answer: status(200, "application/json", "response: {allowed: true}")},
		{name: "no type", rule: "W-164", answer: status(200, "", `{"response":{"allowed":true}}`)},
		{name: "compressed", rule: "W-142", answer: func(w http.ResponseWriter, r *http.Request, n int) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			allowing(compressed{w, z}, r, n)
			_ = z.Close()
		}},
		{name: "a Status", rule: "W-166", answer: status(500, "application/json", failure)},
		{name: "a Status as success", rule: "W-167", answer: status(200, "application/json", failure)},
	}
	for _, code := range []int{201, 206, 207, 400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 418, 422, 429, 500, 502, 503, 504, 600} {
		all = append(all,
			testCase{name: fmt.Sprint(code, " of text"), rule: "W-165", answer: status(code, "text/plain", " some text\n")},
			testCase{name: fmt.Sprint(code, " of JSON"), rule: "W-165", answer: status(code, "application/json", `{"some":"JSON"}`)})
	}
	return all
}

type compressed struct {
	http.ResponseWriter
	to io.Writer
}

func (c compressed) Write(b []byte) (int, error) { return c.to.Write(b) }

func faults() []testCase {
	all := []testCase{
		{name: "refused", rule: "W-159", nobody: true, unseen: true},
		{name: "refused, by URL", rule: "W-159", nobody: true, unseen: true, client: at("/review")},
	}
	for name, handler := range webhooktest.Faults(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { allowing(w, r, 0) })) {
		if name == "endless body" {
			continue // the server's plugin buffers everything until the timeout, which needs more memory than a test has
		}
		does := func(w http.ResponseWriter, r *http.Request, _ int) { handler.ServeHTTP(w, r) }
		slow := webhooktest.LastsToTheDeadline(name)
		all = append(all,
			testCase{name: name, rule: "W-159", answer: does, slow: slow},
			testCase{name: name + " over HTTP/2", rule: "W-159", answer: does, slow: slow, client: at("/review")})
	}
	return all
}
