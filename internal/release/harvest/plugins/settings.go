package plugins

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/admsim/admsim/internal/apiversion"
)

// configurationOf returns the part of the admission configuration with which a server has the plugin of a call, or why no
// server has it.
func configurationOf(c Call) (configuration json.RawMessage, unfair string) {
	switch c.Plugin {
	case "":
		return nil, "no server has a plugin with these settings"
	case "PodNodeSelector":
		return encoded(map[string]any{"podNodeSelectorPluginConfig": c.Settings["clusterNodeSelectors"]}), ""
	case "PodTolerationRestriction":
		return ofKind(c.Settings["pluginConfig"], "podtolerationrestriction.admission.k8s.io/v1alpha1", "Configuration"), ""
	case "ResourceQuota":
		config := c.Settings["config"]
		if config == nil {
			config = c.Settings["evaluator.config"]
		}
		return ofKind(config, "resourcequota.admission.k8s.io/v1beta1", "Configuration"), ""
	case "ImagePolicyWebhook":
		return imagePolicyOf(c)
	case "ServiceAccount":
		if string(c.Settings["RequireAPIToken"]) == "false" || string(c.Settings["MountServiceAccountToken"]) == "false" {
			return nil, "no server has it with these settings"
		}
	case "PersistentVolumeLabel":
		return volumeZonesOf(c), ""
	case "EventRateLimit":
		if c.Settings["limits"] == nil {
			return nil, "no server has it without limits"
		}
		return encoded(map[string]any{
			"apiVersion": "eventratelimit.admission.k8s.io/v1alpha1", "kind": "Configuration", "limits": c.Settings["limits"],
		}), ""
	}
	return nil, ""
}

// ofExec returns which plugin that denies exec a call asks. They are one type with different settings.
func ofExec(c Call) string {
	settings := ""
	for _, name := range []string{"hostNetwork", "hostIPC", "hostPID", "privileged"} {
		settings += string(c.Settings[name]) + " "
	}
	switch settings {
	case "true true true true ":
		return "DenyEscalatingExec"
	case "false false false true ":
		return "DenyExecOnPrivileged"
	}
	return ""
}

// clouds lists the volumes that PersistentVolumeLabel asks a cloud about: their source, the field of the source that
// identifies the volume, and the field of the plugin with the cloud.
var clouds = []struct{ source, id, field string }{
	{"awsElasticBlockStore", "volumeID", "awsPVLabeler"},
	{"azureDisk", "diskName", "azurePVLabeler"},
	{"cinder", "volumeID", "openStackPVLabeler"},
	{"gcePersistentDisk", "pdName", "gcePVLabeler"},
	{"vsphereVolume", "volumePath", "vspherePVLabeler"},
}

// volumeZonesOf returns the configuration in which admsim's plugin finds what the clouds of a test say about the volume of
// a call.
func volumeZonesOf(c Call) json.RawMessage {
	var volume unstructured.Unstructured
	if volume.UnmarshalJSON(c.Object) != nil {
		return nil // the plugin is not asked about a volume
	}
	var known []any
	for _, cloud := range clouds {
		id, found, _ := unstructured.NestedString(volume.Object, "spec", cloud.source, cloud.id)
		var said map[string]any
		if json.Unmarshal(c.Settings[cloud.field], &said) != nil || !found {
			continue
		}
		said["source"], said["id"] = cloud.source, id
		known = append(known, said)
	}
	return encoded(map[string]any{"apiVersion": apiversion.Written, "kind": "VolumeZones", "volumes": known})
}

// inOrder returns a volume with the requirements that PersistentVolumeLabel added to it in the order in which admsim adds
// them. The server adds them in the order of a map.
func inOrder(before, after json.RawMessage) json.RawMessage {
	var was, is corev1.PersistentVolume
	if bytes.Equal(before, after) || json.Unmarshal(before, &was) != nil || json.Unmarshal(after, &is) != nil {
		return after
	}
	if is.Spec.NodeAffinity == nil || is.Spec.NodeAffinity.Required == nil {
		return after
	}
	for i, term := range is.Spec.NodeAffinity.Required.NodeSelectorTerms {
		own := 0
		if a := was.Spec.NodeAffinity; a != nil && a.Required != nil && i < len(a.Required.NodeSelectorTerms) {
			own = len(a.Required.NodeSelectorTerms[i].MatchExpressions)
		}
		slices.SortFunc(term.MatchExpressions[own:], func(a, b corev1.NodeSelectorRequirement) int { return strings.Compare(a.Key, b.Key) })
	}
	return encoded(is)
}

// imagePolicyOf returns the configuration of ImagePolicyWebhook, which the plugin keeps in other units. Its service is
// elsewhere, since the answers are recorded.
func imagePolicyOf(c Call) (configuration json.RawMessage, unfair string) {
	service := map[string]any{
		"clusters":        []any{map[string]any{"name": "images", "cluster": map[string]any{"server": "https://images.example.com"}}},
		"contexts":        []any{map[string]any{"name": "images", "context": map[string]any{"cluster": "images"}}},
		"current-context": "images",
	}
	policy := map[string]any{"kubeConfigFile": "kubeconfig", "kubeConfig": service, "defaultAllow": c.Settings["defaultAllow"]}
	for _, name := range []string{"allowTTL", "denyTTL"} {
		var ttl time.Duration
		if err := json.Unmarshal(c.Settings[name], &ttl); err != nil || ttl%time.Second != 0 {
			return nil, "its TTLs are not configurable"
		}
		policy[name] = ttl / time.Second
		if ttl == 0 {
			policy[name] = -1
		}
	}
	return encoded(map[string]any{"imagePolicy": policy}), ""
}

// ofKind returns a configuration of a kind from the JSON of its internal type, whose fields may have the names that they
// have in Go.
func ofKind(internal json.RawMessage, version, kind string) json.RawMessage {
	var fields map[string]any
	_ = json.Unmarshal(internal, &fields) // it comes from an encoder
	if fields == nil {
		return nil
	}
	fields, _ = inJSON(fields).(map[string]any)
	fields["apiVersion"], fields["kind"] = version, kind
	return encoded(fields)
}

// inJSON renames fields as they are called in JSON, and removes those without a value.
func inJSON(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = inJSON(v[i])
		}
	case map[string]any:
		renamed := map[string]any{}
		for name, value := range v {
			if value == nil {
				continue
			}
			first, size := utf8.DecodeRuneInString(name)
			name = string(unicode.ToLower(first)) + name[size:]
			renamed[strings.Replace(name, "aPIGroup", "apiGroup", 1)] = inJSON(value)
		}
		return renamed
	}
	return v
}

func encoded(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("harvest: %v", err))
	}
	return text
}

// limited returns a cluster whose service accounts limit the secrets that their pods may use. A field of the plugin
// ServiceAccount does the same for all of them in tests; on no server is it set.
func limited(world []json.RawMessage) []json.RawMessage {
	var changed []json.RawMessage
	for _, text := range world {
		var object unstructured.Unstructured
		if object.UnmarshalJSON(text) == nil && object.GetKind() == "ServiceAccount" {
			annotations := object.GetAnnotations()
			if annotations == nil {
				annotations = map[string]string{}
			}
			annotations["kubernetes.io/enforce-mountable-secrets"] = "true"
			object.SetAnnotations(annotations)
			text = encoded(object.Object)
		}
		changed = append(changed, text)
	}
	return changed
}
