package patch

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	jsonpatchv4 "gopkg.in/evanphx/json-patch.v4"
)

// pod returns a typical pod with that many containers.
func pod(containers int) []byte {
	var list []string
	for i := range containers {
		list = append(list, fmt.Sprintf(`{"name":"c%d","image":"registry.example.com/team/app-%d:v1.2.3","args":["--verbose","--listen=:80%02d"],`+
			`"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],"ports":[{"containerPort":80%02d,"protocol":"TCP"}],`+
			`"resources":{"limits":{"cpu":"500m","memory":"128Mi"},"requests":{"cpu":"250m","memory":"64Mi"}},`+
			`"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}`, i, i, i, i))
	}
	return []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"shop","labels":{"app":"p"},"creationTimestamp":null},` +
		`"spec":{"containers":[` + strings.Join(list, ",") + `],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst"},"status":{}}`)
}

// inject returns the patch of a webhook that adds sidecars.
func inject(operations int) []byte {
	ops := []Operation{{Op: "add", Path: "/metadata/annotations", Value: json.RawMessage(`{"injected":"true"}`)}}
	for i := len(ops); i < operations; i++ {
		ops = append(ops, Operation{Op: "add", Path: "/spec/containers/-", Value: json.RawMessage(fmt.Sprintf(`{"name":"s%d","image":"proxy:v1"}`, i))})
	}
	b, err := json.Marshal(ops)
	if err != nil {
		panic(err)
	}
	return b
}

func BenchmarkJSON(b *testing.B) {
	doc := pod(8)
	for _, operations := range []int{1, 10, 100} {
		patch := inject(operations)
		b.Run(fmt.Sprintf("operations=%d", operations), func(b *testing.B) {
			for b.Loop() {
				if _, err := JSON(doc, patch); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("v4/operations=%d", operations), func(b *testing.B) {
			for b.Loop() {
				p, _ := jsonpatchv4.DecodePatch(patch)
				p.Apply(doc)
			}
		})
	}
}

func BenchmarkDiff(b *testing.B) {
	for _, containers := range []int{1, 8, 64} {
		before := pod(containers)
		after, err := JSON(before, inject(4))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("containers=%d", containers), func(b *testing.B) {
			for b.Loop() {
				if _, err := Diff(before, after); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The time to apply a patch grows with its length, whatever its operations do.
func BenchmarkLongPatch(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		for name, operation := range map[string]string{
			"items at the beginning":  `{"op":"add","path":"/list/0","value":{"name":"#"}}`,
			"members that are tested": `{"op":"add","path":"/object/l#","value":"x"},{"op":"test","path":"/object/l#","value":"x"}`,
		} {
			operations := make([]string, n)
			for i := range operations {
				operations[i] = strings.ReplaceAll(operation, "#", strconv.Itoa(i))
			}
			patch := []byte("[" + strings.Join(operations, ",") + "]")
			b.Run(fmt.Sprintf("%s/operations=%d", name, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := JSON([]byte(`{"list":[],"object":{}}`), patch); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
