package differential

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	upstream "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/client-go/discovery"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/openapi/openapitest"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/simulator"
)

// A policyServer is the part of kube-apiserver that evaluates admission policies.
type policyServer struct {
	mutating   *mutating.Plugin
	validating *validating.Plugin
}

// published makes a clientset publish the schemas by which apply configurations are merged.
type published struct{ kubernetes.Interface }

func (p published) Discovery() discovery.DiscoveryInterfaces {
	return publishedSchemas{p.Interface.Discovery()}
}

type publishedSchemas struct{ discovery.DiscoveryInterfaces }

func (publishedSchemas) OpenAPIV3() openapi.Client { return openapitest.NewEmbeddedFileClient() }

// nobodyMay is an authorizer that allows nothing, like admsim's in a cluster without roles.
func nobodyMay(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionNoOpinion, "", nil
}

func newPolicyServer(t testing.TB, objects ...runtime.Object) *policyServer {
	t.Helper()
	clientset := fake.NewClientset(append(objects, namespace())...)
	factory := informers.NewSharedInformerFactory(clientset, 0)
	stop := make(chan struct{})
	t.Cleanup(func() {
		close(stop)
		factory.Shutdown()
	})
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, meta.RESTScopeNamespace)
	mapper.Add(schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, meta.RESTScopeRoot)

	s := &policyServer{}
	var err error
	if s.mutating, err = mutating.NewPlugin(nil); err != nil {
		t.Fatal(err)
	}
	if s.validating, err = validating.NewPlugin(nil); err != nil {
		t.Fatal(err)
	}
	s.mutating.SetEnabled(true)
	type plugin interface {
		SetExternalKubeClientSet(kubernetes.Interface)
		SetExternalKubeInformerFactory(informers.SharedInformerFactory)
		SetRESTMapper(meta.RESTMapper)
		SetDrainedNotification(<-chan struct{})
		SetUnconditionalAuthorizer(authorizer.UnconditionalAuthorizer)
		ValidateInitialization() error
		WaitForReady() bool
	}
	dynamic := dynamicfake.NewSimpleDynamicClient(clientgoscheme.Scheme)
	s.mutating.SetDynamicClient(dynamic)
	s.validating.SetDynamicClient(dynamic)
	for _, p := range []plugin{s.mutating, s.validating} {
		p.SetExternalKubeClientSet(published{clientset})
		p.SetExternalKubeInformerFactory(factory)
		p.SetRESTMapper(mapper)
		p.SetDrainedNotification(stop)
		p.SetUnconditionalAuthorizer(authorizer.AuthorizerFunc(nobodyMay))
		if err := p.ValidateInitialization(); err != nil {
			t.Fatal(err)
		}
	}
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	for _, p := range []plugin{s.mutating, s.validating} {
		if !ready(p.WaitForReady) {
			t.Fatal("the server's plugin is not ready")
		}
	}
	return s
}

// Admit returns the server's verdict on a request. It retries while the server has not loaded the schemas for merging
// yet.
func (s *policyServer) Admit(ctx context.Context, req admission.Request) verdict {
	for {
		v := s.admit(ctx, req)
		if v.Denial == nil || v.Denial.Code != http.StatusServiceUnavailable || ctx.Err() != nil {
			return v
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// admit runs the mutating policies, again if one of them asks for it, and then the validating ones.
func (s *policyServer) admit(ctx context.Context, req admission.Request) verdict {
	attributes := attributesOf(req)
	warned := &warnings{}
	ctx = warning.WithWarningRecorder(ctx, warned)
	interfaces := upstream.NewObjectInterfacesFromScheme(clientgoscheme.Scheme)
	err := recovered(func() (err error) {
		if s.mutating.Handles(upstream.Operation(req.Operation)) {
			if err = s.mutating.Admit(ctx, attributes, interfaces); err == nil && attributes.GetReinvocationContext().ShouldReinvoke() {
				attributes.GetReinvocationContext().SetIsReinvoke()
				err = s.mutating.Admit(ctx, attributes, interfaces)
			}
		}
		if err == nil {
			err = s.validating.Validate(ctx, attributes, interfaces)
		}
		return err
	})
	v := verdict{Annotations: attributes.annotations, Object: attributes.GetObject()}
	for _, text := range warned.texts {
		if _, err := utilnet.NewWarningHeader(299, "-", text); err == nil && !slices.Contains(v.Warnings, text) {
			v.Warnings = append(v.Warnings, text)
		}
	}
	if err != nil {
		v.Object, v.Denial = nil, statusOf(err)
	}
	return v
}

// newPolicyAdmsim returns the simulator with only the two plugins that evaluate policies.
func newPolicyAdmsim(t testing.TB, objects ...runtime.Object) admsim {
	t.Helper()
	state := cluster.New().With(cluster.Object{Object: namespace()})
	for _, o := range objects {
		state = state.With(cluster.Object{Object: o})
	}
	sim, err := simulator.New(simulator.Options{Release: newest(t), State: state, Plugins: only(t, "MutatingAdmissionPolicy", "ValidatingAdmissionPolicy")})
	if err != nil {
		t.Fatal(err)
	}
	return admsim{sim}
}
