package workload

import (
	"encoding/json"
	"fmt"
	"hash/fnv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/dump"
)

// hashOf returns the hash of a template in the labels and names of what the controllers of Deployments and DaemonSets
// create: kubernetes/kubernetes:pkg/controller/controller_utils.go, ComputeHash. They hash every field of the Go type,
// so the hash of a template differs between releases; this is that of the release of k8s.io/api.
func hashOf(template map[string]any) string {
	h := fnv.New32a()
	h.Write([]byte(dump.ForHash(typed(template))))
	return encoded(h.Sum32())
}

// revisionHashOf returns the hash of a template in the labels of the pods of a StatefulSet:
// kubernetes/kubernetes:pkg/controller/history/controller_history.go, HashControllerRevision.
func revisionHashOf(template map[string]any) string {
	patch := map[string]any{}
	if text, err := json.Marshal(typed(template)); err == nil {
		_ = json.Unmarshal(text, &patch) // it is an object
	}
	patch["$patch"] = "replace"
	text, err := json.Marshal(map[string]any{"spec": map[string]any{"template": patch}})
	if err != nil {
		panic(fmt.Sprintf("what was decoded from JSON does not encode: %v", err))
	}
	h := fnv.New32()
	h.Write(append(text, '0')) // no hash has collided yet
	return encoded(h.Sum32())
}

// typed returns a template as controllers get it: in protocol buffers, which do not distinguish empty lists and maps
// from missing ones. Fields that do not fit are left out; a server has accepted the template.
func typed(template map[string]any) (t corev1.PodTemplateSpec) {
	var written corev1.PodTemplateSpec
	if text, err := json.Marshal(template); err == nil {
		_ = json.Unmarshal(text, &written)
	}
	if sent, err := written.Marshal(); err == nil {
		_ = t.Unmarshal(sent)
	}
	return t
}

// encoded returns a hash in characters of names that spell no words: kubernetes/apimachinery:pkg/util/rand/rand.go,
// SafeEncodeString.
func encoded(hash uint32) string {
	const safe = "bcdfghjklmnpqrstvwxz2456789"
	digits := []byte(fmt.Sprint(hash))
	for i, d := range digits {
		digits[i] = safe[int(d)%len(safe)]
	}
	return string(digits)
}
