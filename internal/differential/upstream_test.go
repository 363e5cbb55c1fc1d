package differential

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	upstream "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/admsim/admsim/internal/objects/admissionregistration"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

// requestLimit is the time limit of a request (W-156).
const requestLimit = 34 * time.Second

// addresses resolves services for the server's client.
type addresses map[string]string

func (a addresses) ResolveEndpoint(namespace, name string, port int32) (*url.URL, error) {
	key := fmt.Sprintf("%s/%s:%d", namespace, name, port)
	if address, ok := a[key]; ok {
		return &url.URL{Scheme: "https", Host: address}, nil
	}
	return nil, fmt.Errorf("no such service here: %s", key)
}

// A server is the part of kube-apiserver that calls webhooks of one phase.
type server struct {
	phase      trace.Phase
	mutating   *mutating.Plugin
	validating *validating.Plugin
}

// newServer starts a plugin of the server with one webhook configuration.
func newServer(t testing.TB, phase trace.Phase, webhooks []admissionregistrationv1.ValidatingWebhook, kubeconfig string, services addresses) *server {
	t.Helper()
	s := &server{phase: phase}
	clientset := fake.NewClientset(namespace(), configuration(phase, webhooks))
	factory := informers.NewSharedInformerFactory(clientset, 0)
	stop := make(chan struct{})
	t.Cleanup(func() {
		close(stop)
		factory.Shutdown()
	})

	var err error
	var generic interface {
		SetExternalKubeClientSet(kubernetes.Interface)
		SetExternalKubeInformerFactory(informers.SharedInformerFactory)
		ValidateInitialization() error
		WaitForReady() bool
	}
	file := configurationFile(t, kubeconfig)
	if phase == trace.Mutating {
		s.mutating, err = mutating.NewMutatingWebhook(file)
		if err == nil {
			s.mutating.SetServiceResolver(services)
		}
		generic = s.mutating
	} else {
		s.validating, err = validating.NewValidatingAdmissionWebhook(file)
		if err == nil {
			s.validating.SetServiceResolver(services)
		}
		generic = s.validating
	}
	if err != nil {
		t.Fatal(err)
	}
	generic.SetExternalKubeClientSet(clientset)
	generic.SetExternalKubeInformerFactory(factory)
	if err := generic.ValidateInitialization(); err != nil {
		t.Fatal(err)
	}
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	if !ready(generic.WaitForReady) {
		t.Fatal("the server's plugin is not ready")
	}
	return s
}

// configurationFile returns the configuration of the plugin, or nil if there is no kubeconfig.
func configurationFile(t testing.TB, kubeconfig string) io.Reader {
	t.Helper()
	if kubeconfig == "" {
		return nil
	}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	return bytes.NewBufferString(`{"apiVersion":"apiserver.config.k8s.io/v1","kind":"WebhookAdmissionConfiguration","kubeConfigFile":"` + file + `"}`)
}

// Admit returns the server's verdict on a request.
func (s *server) Admit(ctx context.Context, req admission.Request) verdict {
	attributes := attributesOf(req)
	warned := &warnings{}
	ctx = warning.WithWarningRecorder(ctx, warned)
	if req.Operation != "CONNECT" {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, requestLimit)
		defer cancel()
	}

	interfaces := upstream.NewObjectInterfacesFromScheme(clientgoscheme.Scheme)
	err := recovered(func() error {
		if s.phase == trace.Mutating {
			return s.mutating.Admit(ctx, attributes, interfaces)
		}
		return s.validating.Validate(ctx, attributes, interfaces)
	})
	v := verdict{Annotations: attributes.annotations, Warnings: warned.texts, Object: attributes.GetObject()}
	if err != nil {
		v.Object, v.Denial = nil, statusOf(err)
	}
	return v
}

// recovered returns the result of f, or the answer of the server's filter if f panics.
func recovered(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = admission.ErrPanicked
		}
	}()
	return f()
}

// statusOf returns the status that the server writes for an error
// (kubernetes/apiserver:pkg/endpoints/handlers/responsewriters/status.go).
func statusOf(err error) *metav1.Status {
	known := apierrors.APIStatus(nil)
	if !errors.As(err, &known) {
		return &metav1.Status{Status: metav1.StatusFailure, Code: 500, Reason: metav1.StatusReasonUnknown, Message: err.Error()}
	}
	status := known.Status()
	if status.Status == "" {
		status.Status = metav1.StatusFailure
	}
	if status.Code == 0 {
		status.Code = 500
	}
	return &status
}

func copyOf(o runtime.Object) runtime.Object {
	if o == nil {
		return nil
	}
	return o.DeepCopyObject()
}

// attributesOf converts a request for the server's plugins.
func attributesOf(req admission.Request) *annotated {
	info := &user.DefaultInfo{Name: req.User.Username, UID: req.User.UID, Groups: req.User.Groups}
	for key, values := range req.User.Extra {
		if info.Extra == nil {
			info.Extra = map[string][]string{}
		}
		info.Extra[key] = values
	}
	return &annotated{
		Attributes: upstream.NewAttributesRecord(copyOf(req.Object), copyOf(req.OldObject), req.Kind, req.Namespace, req.Name,
			req.Resource, req.Subresource, upstream.Operation(req.Operation), copyOf(req.Options), req.DryRun, info),
		annotations: map[string]string{},
	}
}

// annotated attributes make their annotations available to a test.
type annotated struct {
	upstream.Attributes
	mu          sync.Mutex
	annotations map[string]string
}

func (a *annotated) AddAnnotation(key, value string) error {
	if err := a.Attributes.AddAnnotation(key, value); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.annotations[key] = value
	return nil
}

func (a *annotated) AddAnnotationWithLevel(key, value string, level auditinternal.Level) error {
	if err := a.Attributes.AddAnnotationWithLevel(key, value, level); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.annotations[key] = value
	return nil
}

type warnings struct {
	mu    sync.Mutex
	texts []string
}

func (w *warnings) AddWarning(_, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.texts = append(w.texts, text)
}

func namespace() *corev1.Namespace {
	return &corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: "shop", Labels: map[string]string{"team": "a"}},
		Status:     corev1.NamespaceStatus{Phase: corev1.NamespaceActive},
	}
}

// configuration returns a configuration for the phase.
func configuration(phase trace.Phase, webhooks []admissionregistrationv1.ValidatingWebhook) runtime.Object {
	named := metav1.ObjectMeta{Name: "config"}
	if phase == trace.Validating {
		return &admissionregistrationv1.ValidatingWebhookConfiguration{
			TypeMeta:   metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingWebhookConfiguration"},
			ObjectMeta: named, Webhooks: webhooks,
		}
	}
	c := &admissionregistrationv1.MutatingWebhookConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "MutatingWebhookConfiguration"},
		ObjectMeta: named,
	}
	for _, w := range webhooks {
		m := admissionregistration.MutatingForm(w)
		m.ReinvocationPolicy = new(admissionregistrationv1.NeverReinvocationPolicy)
		c.Webhooks = append(c.Webhooks, m)
	}
	return c
}

// ready waits longer than the server's plugins do: their ten seconds are too short under the race detector on a busy
// machine.
func ready(wait func() bool) bool {
	for range 12 {
		if wait() {
			return true
		}
	}
	return false
}
