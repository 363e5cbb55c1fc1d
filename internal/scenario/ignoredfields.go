package scenario

import (
	"fmt"
	"maps"
	"slices"

	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const (
	kubeconfigField = "kubeConfigFile"
	manifestsField  = "staticManifestsDir"
)

// readFields lists the fields in the configuration of webhooks and policies that are read, or at least expected, by
// servers that do not have static manifests.
var readFields = map[string][]string{
	"MutatingAdmissionPolicy":    {"apiVersion", "kind"},
	"MutatingAdmissionWebhook":   {"apiVersion", "kind", kubeconfigField},
	"ValidatingAdmissionPolicy":  {"apiVersion", "kind"},
	"ValidatingAdmissionWebhook": {"apiVersion", "kind", kubeconfigField},
}

// warnIgnored warns about fields that the server ignores in the configuration of a plugin that calls webhooks or
// evaluates policies. Releases with static manifests ignore none: unknown fields are errors (W-046).
func (c *admissionConfiguration) warnIgnored(plugin string, part map[string]any, at func(path string) manifest.Source) {
	read, ok := readFields[plugin]
	if !ok || c.release.Has(kubeversion.StaticManifests) {
		return
	}
	for _, field := range slices.Sorted(maps.Keys(part)) {
		if slices.Contains(read, field) {
			continue
		}
		hint := manifest.DidYouMean(field, append([]string{manifestsField}, read...))
		if field == manifestsField {
			hint = fmt.Sprintf("the field exists from %s on", kubeversion.StaticManifests.Since())
		}
		c.Warnings = append(c.Warnings, &manifest.Error{
			Source:  at(field),
			Message: fmt.Sprintf("Kubernetes %s ignores %s in the configuration of %s", c.release.Version, field, plugin),
			Hint:    hint,
		})
	}
}

// refuseAdded refuses a key that admsim adds itself, and that no server knows (W-046).
func (c *admissionConfiguration) refuseAdded(plugin string, part map[string]any, at func(path string) manifest.Source) {
	if _, has := part[kubeconfigKey]; has && c.release.Has(kubeversion.StaticManifests) {
		c.Errs.Add(at(kubeconfigKey), manifest.DidYouMean(kubeconfigKey, readFields[plugin]), "configuration of %s: strict decoding error: unknown field %q", plugin, kubeconfigKey)
	}
}
