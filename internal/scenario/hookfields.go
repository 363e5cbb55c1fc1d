package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const manifestsField = "staticManifestsDir"

// hookFields lists the fields in the newest configuration of each plugin that calls webhooks or evaluates policies.
var hookFields = map[string][]string{
	"MutatingAdmissionPolicy":    {"apiVersion", "kind", manifestsField},
	"MutatingAdmissionWebhook":   {"apiVersion", "kind", "kubeConfigFile", manifestsField},
	"ValidatingAdmissionPolicy":  {"apiVersion", "kind", manifestsField},
	"ValidatingAdmissionWebhook": {"apiVersion", "kind", "kubeConfigFile", manifestsField},
}

// hint returns a hint for an error about a field of a plugin's configuration.
func (c *AdmissionConfiguration) hint(plugin, field string) string {
	known := hookFields[plugin]
	switch {
	case field == manifestsField:
		return c.missing[plugin]
	case slices.Contains(known, field):
		return ""
	}
	return manifest.DidYouMean(field, known)
}

// warnIgnored warns about fields that the server ignores in the configuration of a plugin that calls webhooks or
// evaluates policies. Releases with static manifests ignore none: unknown fields are errors (W-046).
func (c *admissionConfiguration) warnIgnored(plugin string, part map[string]any, at func(path string) manifest.Source) {
	known := hookFields[plugin]
	if known == nil || c.release.Has(kubeversion.StaticManifests) {
		return
	}
	for _, field := range slices.Sorted(maps.Keys(part)) {
		hint := manifest.DidYouMean(field, known)
		switch {
		case field == manifestsField:
			hint = fmt.Sprintf("the field exists from %s on", firstWith(kubeversion.StaticManifests))
		case slices.Contains(known, field):
			continue
		}
		c.Warnings = append(c.Warnings, &manifest.Error{
			Source:  at(field),
			Message: fmt.Sprintf("Kubernetes %s ignores %s in the configuration of %s", c.release.Version, field, plugin),
			Hint:    hint,
		})
	}
}

// checkKubeconfig refuses a configuration of webhooks that does not name a kubeconfig, as servers without static manifests
// do, and a key that admsim adds itself (W-046).
func (c *admissionConfiguration) checkKubeconfig(plugin string, part map[string]any, whole manifest.Source, at func(path string) manifest.Source) {
	const added = "kubeConfig"
	_, has := part[added]
	switch strict := c.release.Has(kubeversion.StaticManifests); {
	case strict && has:
		c.Errs.Add(at(added), manifest.DidYouMean(added, hookFields[plugin]), "configuration of %s: strict decoding error: unknown field %q", plugin, added)
	case !strict && part["kubeConfigFile"] == nil:
		place, hint := whole, "name a kubeconfig, with its path on the server: kubeConfigFile: /etc/kubernetes/webhooks.yaml"
		for _, field := range slices.Sorted(maps.Keys(part)) {
			if strings.EqualFold(field, "kubeConfigFile") {
				place, hint = at(field), manifest.DidYouMean(field, hookFields[plugin])
			}
		}
		c.Errs.Add(place, hint, "configuration of %s: kubeConfigFile: Invalid value: %q: must be an absolute file path", plugin, "")
	}
}

// firstWith returns the first release that has a feature.
func firstWith(f kubeversion.Feature) string {
	minor := 0
	for !f.In(minor) {
		minor++
	}
	return fmt.Sprintf("1.%d", minor)
}
