package metrics

import (
	"crypto/sha256"
	"fmt"
	"time"
)

// defineManifests defines the metrics of kubernetes/apiserver:pkg/admission/plugin/manifest/metrics/metrics.go.
func (m *Metrics) defineManifests() {
	const manifests = "manifest_admission_config_controller"
	labels := []string{"status", "plugin", "apiserver_id_hash"}
	m.reloads = m.counter(manifests, "automatic_reloads_total", m.help(alpha, "Total number of automatic reloads of admission manifest configuration split by status, plugin, and apiserver identity."), labels...)
	m.reloaded = m.gauge(manifests, "automatic_reload_last_timestamp_seconds", m.help(alpha, "Timestamp of the last automatic reload of admission manifest configuration split by status, plugin, and apiserver identity."), labels...)
	m.manifests = m.gauge(manifests, "last_config_info", m.help(alpha, "Information about the last applied admission manifest configuration with hash as label, split by plugin and apiserver identity."), "plugin", "apiserver_id_hash", "hash")
}

// serverID is the identity of the server, of which the metrics have a hash.
const serverID = "admsim"

// Reloaded counts that the static manifests of a plugin were read again; content is what they contain now.
func (m *Metrics) Reloaded(plugin string, content []byte) {
	m.reload("success", plugin)
	m.manifests.DeletePartialMatch(map[string]string{"plugin": plugin})
	m.manifests.WithLabelValues(plugin, hashOf([]byte(serverID)), hashOf(content)).Set(1)
}

// NotReloaded counts that they could not be read.
func (m *Metrics) NotReloaded(plugin string) { m.reload("failure", plugin) }

func (m *Metrics) reload(status, plugin string) {
	id := hashOf([]byte(serverID))
	m.reloads.WithLabelValues(status, plugin, id).Inc()
	m.reloaded.WithLabelValues(status, plugin, id).Set(float64(time.Now().UnixNano()) / 1e9)
}

func hashOf(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }
