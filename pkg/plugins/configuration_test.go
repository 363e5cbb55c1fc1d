package plugins

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"sigs.k8s.io/yaml"
)

// A wrong configuration prevents the server from starting, with its own error message.
func TestWrongConfigurations(t *testing.T) {
	tests := []struct{ plugin, reason, configuration, want string }{
		{"EventRateLimit", "there has to be one", "", "limits: Invalid value: null: must not be empty"},
		{"EventRateLimit", "with limits", `{apiVersion: eventratelimit.admission.k8s.io/v1alpha1, kind: Configuration, limits: []}`, "limits: Invalid value: []: must not be empty"},
		{"EventRateLimit", "of known types", `{apiVersion: eventratelimit.admission.k8s.io/v1alpha1, kind: Configuration, limits: [{type: Node, qps: 1, burst: 1}]}`,
			`limits[0].type: Unsupported value: "Node": supported values: "Namespace", "Server", "SourceAndObject", "User"`},
		{"EventRateLimit", "and numbers", `{apiVersion: eventratelimit.admission.k8s.io/v1alpha1, kind: Configuration, limits: [{type: User, cacheSize: -1}]}`,
			"[limits[0].burst: Invalid value: 0: must be positive, limits[0].qps: Invalid value: 0: must be positive, limits[0].cacheSize: Invalid value: -1: must not be negative]"},
		{"EventRateLimit", "of a known kind", `{apiVersion: v1, kind: Configuration}`,
			`the configuration is of kind "Configuration", version "v1"; want eventratelimit.admission.k8s.io/v1alpha1 Configuration`},
		{"EventRateLimit", "without other fields", `{apiVersion: eventratelimit.admission.k8s.io/v1alpha1, kind: Configuration, limit: []}`,
			`strict decoding error: unknown field "limit"`},

		{"ImagePolicyWebhook", "there has to be one", "", "no config specified"},
		{"ImagePolicyWebhook", "times have bounds (IPW-01)", `{imagePolicy: {allowTTL: 1801}}`, "valid value is between 1s and 30m0s, got 30m1s"},
		{"ImagePolicyWebhook", "times have bounds", `{imagePolicy: {denyTTL: -2}}`, "valid value is between 1s and 30m0s, got -2s"},
		{"ImagePolicyWebhook", "times have bounds", `{imagePolicy: {retryBackoff: 300001}}`, "valid value is between 1ns and 5m0s, got 5m0.001s"},
		{"ImagePolicyWebhook", "somebody has to be asked", `{imagePolicy: {}}`, "imagePolicy has no kubeConfigFile, or it was not read"},
		{"ImagePolicyWebhook", "somebody has to be asked", `{imagePolicy: {kubeConfig: {current-context: a}}}`, `the kubeconfig's current context "a" leads to no cluster`},

		{"InitialResources", "a percentile is one of a hundred", `{apiVersion: admsim.dev/v1alpha1, kind: UsageHistory, percentile: 101}`,
			"percentile: Invalid value: 101: must be between 1 and 100"},
		{"PersistentVolumeLabel", "without other fields", `{apiVersion: admsim.dev/v1alpha1, kind: VolumeZones, zones: []}`, `strict decoding error: unknown field "zones"`},
		{"PodTolerationRestriction", "tolerations are those of a pod", `{apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1, kind: Configuration, default: [{operator: Equal}]}`,
			"invalid config: [podtolerationrestriction.default[0].operator: Invalid value: \"Equal\": operator must be Exists when `key` is empty, which means \"match all values and all keys\"]"},

		{"PodNodeSelector", "selectors are texts", `{podNodeSelectorPluginConfig: {a: {b: c}}}`, "json: cannot unmarshal object into Go struct field .podNodeSelectorPluginConfig of type string"},
		{"ResourceQuota", "a limit is of a resource", `{apiVersion: apiserver.config.k8s.io/v1, kind: ResourceQuotaConfiguration, limitedResources: [{apiGroup: apps}]}`,
			"limitedResources[0].resource: Required value"},
	}
	w := newWorld(t, "AlwaysAdmit", &txtar.Archive{})
	for _, test := range tests {
		o := w.options(t, nil)
		if test.configuration != "" {
			var err error
			if o.Configuration, err = yaml.YAMLToJSON([]byte(test.configuration)); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err := build(test.plugin, o)
		if err == nil {
			t.Errorf("%s: %s: no error, want %s", test.plugin, test.reason, test.want)
			continue
		}
		if got := strings.TrimPrefix(err.Error(), test.plugin+": "); got != test.want {
			t.Errorf("%s: %s:\n got %s\nwant %s", test.plugin, test.reason, got, test.want)
		}
	}
}
