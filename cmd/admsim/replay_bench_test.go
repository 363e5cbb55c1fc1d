//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// eventsVariable says how many events the large log has, ten times as many as the small one. The numbers in
// docs/replay.md are for 200000.
const eventsVariable = "ADMSIM_BENCH_EVENTS"

// BenchmarkReplay replays a generated log in a world with 200 webhooks, three of which match each request. In one run,
// it compares that with only decoding the log, one worker with two, and the memory for a long log with that for a short
// one.
func BenchmarkReplay(b *testing.B) {
	events := benchEvents(b)
	dir := b.TempDir()
	world := filepath.Join(dir, "world.yaml")
	if err := os.WriteFile(world, []byte(busyWorld()), 0o600); err != nil {
		b.Fatal(err)
	}
	small, large := filepath.Join(dir, "small.log"), filepath.Join(dir, "large.log")
	writeBusyLog(b, world, small, events/10)
	writeBusyLog(b, world, large, events)

	var decoded, one, two, peakSmall, peakLarge float64
	var decodeCPU, wholeCPU, cpu time.Duration // CPU time hardly depends on other load on the machine
	b.Run("decode=events", func(b *testing.B) {
		for b.Loop() {
			start := time.Now()
			decodeCPU = decodeOnly(b, large, func() any { return new(auditv1.Event) })
			decoded = float64(events) / time.Since(start).Seconds()
		}
		b.ReportMetric(decoded, "events/s")
		b.ReportMetric(float64(decodeCPU.Microseconds())/float64(events), "cpu-µs/event")
	})
	b.Run("decode=all", func(b *testing.B) {
		for b.Loop() {
			wholeCPU = decodeOnly(b, large, func() any { return new(any) })
		}
		b.ReportMetric(float64(wholeCPU.Microseconds())/float64(events), "cpu-µs/event")
	})
	for _, workers := range []int{1, 2} {
		rate := map[int]*float64{1: &one, 2: &two}[workers]
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			for b.Loop() {
				start := time.Now()
				peakLarge, cpu = replayed(b, world, large, workers)
				*rate = float64(events) / time.Since(start).Seconds()
			}
			b.ReportMetric(*rate, "events/s")
			b.ReportMetric(peakLarge, "peak-MB")
			b.ReportMetric(float64(cpu.Microseconds())/float64(events), "cpu-µs/event")
			if workers == 2 {
				b.ReportMetric(*rate/one, "times-one-worker")
				b.ReportMetric(*rate/decoded, "of-decode")
				b.ReportMetric(2*float64(decodeCPU)/float64(cpu), "of-decode-by-cpu")
				b.ReportMetric(2*float64(wholeCPU)/float64(cpu), "of-decoding-all-by-cpu")
			}
		})
	}
	b.Run("tenth", func(b *testing.B) {
		for b.Loop() {
			peaks := make([]float64, 3) // in so short a run, the peak depends on when garbage is collected
			for i := range peaks {
				peaks[i], _ = replayed(b, world, small, 2)
			}
			slices.Sort(peaks)
			peakSmall = peaks[1]
		}
		b.ReportMetric(peakSmall, "peak-MB")
		b.ReportMetric(peakLarge/peakSmall, "large/small")
	})
}

