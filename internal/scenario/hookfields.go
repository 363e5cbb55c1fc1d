package scenario

import (
	"slices"

	"github.com/admsim/admsim/internal/manifest"
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
