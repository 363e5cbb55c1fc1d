package simulator

import (
	"iter"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/admsim/admsim/internal/view"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/plugins"
)

// A Webhook identifies a webhook for which Options.Backends may be called.
type Webhook struct{ Configuration, Name string }

// String returns the name, after that of the configuration if there is one.
func (w Webhook) String() string {
	if w.Configuration == "" {
		return w.Name
	}
	return w.Configuration + "/" + w.Name
}

// Static returns the webhooks and policies in the manifests that the configuration of their plugins names. They are not
// objects of the cluster.
func (s *Simulator) Static() []cluster.Object { return slices.Clone(s.parts.release.static) }

// Reloaded returns what [Simulator.Static] is after the server has read the folder of one plugin again. An error means
// that it goes on with what it had (W-049).
func (s *Simulator) Reloaded(plugin string, manifests []Manifest) ([]cluster.Object, error) {
	o := s.options
	o.Plugins.Manifests = map[string][]Manifest{plugin: manifests}
	return o.static([]kubeversion.Plugin{{Name: plugin}}, s.Static(), true)
}

// WithStatic returns a simulator of the same cluster with other webhooks and policies in static manifests.
func (s *Simulator) WithStatic(static []cluster.Object) (*Simulator, error) {
	if len(static)+len(s.parts.release.static) == 0 {
		return s, nil
	}
	release, before := *s.parts.release, *s.parts
	release.static = static
	before.release, before.builtIn, before.hooks, before.server = &release, nil, nil, nil
	parts, err := newParts(&before, s.state, s.options)
	if err != nil {
		return nil, err
	}
	return &Simulator{options: s.options, state: s.state, parts: parts}, nil
}

// WebhookConfigurations returns the webhook configurations of static manifests, and then those of the cluster.
func (s *Simulator) WebhookConfigurations() iter.Seq[cluster.Object] {
	return s.parts.hooks.Configurations(s.state)
}

// Webhooks returns the webhooks of static manifests and of the cluster: admission webhooks, those that convert custom
// resources, those that authorize requests, and those of other plugins that run.
func (s *Simulator) Webhooks() (all []Webhook) {
	for configuration, name := range s.parts.hooks.Webhooks(s.state) {
		all = append(all, Webhook{configuration, name})
	}
	for _, name := range s.parts.view.AuthorizingWebhooks() {
		all = append(all, Webhook{view.AuthorizationWebhooks, name})
	}
	for o := range s.state.List(apiextensionsv1.Kind("CustomResourceDefinition"), "") {
		if c, ok := o.Object.(*apiextensionsv1.CustomResourceDefinition); ok && c.Spec.Conversion != nil && c.Spec.Conversion.Webhook != nil {
			all = append(all, Webhook{c.Name, dispatch.ConversionWebhook})
		}
	}
	for _, plugin := range s.parts.release.plugins {
		if d, _ := plugins.Documented(plugin.Name); d.Backend != "" {
			all = append(all, Webhook{Name: d.Backend})
		}
	}
	return all
}
