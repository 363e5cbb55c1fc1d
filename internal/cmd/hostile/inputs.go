package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// An input is built to take more resources than its size suggests.
type input struct {
	name  string
	args  []string // arguments of admsim, which runs in the folder of the files
	files map[string]content
}

type content func(io.Writer)

func writeFile(dir, name string, write content) (size int64, err error) {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	write(w)
	if err = w.Flush(); err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), f.Close()
}

// text is a short content.
func text(s string) content { return func(w io.Writer) { io.WriteString(w, s) } }

// many writes n parts between a beginning and an end.
func many(before string, n int, part func(i int) string, between, after string) content {
	return func(w io.Writer) {
		io.WriteString(w, before)
		for i := range n {
			if i > 0 {
				io.WriteString(w, between)
			}
			io.WriteString(w, part(i))
		}
		io.WriteString(w, after)
	}
}

func formatted(format string) func(int) string {
	return func(i int) string { return strings.ReplaceAll(format, "#", fmt.Sprint(i)) }
}

func always(s string) func(int) string { return func(int) string { return s } }

const (
	podBefore = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"default"},"spec":{"containers":[`
	podAfter  = `]}}`
	container = `{"name":"a","image":"b"}`
)

// pod has these resources in its only container.
func pod(quantity content) content {
	return func(w io.Writer) {
		io.WriteString(w, podBefore+`{"name":"a","image":"b","resources":{"limits":{"cpu":`)
		quantity(w)
		io.WriteString(w, `}}}`+podAfter)
	}
}

func podWith(n int, env int) content {
	envs := strings.TrimSuffix(strings.Repeat(`{"name":"e%","value":"v"},`, env), ",")
	for i := range env {
		envs = strings.Replace(envs, "%", fmt.Sprint(i), 1)
	}
	return many(podBefore, n, formatted(`{"name":"c#","image":"x","env":[`+envs+`]}`), ",", podAfter)
}

// configMap has the given content between the braces of its data.
func configMap(data content) content {
	return func(w io.Writer) {
		io.WriteString(w, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"},"data":{`)
		data(w)
		io.WriteString(w, `}}`)
	}
}

// policy has one validation.
func policy(expression string) content {
	return text(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  failurePolicy: Fail
  matchConstraints: {resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]}
  validations:
  - expression: >-
      ` + expression + `
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [Deny]}
`)
}

// mutator is a webhook that answers with these operations.
func mutator(n int, operation func(int) string) content {
	return many(`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingWebhookConfiguration","metadata":{"name":"m"},"webhooks":[{
