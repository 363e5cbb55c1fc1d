package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/convert"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/scenario"
)

// A subject is a webhook or policy that a suite should have a case for.
type subject struct {
	name    string
	webhook bool
	at      scenario.Source
	rules   []admissionregistrationv1.RuleWithOperations

	namespaces, objects []*metav1.LabelSelector // all of which have to match
}

// subjectsOf are the webhooks and the policies with bindings among manifests.
func subjectsOf(manifests []scenario.Manifest) (all []subject) {
	bindings := map[string][]*admissionregistrationv1.MatchResources{}
	for _, m := range manifests {
		var b admissionregistrationv1.ValidatingAdmissionPolicyBinding
		if strings.HasSuffix(m.Kind, "AdmissionPolicyBinding") && json.Unmarshal(m.JSON, &b) == nil {
			bindings[b.Spec.PolicyName] = append(bindings[b.Spec.PolicyName], b.Spec.MatchResources)
		}
	}
	for _, m := range manifests {
		switch m.Kind {
		case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
			var c admissionregistrationv1.ValidatingWebhookConfiguration // the parts that matter are the same
			if json.Unmarshal(m.JSON, &c) != nil {
				continue // told when it is loaded
			}
			for i, w := range c.Webhooks {
				all = append(all, subject{
					name: w.Name, webhook: true, at: m.Position(fmt.Sprintf("webhooks[%d]", i)), rules: w.Rules,
					namespaces: []*metav1.LabelSelector{w.NamespaceSelector}, objects: []*metav1.LabelSelector{w.ObjectSelector},
				})
			}
		case "ValidatingAdmissionPolicy", "MutatingAdmissionPolicy":
			var p admissionregistrationv1.ValidatingAdmissionPolicy
			if json.Unmarshal(m.JSON, &p) != nil || p.Spec.MatchConstraints == nil || len(bindings[m.Name]) == 0 {
				continue
			}
			s := subject{name: m.Name, at: m.Source}
			for _, r := range p.Spec.MatchConstraints.ResourceRules {
				s.rules = append(s.rules, r.RuleWithOperations)
			}
			for _, match := range []*admissionregistrationv1.MatchResources{p.Spec.MatchConstraints, bindings[m.Name][0]} {
				if match != nil {
					s.namespaces, s.objects = append(s.namespaces, match.NamespaceSelector), append(s.objects, match.ObjectSelector)
				}
			}
			all = append(all, s)
		}
	}
	return all
}

// fromManifests makes a case for each webhook and policy.
func (i *initCommand) fromManifests(ctx context.Context, b *beginning, stderr io.Writer) error {
	found, err := scenario.Load(b.paths, scenario.Options{})
	if err != nil {
		return err
	}
	subjects := subjectsOf(found)
	if len(subjects) == 0 {
		return hinted(fmt.Errorf("no webhooks, and no policies with bindings, in %s", strings.Join(b.paths, ", ")), "admsim run -f shows what becomes of single requests")
	}
	hasBackends := slices.ContainsFunc(found, func(m scenario.Manifest) bool { return m.Group == scenario.Group && m.Kind == "Backends" })
	if !hasBackends && slices.ContainsFunc(subjects, func(s subject) bool { return s.webhook }) {
		b.files["world/backends.yaml"] = []byte(allowingBackends)
	}
	w, err := b.load(ctx, stderr)
	if err != nil {
		return err
	}
	defer func() { w.close(stderr) }()
	samples := map[string]bool{}
	for _, s := range subjects {
		if err := b.sample(w, s, samples, stderr); err != nil {
			return err
		}
	}
	if len(b.draft.Cases) == 0 {
		return fmt.Errorf("none of the webhooks and policies is asked about something that can be created")
	}
	w.close(stderr)
	if w, err = b.load(ctx, stderr); err != nil { // with the namespaces that samples are in
		return err
	}
	var results []*report.Result
	named := map[string]bool{}
	for n := range b.draft.Cases {
		c := &b.draft.Cases[n]
		requests, err := requestsOf(c.Request, b.files[c.Request])
		if err != nil {
			return err
		}
		result, err := b.ask(ctx, w, requests[0])
		if err != nil {
			return err
		}
		if c.Denied = denialOf(result); c.Denied == nil {
			c.Golden = strings.Replace(c.Request, "testdata/", "golden/", 1)
			c.Called = calledBy(result)
		}
		c.Name = freeName(showing("create-"+c.Name, result), func(name string) bool { return named[name] })
		named[c.Name] = true
		results = append(results, result)
	}
	if !hasBackends {
		return nil
	}
	return b.answerOthers(w, "", results...)
}