func benchEvents(b *testing.B) int {
	events := 10_000
	if text := os.Getenv(eventsVariable); text != "" {
		var err error
		if events, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	return events
}

// replayed replays the log in a process of its own, where everything has to agree. It returns the peak memory in MB and
// the CPU time.
func replayed(b *testing.B, world, log string, workers int) (float64, time.Duration) {
	b.Helper()
	spent := timed(b, "replay", "-C", world, log, "-j", fmt.Sprint(workers))
	return spent.peak, spent.cpu
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// decodeOnly decodes every line with encoding/json, on one processor, and returns the CPU time. An Event keeps its
// objects as text.
func decodeOnly(b *testing.B, path string, into func() any) time.Duration {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	before := cpuTime(b)
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := json.Unmarshal(lines.Bytes(), into()); err != nil {
			b.Fatal(err)
		}
	}
	return cpuTime(b) - before
}

const teams = 50

// busyWorld returns a world of 50 teams, with a namespace and four webhooks each; every request matches three of the
// webhooks.
func busyWorld() string {
	var w strings.Builder
	hook := func(kind, name, team, operations string) {
		fmt.Fprintf(&w, `---
apiVersion: admissionregistration.k8s.io/v1
kind: %sWebhookConfiguration
metadata: {name: %s}
webhooks:
- name: %s.example.com
  clientConfig: {url: "https://hooks.example.com/%s"}
  rules:
  - {operations: [%s], apiGroups: [""], apiVersions: ["*"], resources: [pods, configmaps]}
  namespaceSelector: {matchLabels: {team: %s}}
  sideEffects: None
  admissionReviewVersions: [v1]
`, kind, name, name, name, operations, team)
	}
	for i := range teams {
		team := fmt.Sprintf("team-%d", i)
		fmt.Fprintf(&w, "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: %s, labels: {team: %s}}\n", team, team)
		hook("Mutating", "label-"+team, team, "CREATE, UPDATE")
		hook("Mutating", "look-"+team, team, "CREATE, UPDATE, DELETE")
		hook("Validating", "check-"+team, team, "CREATE, UPDATE, DELETE")
		hook("Validating", "leave-"+team, team, "DELETE")
	}
	w.WriteString(`---
apiVersion: admsim.dev/v1alpha1
kind: Backends
backends:
- webhook: "label-*.example.com"
  mock: [{patch: [{op: add, path: /metadata/labels/team, value: mine}]}]
- webhook: "*.example.com"
  mock: [{}]
`)
	return w.String()
}

// writeBusyLog writes an audit log with the given number of events: in each namespace, objects are created, read,
// changed and deleted again, each namespace with its own user. The answers are those of a simulator, so that everything
// agrees.
func writeBusyLog(b *testing.B, world, path string, events int) {
	b.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	cycles := cyclesOf(b, world)
	start := time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC)
	for n, round := 0, 0; n < events; round++ {
		for _, cycle := range cycles {
			name := fmt.Sprintf("object-%08d", round)
			for _, event := range cycle {
				if n == events {
					break
				}
				at := start.Add(time.Duration(n) * 10 * time.Millisecond).Format("2006-01-02T15:04:05.000000Z")
				text := bytes.ReplaceAll(event, []byte("object-xxxxxxxx"), []byte(name))
				text = bytes.ReplaceAll(text, []byte("@time"), []byte(at))
				text = bytes.ReplaceAll(text, []byte("@id"), fmt.Appendf(nil, "00000000-0000-4000-8000-%012d", n))
				_, _ = w.Write(append(text, '\n'))
				n++
			}
		}
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}

// cyclesOf returns the life cycles of a pod and a ConfigMap in each namespace.
func cyclesOf(b *testing.B, path string) (cycles [][][]byte) {
	flags := worldFlags{paths: []string{path}, release: "1.36", controllers: true}
	w, err := flags.load(b.Context(), nil, scenario.Options{}, io.Discard)
	if err != nil {
		b.Fatal(err)
	}
	for i := range teams {
		for _, resource := range []string{"pods", "configmaps"} {
			l := life{b: b, sim: w.Simulator(), resource: resource, namespace: fmt.Sprintf("team-%d", i)}
			cycles = append(cycles, l.cycle())
		}
	}
	return cycles
}

// A life simulates the life cycle of one object.
type life struct {
	b         *testing.B
	sim       *simulator.Simulator
	resource  string
	namespace string
	events    [][]byte
}

func (l *life) cycle() [][]byte {
	first := l.do("create", "", bodies[l.resource], nil)
	l.do("get", "object-xxxxxxxx", "", nil)
	changed := strings.Replace(string(first), `"app":"web"`, `"app":"shop"`, 1)
	l.do("update", "object-xxxxxxxx", changed, nil)
	l.do("patch", "object-xxxxxxxx", `{"metadata":{"annotations":{"note":"patched"}}}`, nil)
	l.do("get", "object-xxxxxxxx", "", nil)
	l.do("delete", "object-xxxxxxxx", `{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0}`, nil)
	return l.events
}

func (l *life) do(verb, name, body string, query url.Values) []byte {
	user := authenticationv1.UserInfo{Username: "user-of-" + l.namespace, Groups: []string{"system:masters", "system:authenticated"}}
	req := rest.Request{
		Verb: verb, Resource: kschema.GroupVersionResource{Version: "v1", Resource: l.resource},
		Namespace: l.namespace, Name: name, Body: []byte(body), Query: query, User: user,
	}
	uri := "/api/v1/namespaces/" + l.namespace + "/" + l.resource
	if name != "" {
		uri += "/" + name
	}
	if verb == "patch" {
		req.PatchType = rest.MergePatch
	}
	result, err := l.sim.Do(l.b.Context(), req)
	if err != nil || result.Code >= 400 {
		l.b.Fatalf("%s %s: %v %v", verb, uri, err, result.Status())
	}
	l.sim = result.Next
	text, err := l.sim.View().Types().Encode(result.Object)
	if err != nil {
		l.b.Fatal(err)
	}
	event := map[string]any{
		"kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "RequestResponse", "auditID": "@id", "stage": "ResponseComplete",
		"requestURI": uri, "verb": verb, "user": user, "sourceIPs": []string{"10.0.0.7"}, "userAgent": "kubectl/v1.36.3 (linux/amd64)",
		"objectRef":                map[string]any{"resource": l.resource, "namespace": l.namespace, "name": "object-xxxxxxxx", "apiVersion": "v1"},
		"responseStatus":           map[string]any{"metadata": map[string]any{}, "code": result.Code},
		"responseObject":           json.RawMessage(text),
		"requestReceivedTimestamp": "@time", "stageTimestamp": "@time",
		"annotations": result.AuditAnnotations,
	}
	if body != "" {
		event["requestObject"] = json.RawMessage(body)
	}
	line, err := json.Marshal(event)
	if err != nil {
		l.b.Fatal(err)
	}
	l.events = append(l.events, line)
	return text
}

var bodies = map[string]string{
	"configmaps": `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"object-xxxxxxxx","labels":{"app":"web","tier":"front"}},"data":{"settings.yaml":"` + strings.Repeat(`level: info\n`, 60) + `"}}`,
	"pods": `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"object-xxxxxxxx","labels":{"app":"web","tier":"front"},"annotations":{"owner":"shop"}},
		"spec":{"serviceAccountName":"default","containers":[
		{"name":"web","image":"registry.example.com/shop/web:1.2.3","ports":[{"containerPort":8080,"name":"http"}],"env":[{"name":"LEVEL","value":"info"},{"name":"REGION","value":"eu"}],"resources":{"requests":{"cpu":"100m","memory":"128Mi"},"limits":{"cpu":"1","memory":"256Mi"}},"readinessProbe":{"httpGet":{"path":"/ready","port":"http"}},"volumeMounts":[{"name":"settings","mountPath":"/etc/web"}]},
		{"name":"proxy","image":"registry.example.com/mesh/proxy:4.5.6","args":["--port","15001"],"resources":{"requests":{"cpu":"10m","memory":"32Mi"}}}],
		"volumes":[{"name":"settings","configMap":{"name":"web"}}]}}`,
}