"name":"m.example.com","admissionReviewVersions":["v1"],"sideEffects":"None","clientConfig":{"url":"https://localhost/"},
"rules":[{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*"]}]}]}
{"apiVersion":"admsim.dev/v1beta1","kind":"Backends","backends":[{"webhook":"m.example.com","mock":[{"patch":[`,
		n, operation, ",", `]}]}]}`)
}

const event = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"1","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/default/configmaps","verb":"create","user":{"username":"a"},"objectRef":{"resource":"configmaps","namespace":"default","name":"a","apiVersion":"v1"},"responseStatus":{"code":201},"requestObject":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"default"}}}
`

// brokenLine returns a line that begins like a record, so that it counts as an unreadable record and not as part of the
// previous one.
func brokenLine(i int) string { return fmt.Sprintf("{\"broken\": %d]\n", i) }

const smallPod = podBefore + container + podAfter

func inputs() []input {
	runPod := []string{"run", "-f", "pod.json"}
	runPolicy := []string{"run", "-C", "policy.yaml", "-f", "pod.json"}
	runWebhook := []string{"run", "-C", "webhook.json", "-f", "pod.json"}
	page := func(args []string) []string { return append(append([]string{}, args...), "-o", "html=page.html") }
	one := func(name string, c content) map[string]content { return map[string]content{name: c} }
	withPolicy := func(expression string) map[string]content {
		return map[string]content{"policy.yaml": policy(expression), "pod.json": text(smallPod)}
	}
	withWebhook := func(n int, operation func(int) string) map[string]content {
		return map[string]content{"webhook.json": mutator(n, operation), "pod.json": text(smallPod)}
	}
	all := []input{
		{"a pod of 1,000 containers", page(runPod), one("pod.json", podWith(1000, 20))},
		{"a pod of 3,000 containers, to which a webhook adds an annotation", page(runWebhook), map[string]content{
			"webhook.json": mutator(1, always(`{"op":"add","path":"/metadata/annotations","value":{"a":"b"}}`)), "pod.json": podWith(3000, 20)}},
		{"a CRD of 10,000 properties", []string{"run", "-f", "crd.json", "-o", "html=page.html"}, one("crd.json", crd(10_000))},
		{"a patch of 50,000 additions to one list", runWebhook, withWebhook(50_000, formatted(`{"op":"add","path":"/spec/containers/-","value":{"name":"c#","image":"x"}}`))},
		{"a patch of 50,000 additions at the beginning of one list", runWebhook, withWebhook(50_000, formatted(`{"op":"add","path":"/spec/containers/0","value":{"name":"c#","image":"x"}}`))},
		{"a patch of 50,000 labels", runWebhook, withWebhook(50_000, func(i int) string {
			if i == 0 {
				return `{"op":"add","path":"/metadata/labels","value":{}}`
			}
			return fmt.Sprintf(`{"op":"add","path":"/metadata/labels/l%d","value":"x"}`, i)
		})},
		{"a patch that copies an object into itself 40 times", runWebhook, withWebhook(41, func(i int) string {
			if i == 0 {
				return `{"op":"add","path":"/metadata/annotations","value":{}}`
			}
			return fmt.Sprintf(`{"op":"copy","from":"/metadata","path":"/metadata/annotations/a%d"}`, i)
		})},
		{"100,000 fields that do not exist", runPod, one("pod.json", many(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"default"},"spec":{"containers":[`+container+`],`, 100_000, formatted(`"field#":1`), ",", `}}`))},
		{"100,000 fields that do not exist, in YAML", []string{"run", "-f", "pod.yaml"}, one("pod.yaml", many("apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: default}\nspec:\n  containers: [{name: a, image: b}]\n", 100_000, formatted("  field#: 1\n"), "", ""))},
		{"100,000 fields that do not exist, in a webhook configuration", []string{"run", "-C", "w.json", "-f", "pod.json"}, map[string]content{"pod.json": text(smallPod),
			"w.json": many(`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"a"},"webhooks":[{"name":"a.b.c",`, 100_000, formatted(`"field#":1`), ",", `}]}`)}},
		{"100,000 keys that stand twice", runPod, one("pod.json", configMap(many("", 200_000, func(i int) string { return fmt.Sprintf(`"k%d":"v"`, i/2) }, ",", "")))},
		{"100,000 labels that are not valid", runPod, one("pod.json", many(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"default","labels":{`, 100_000, formatted(`"-#":"x y"`), ",", `}},"spec":{"containers":[`+container+`]}}`))},
		{"20,000 containers of the same name", runPod, one("pod.json", many(podBefore, 20_000, always(container), ",", podAfter))},
		{"a quantity of 2 MB", runPod, one("pod.json", pod(many(`"`, 2<<20, always("9"), "", `"`)))},
		{"a quantity of 2 MB behind the point", runPod, one("pod.json", pod(many(`"0.`, 2<<20, always("9"), "", `"`)))},
		{"a quantity with a big exponent", runPod, one("pod.json", pod(text(`"1e999999999"`)))},
		{"a quantity with a big exponent, for which a CRD has a rule", []string{"run", "-C", "crd.json", "-f", "widget.json"}, map[string]content{
			"crd.json":    text(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"string","maxLength":20,"x-kubernetes-validations":[{"rule":"quantity(self).isLessThan(quantity('1Gi'))"}]}}}}}]}}`),
			"widget.json": text(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"default"},"a":"1e999999999"}`)}},
		{"a quantity with a small exponent", runPod, one("pod.json", pod(text(`"1e-999999999"`)))},
		{"a number with a big exponent", runPod, one("pod.json", pod(text(`1e999999999`)))},
		{"a quantity of a ResourceQuota with a big exponent", []string{"run", "-C", "quota.yaml", "-f", "pod.json"}, map[string]content{
			"quota.yaml": text("apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: default}\nspec: {hard: {limits.cpu: 1e999999999}}\n"), "pod.json": pod(text(`"1"`))}},
		{"a number of 1 MB in YAML", []string{"run", "-f", "pod.yaml"}, one("pod.yaml", many("apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: default, generation: ", 1<<20, always("9"), "", "}\n"))},
		{"quantity() of a big exponent in CEL", runPolicy, withPolicy(`quantity('1e999999999').compareTo(quantity('1')) > 0`)},
		{"quantity() of a big exponent, added", runPolicy, withPolicy(`quantity('1e999999999').add(quantity('1')).isInteger()`)},
		{"quantity() of a small exponent in CEL", runPolicy, withPolicy(`quantity('1e-999999999').asInteger() > 0`)},
		{"a regular expression of nested repetitions in CEL", runPolicy, withPolicy(`'a'.matches('((a{0,30}){0,30}){0,30}')`)},
		{"a long text, doubled in CEL", runPolicy, withPolicy(`[0,1,2,3,4,5,6,7,8,9].map(a, [0,1,2,3,4,5,6,7,8,9].map(b, [0,1,2,3,4,5,6,7,8,9].map(c, [0,1,2,3,4,5,6,7,8,9].map(d, [0,1,2,3,4,5,6,7,8,9].map(e, [0,1,2,3,4,5,6,7,8,9].map(f, object)))))).size() > 0`)},
		{"replace of an empty text in CEL", runPolicy, withPolicy(`'aaaaaaaaaa'.replace('', 'aaaaaaaaaa').replace('', 'aaaaaaaaaa').replace('', 'aaaaaaaaaa').replace('', 'aaaaaaaaaa').replace('', 'aaaaaaaaaa').replace('', 'aaaaaaaaaa').replace('', 'aaaaaaaaaa').replace('', 'aaaaaaaaaa').size() > 0`)},
		{"format with a big precision in CEL", runPolicy, withPolicy(`'%.999999999f'.format([1.0]).size() > 0`)},
		{"semver() of a long number in CEL", runPolicy, withPolicy(`semver('1.' + object.metadata.name + '99999999999999999999999999999.1').major() > 0`)},
		{"a patch of 20,000 additions, each tested", runWebhook, withWebhook(20_001, func(i int) string {
			if i == 0 {
				return `{"op":"add","path":"/metadata/labels","value":{}}`
			}
			return fmt.Sprintf(`{"op":"add","path":"/metadata/labels/l%d","value":"x"},{"op":"test","path":"/metadata/labels/l%d","value":"x"}`, i, i)
		})},
		{"a patch of a webhook with a quantity of a big exponent", runWebhook, withWebhook(1, always(`{"op":"add","path":"/spec/containers/0/resources","value":{"limits":{"cpu":"1e-999999999"}}}`))},
		{"1,000,000 broken lines, replayed", []string{"replay", "lines.log"}, one("lines.log", many(event, 1_000_000, brokenLine, "", ""))},
		{"1,000,000 broken lines, replayed to a page", []string{"replay", "lines.log", "-o", "html=page.html"}, one("lines.log", many(event, 1_000_000, brokenLine, "", ""))},
		{"1,000,000 broken lines, converted", []string{"convert", "audit", "lines.log"}, one("lines.log", many(event, 1_000_000, brokenLine, "", ""))},
		{"100,000 documents", []string{"run", "-f", "maps.yaml", "-o", "jsonl"}, one("maps.yaml", many("", 100_000, formatted("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c#, namespace: default}\ndata: {a: b}\n"), "---\n", ""))},
		{"20,000 documents, in one of JSON", []string{"run", "-f", "maps.yaml", "-o", "json"}, one("maps.yaml", many("", 20_000, formatted("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c#, namespace: default}\ndata: {a: b}\n"), "---\n", ""))},
		{"100,000 broken documents", []string{"run", "-f", "maps.yaml"}, one("maps.yaml", many("", 100_000, formatted("{ #: [\n"), "---\n", ""))},
		{"a kind of 5 MB", []string{"run", "-f", "long.yaml"}, one("long.yaml", many("apiVersion: v1\nkind: ", 5<<20, always("x"), "", "\nmetadata: {name: a}\n"))},
		{"a field of 5 MB", []string{"run", "-f", "long.yaml"}, one("long.yaml", many("apiVersion: v1\nkind: Pod\nmetadata: {name: a, ", 5<<20, always("x"), "", ": 1}\n"))},
		{"a value of 2 MB that is denied", []string{"run", "-f", "long.yaml"}, one("long.yaml", many("apiVersion: v1\nkind: Pod\nmetadata: {name: ", 2<<20, always("x_"), "", "}\nspec: {containers: [{name: a, image: b}]}\n"))},
		{"values that touch", []string{"run", "-f", "touch.yaml"}, one("touch.yaml", text("{}1-1"))},
		{"YAML aliases that double 30 times", []string{"run", "-f", "alias.yaml"}, one("alias.yaml", many("a0: &a0 [x,x]\n", 30, func(i int) string { return fmt.Sprintf("a%d: &a%d [*a%d,*a%d]\n", i+1, i+1, i, i) }, "", ""))},
		{"100,000 lists in each other", []string{"run", "-f", "deep.json"}, one("deep.json", many(`{"a":`, 100_000, always("["), "", ""))},
		{"100,000 lists in each other, in YAML", []string{"run", "-f", "deep.yaml"}, one("deep.yaml", many(`a: `, 100_000, always("["), "", ""))},
		{"a line of 60 MB", []string{"replay", "line.log"}, one("line.log", many(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","stage":"ResponseComplete","x":"`, 60<<20, always("x"), "", `"}`))},
		{"a line of 100 MB", []string{"replay", "line.log"}, one("line.log", many(`{"kind":"Event","x":"`, 100<<20, always("x"), "", `"}`))},
	}
	return all
}

func crd(properties int) content {
	return many(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{`,
		properties, formatted(`"p#":{"type":"string","description":"property #"}`), ",", `}}}}}}]}}`)
}