const allowingBackends = `# Until somebody says more, webhooks allow everything. Put the real ones here, such as
# - webhook: "*"
#   command: [go, run, ./cmd, "--webhook-port={{.Port}}", "--webhook-cert-path={{.CertDir}}"]
apiVersion: admsim.dev/v1alpha1
kind: Backends
backends:
- webhook: "*"
  mock: [{}]
`

// sample adds a case with an object that s is asked about, unless one of the others does.
func (b *beginning) sample(w *loaded, s subject, samples map[string]bool, stderr io.Writer) error {
	resource, ok := creatable(w.Simulator().Resources().All(), s.rules)
	if !ok {
		printWarnings(stderr, []*scenario.Error{{
			Source:  s.at,
			Message: s.name + " is not asked about anything that is created; there is no case for it",
			Hint:    "is a CustomResourceDefinition missing in what was given?",
		}})
		return nil
	}
	namespace, labels := "", wantedLabels(s.objects)
	if resource.Namespaced {
		namespace = "default"
		if wanted := wantedLabels(s.namespaces); len(wanted) > 0 {
			namespace = b.namespace(wanted)
		}
	}
	key := fmt.Sprint(resource.Kind, namespace, labels)
	if samples[key] {
		return nil
	}
	samples[key] = true
	taken := func(name string) bool { return b.files["testdata/"+name+".yaml"] != nil }
	name := strings.ToLower(resource.Kind.Kind)
	if taken(name) && namespace != "" {
		name += "-in-" + namespace
	}
	name = freeName(name, taken)
	object := convert.Sample(resource.Kind, "sample", namespace, resource.CRD)
	if len(labels) > 0 {
		object["metadata"].(map[string]any)["labels"] = labels
	}
	data, err := manifest(object)
	if err != nil {
		return err
	}
	b.files["testdata/"+name+".yaml"] = data
	b.draft.Cases = append(b.draft.Cases, convert.DraftCase{Name: name, Request: "testdata/" + name + ".yaml"})
	return nil
}

// creatable is what rules are about and clients create, of the usual things if there is a
// choice.
func creatable(all []discovery.Resource, rules []admissionregistrationv1.RuleWithOperations) (best discovery.Resource, ok bool) {
	usual := []string{"configmaps", "pods", "deployments"}
	for _, rule := range rules {
		if !slices.ContainsFunc(rule.Operations, func(o admissionregistrationv1.OperationType) bool {
			return o == admissionregistrationv1.Create || o == admissionregistrationv1.OperationAll
		}) {
			continue
		}
		is := func(value string, of []string) bool { return slices.Contains(of, value) || slices.Contains(of, "*") }
		for _, r := range all {
			if r.Served && slices.Contains(r.Verbs, "create") && is(r.Group, rule.APIGroups) && is(r.Version, rule.APIVersions) &&
				(is(r.Resource, rule.Resources) || slices.Contains(rule.Resources, "*/*")) &&
				(!ok || slices.Contains(usual, r.Resource) && !slices.Contains(usual, best.Resource)) {
				best, ok = r, true
			}
		}
	}
	return best, ok
}

// wantedLabels are labels that selectors match, as far as they ask for some.
func wantedLabels(selectors []*metav1.LabelSelector) map[string]string {
	labels := map[string]string{}
	for _, s := range selectors {
		if s == nil {
			continue
		}
		for key, value := range s.MatchLabels {
			labels[key] = value
		}
		for _, e := range s.MatchExpressions {
			switch {
			case e.Operator == metav1.LabelSelectorOpIn && len(e.Values) > 0:
				labels[e.Key] = e.Values[0]
			case e.Operator == metav1.LabelSelectorOpExists && labels[e.Key] == "":
				labels[e.Key] = "true"
			}
		}
	}
	return labels
}

// namespace is one with these labels.
func (b *beginning) namespace(labels map[string]string) string {
	name := labels[corev1.LabelMetadataName] // every namespace has its name as a label
	if name != "" && len(labels) == 1 && slices.Contains([]string{"default", "kube-system"}, name) {
		return name
	}
	for n := 1; ; n++ {
		free := name
		if name == "" {
			free = fmt.Sprintf("sample-%d", n)
		}
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: free, Labels: labels}}
		namespace.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
		data, err := manifest(namespace)
		if err != nil {
			panic(err) // it is made here
		}
		file := "world/namespace-" + free + ".yaml"
		if there := b.files[file]; there == nil || string(there) == string(data) || name != "" {
			b.files[file] = data
			return free
		}
	}
}
