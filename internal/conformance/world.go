package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/steady"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// world returns the cluster that the first request finds.
func world(ctx context.Context, r *Recording, w webhooks) (*simulator.Simulator, error) {
	sim, err := started(r, w)
	if err != nil {
		return nil, err
	}
	return filled(ctx, r, w, sim)
}

// started returns the server of a recording before anything is created.
func started(r *Recording, w webhooks) (*simulator.Simulator, error) {
	started, err := profileOf(r)
	if err != nil {
		return nil, err
	}
	if !started.authorization.AreGiven() {
		started.authorization.Modes = r.Authorization
	}
	return simulator.New(simulator.Options{
		Release:  started.release,
		Plugins:  started.plugins,
		State:    simulator.BootstrapOf(started.release),
		Backends: w.backends,
		Explain:  true,

		Authorization: started.authorization.Modes,
		Authorizers:   started.authorization.Authorizers,
	})
}

// filled returns the server with the objects and configurations of a recording.
func filled(ctx context.Context, r *Recording, w webhooks, sim *simulator.Simulator) (*simulator.Simulator, error) {
	var err error
	// Definitions come first: the other objects may be of the kinds that they define.
	for _, definitions := range []bool{true, false} {
		if sim, err = withObjects(sim, r.Cluster, definitions); err != nil {
			return nil, err
		}
	}
	for _, raw := range r.Configs {
		if sim, err = create(ctx, sim, w, raw); err != nil {
			return nil, err
		}
	}
	return settled(r, sim)
}

// withObjects adds objects to the cluster without admission.
func withObjects(sim *simulator.Simulator, objects []json.RawMessage, definitions bool) (*simulator.Simulator, error) {
	state := sim.State()
	for i, raw := range objects {
		uid := UID(i)
		object, err := sim.Stored(SelectedBy(raw, uid))
		_, defines := object.(*apiextensionsv1.CustomResourceDefinition)
		if !definitions && err != nil {
			return nil, err
		}
		if err != nil || defines != definitions {
			continue
		}
		m, err := meta.Accessor(object)
		if err != nil {
			return nil, err
		}
		// Recordings have the same UID and version for all objects; on the server each had its own.
		m.SetUID(uid)
		m.SetResourceVersion(fmt.Sprint(1000 + i))
		state = state.With(cluster.Object{Object: object})
	}
	return sim.With(state)
}

// UID returns the UID of the object at an index in a recording's cluster.
func UID(i int) types.UID { return types.UID(fmt.Sprintf("11111111-1111-4111-8111-%012d", i)) }

// A job selects its pods by its own UID, which the server writes into labels.
var controllerUID = regexp.MustCompile(`("(?:batch\.kubernetes\.io/)?controller-uid"\s*:\s*)"` + steady.UID + `"`)

// SelectedBy returns the JSON of a job whose selector and labels have the given UID instead of that in the recording.
func SelectedBy(job []byte, uid types.UID) []byte {
	return controllerUID.ReplaceAll(job, fmt.Appendf(nil, `${1}"%s"`, uid))
}

// create creates a configuration as an administrator.
func create(ctx context.Context, sim *simulator.Simulator, w webhooks, raw json.RawMessage) (*simulator.Simulator, error) {
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	FillClientConfigs(u, w.clientConfig)
	body, err := u.MarshalJSON()
	if err != nil {
		return nil, err
	}
	resource, ok := sim.Resources().ForKind(u.GroupVersionKind())
	if !ok {
		return nil, fmt.Errorf("%s is not served", u.GroupVersionKind())
	}
	result, err := sim.Do(ctx, rest.Request{
		Verb:      rest.Create,
		Resource:  resource.GroupVersionResource,
		Namespace: u.GetNamespace(),
		Body:      body,
		User:      oracle,
	})
	if err != nil {
		return nil, err
	}
	if result.Code != 201 {
		return nil, fmt.Errorf("creating %s %s: %s", u.GetKind(), u.GetName(), result.Status().Message)
	}
	return result.Next, nil
}

// FillClientConfigs fills in the client configurations of webhooks whose location the recorder chose. clientConfig gets
// the phase and the name of the webhook as configuration/webhook.
func FillClientConfigs(u *unstructured.Unstructured, clientConfig func(phase, webhook string) map[string]any) {
	phase := "validating"
	switch u.GetKind() {
	case "MutatingWebhookConfiguration":
		phase = "mutating"
	case "ValidatingWebhookConfiguration":
	case "CustomResourceDefinition":
		fillConversion(u, clientConfig)
		return
	default:
		return
	}
	list, _, _ := unstructured.NestedSlice(u.Object, "webhooks")
	for _, item := range list {
		if webhook, ok := item.(map[string]any); ok && webhook["clientConfig"] == nil {
			webhook["clientConfig"] = clientConfig(phase, fmt.Sprintf("%s/%s", u.GetName(), webhook["name"]))
		}
	}
	if list != nil {
		u.Object["webhooks"] = list
	}
}

// conversion is the phase of the calls of conversion webhooks, which have the same name.
const conversion = dispatch.ConversionWebhook

// fillConversion fills in the location of the conversion webhook of a definition of v1 or v1beta1.
func fillConversion(definition *unstructured.Unstructured, clientConfig func(phase, webhook string) map[string]any) {
	at := []string{"spec", "conversion", "webhook", "clientConfig"}
	if definition.GroupVersionKind().Version == "v1beta1" {
		at = []string{"spec", "conversion", "webhookClientConfig"}
	}
	strategy, _, _ := unstructured.NestedString(definition.Object, "spec", "conversion", "strategy")
	if _, given, _ := unstructured.NestedFieldNoCopy(definition.Object, at...); strategy != string(apiextensionsv1.WebhookConverter) || given {
		return
	}
	location := clientConfig(conversion, definition.GetName()+"/"+conversion)
	_ = unstructured.SetNestedMap(definition.Object, location, at...) // fails only where the server refuses the definition
}

// mockedAt returns the URLs that the recorder gave to webhooks.
func mockedAt(r *Recording) func(phase, webhook string) map[string]any {
	return func(phase, webhook string) map[string]any {
		host := "127.0.0.1:9443"
		if r.HasFault(webhook, dispatch.Refuse) {
			host = "127.0.0.1:1"
		}
		return map[string]any{"url": fmt.Sprintf("https://%s/%s/%s", host, phase, webhook)}
	}
}

// HasFault reports whether a webhook has an answer with that fault.
func (r *Recording) HasFault(webhook string, fault dispatch.Fault) bool {
	return slices.ContainsFunc(r.Webhooks[webhook], func(answer json.RawMessage) bool { return faultOf(answer) == fault })
}

func faultOf(answer json.RawMessage) dispatch.Fault {
	var a struct{ Fault dispatch.Fault }
	_ = json.Unmarshal(answer, &a) // checked when the mock was created
	return a.Fault
}

// backendsOf creates mocks with the recorded answers. A webhook without answers allows everything.
func backendsOf(r *Recording) (func(configuration, webhook string) dispatch.Backend, error) {
	mocks := map[string]*dispatch.Mock{}
	for name, raw := range r.Webhooks {
		answers := make([]dispatch.Answer, len(raw))
		for i := range raw {
			if err := json.Unmarshal(raw[i], &answers[i]); err != nil {
				return nil, fmt.Errorf("answer %d of %s: %w", i, name, err)
			}
		}
		var err error
		if mocks[name], err = dispatch.NewMock(nil, answers...); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	allows, err := dispatch.NewMock(nil)
	return func(configuration, webhook string) dispatch.Backend {
		if m, ok := mocks[backendName(configuration, webhook)]; ok {
			return m
		}
		return allows
	}, err
}

// backendName returns the name of a webhook in recordings, or of a callback without a configuration.
func backendName(configuration, webhook string) string {
	if configuration == "" {
		return webhook
	}
	return configuration + "/" + webhook
}
