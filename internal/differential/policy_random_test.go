package differential

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/admission"
)

// A draw generates random policies and requests. Their expressions together use everything that a policy can see, and
// fail in all possible ways.
type draw struct{ *rand.Rand }

func (d draw) one(list []string) string { return list[d.IntN(len(list))] }
func (d draw) odds(n int) bool          { return d.IntN(n) == 0 }

var (
	someBooleans = []string{
		"true", "false", "object.data.a == '1'", "object.data.zzz == '1'", "has(object.data.zzz)",
		"variables.v1", "variables.v2 == 'x'", "variables.v3 > 0", "variables.v2 == 'x' && variables.v1", "variables.v1 || true",
		"object.metadata.name == request.name", "oldObject == null", "oldObject.data.a == object.data.a",
		"request.userInfo.groups.exists(g, g == 'shop')", "request.userInfo.extra['k'][0] == 'v'", "has(request.dryRun) && request.dryRun",
		"request.options.fieldManager == 'kubectl'", "has(request.options.fieldManager)", "namespaceObject.metadata.labels.team == 'a'",
		"namespaceObject.metadata.labels['none'] == 'a'", "namespaceObject.status.phase == 'Active'", "has(namespaceObject.metadata.uid)",
		"authorizer.group('').resource('configmaps').namespace('shop').check('get').allowed()",
		"authorizer.requestResource.check('create').allowed()", "authorizer.path('/healthz').check('get').reason() == ''",
		"authorizer.group('').resource('pods').check('get').errored()", "authorizer.serviceAccount('shop', 'x').group('').resource('pods').check('get').allowed()",
		"variables.big", "quantity('1Gi').isGreaterThan(quantity('1Mi'))", "quantity(object.data.a).isGreaterThan(quantity('x'))",
		"ip(object.data.a).isCanonical()", "cidr('10.0.0.0/8').containsIP(object.data.a)", "url(object.data.a).getHost() == ''",
		"object.data.a.matches('[')", "object.data.a.matches(object.data.re)", "semver('1.2.3').isLessThan(semver('x'))", "format.dns1123Label().validate(object.metadata.name).hasValue()",
		"object.data.all(k, k.startsWith('a'))", "object.data['a'] + 1 == 2", "dyn(object.data.a) + dyn(1) == dyn(2)", "int(object.data.a) / int(object.data.zero) == 1",
		"object.metadata.?labels[?'x'].orValue('') == ''", "object.metadata.labels['x'] == 'y'", "sets.contains(['a'], object.data.map(k, k))",
		"request.object.data.a == '1'", "type(object) == map", "object.kind == 'ConfigMap' && object.apiVersion == 'v1'", "object.metadata.creationTimestamp == null",
		"string(object) == ''", "object == oldObject", "object.data == {'a': '1'}", "duration('1h') < duration(object.data.a)", "timestamp(object.data.a) < timestamp('2026-01-01T00:00:00Z')",
		"has(object.immutable) && object.immutable", "size(object.binaryData.b) == 2", "object.binaryData.b == b'xy'", "type(object.binaryData.b) == bytes",
		"params == null", "params.data.limit == '5'", "params.data.none == '5'", "params.kind == 'ConfigMap'", "int(params.data.limit) > int(object.data.a)",
		"oldObject.data.a == 'x' ? true : object.data.a == '1'", "request.subResource == ''", "has(request.subResource)", "request.name == ''", "request.namespace == 'shop'", "request.uid != ''",
		"request.requestKind.kind == 'ConfigMap'", "object.data.exists_one(k, k == 'a')", "object.data.transformMap(k, v, v + 'x') == {'a': '1x'}", "math.greatest([1, 2]) == 2", "base64.decode('aGk=') == b'hi'",
	}
	someStrings = []string{
		"'plain'", "''", "'   '", "' trimmed '", "'a\\nb'", "'é'", "'\"quoted\"'", "string(object.data.a)", "string(object.data.zzz)", "'v2 ' + string(variables.v2)", "string(variables.v1)",
		"request.userInfo.username", "'limit ' + string(params.data.limit)", "params == null ? 'none' : 'some'", "string(1/0)", "string(namespaceObject.metadata.labels.team)", "string(namespaceObject.spec.finalizers[0])",
		"string(namespaceObject.metadata.uid)", "variables.bad", "string(variables.big)", "variables.who", "object.data.map(k, k).sort().join(',')", "'%s %d'.format(['x', 1])", "'x'.replace('x', 'xxxxxxxxxx').replace('x', 'yyyyyyyyyyyy').replace('y', 'zzzzzzzzzzzz').replace('z', 'zzzzzzz')",
		"string(has(namespaceObject.metadata.managedFields))", "string(namespaceObject)",
	}
	someVariables = map[string][]string{
		"v1":  {"true", "false", "object.data.a == '1'", "object.data.zzz == '1'", "params.data.limit == '5'"},
		"v2":  {"'x'", "string(object.data.a)", "string(object.data.zzz)", "variables.v1 ? 'x' : 'y'", "string(params.data.none)"},
		"v3":  {"1", "size(variables.v2)", "int(object.data.a)", "object.data.a"},
		"bad": {"string(1/0)", "string(variables.v3 / 0)", "'fine'"},
		"big": {"[0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, [0,1,2,3,4,5,6,7,8,9].all(c, [0,1,2,3,4,5,6,7,8,9].all(d, true))))", "true"},
		"who": {"authorizer.group('').resource('pods').check('get').reason()", "request.userInfo.username", "string(authorizer.requestResource.check('create').allowed())"},
	}
	variableNames = []string{"v1", "v2", "v3", "bad", "big", "who"}
	someChanges   = []string{
		"Object{}", "Object{data: {'n': 'x'}}", "Object{data: {'a': variables.v2}}", "Object{data: {'n': string(object.data.a) + '!'}}", "Object{data: {'n': string(object.data.zzz)}}",
		"Object{metadata: Object.metadata{labels: {'n': 'x'}}}", "Object{metadata: Object.metadata{labels: {'bad': 'no!'}}}", "Object{metadata: Object.metadata{annotations: {'who': variables.who}}}",
		"Object{data: {'n': 1}}", "Object{data: {'n': null}}", "Object{data: {'n': 1.5}}", "Object{data: {'n': true}}", "Object{data: {'n': ['x']}}", "Object{binaryData: {'b': b'xy'}}", "Object{binaryData: {'b': 'eHk='}}", "Object{binaryData: {'b': '!'}}",
		"Object{immutable: true}", "Object{immutable: 'yes'}", "Object{colour: 'red'}", "Object{metadata: Object.metadata{finalizers: ['example.com/f']}}", "Object{metadata: Object.metadata{finalizers: []}}", "Object{metadata: Object.metadata{ownerReferences: []}}",
		"Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{uid: 'u', name: 'n', kind: 'k', apiVersion: 'v1'}]}}", "Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{name: 'n'}]}}",
		"Object{metadata: Object.metadata{name: 'other'}}", "Object{metadata: Object.metadata{generation: 3}}", "Object{metadata: Object.metadata{generation: '3'}}", "Object{metadata: Object.metadata{creationTimestamp: timestamp('2026-01-01T00:00:00Z')}}",
		"Object{metadata: Object.metadata{labels: {}}}", "Object{metadata: Object.metadata{}}", "Object{data: {}}", "Object{kind: 'Secret'}", "Object{apiVersion: 'v2'}", "Object{spec: Object.spec{}}", "Object{metadata: Object.spec{}}", "Object{metadata: {'labels': {'a': 'b'}}}",
		"Object{data: variables.v1 ? {'n': 'yes'} : {'n': 'no'}}", "has(object.data.n) ? Object{} : Object{data: {'n': 'x'}}", "Object{data: {'count': string(size(object.data))}}", "Object{data: {'old': oldObject == null ? 'none' : 'some'}}", "Object{data: {'p': params.data.limit}}",
		"Object{data: object.data}", "Object{?immutable: optional.none()}", "Object{data: {'d': duration('1h')}}", "Object{data: {'u': 1u}}", "Object{metadata: Object.metadata{managedFields: [Object.metadata.managedFields{manager: 'x'}]}}", "Object{metadata: Object.metadata{finalizers: ['a/b', 'a/b']}}",
	}
	somePatches = []string{
		"[]", "[JSONPatch{op: 'add', path: '/data/n', value: 'x'}]", "[JSONPatch{op: 'add', path: '/data/n', value: string(object.data.a) + '!'}]", "[JSONPatch{op: 'add', path: '/data/n', value: 1}]", "[JSONPatch{op: 'add', path: '/data/n', value: null}]", "[JSONPatch{op: 'add', path: '/data/n'}]",
		"[JSONPatch{op: 'remove', path: '/data/a'}]", "[JSONPatch{op: 'remove', path: '/data/zzz'}]", "[JSONPatch{op: 'replace', path: '/data/a', value: '2'}]", "[JSONPatch{op: 'replace', path: '/data/zzz', value: '2'}]", "[JSONPatch{op: 'copy', from: '/data/a', path: '/data/n'}]", "[JSONPatch{op: 'copy', from: '/data/zzz', path: '/data/n'}]",
		"[JSONPatch{op: 'move', from: '/data/a', path: '/data/n'}]", "[JSONPatch{op: 'move', from: '/data/zzz', path: '/data/n'}]", "[JSONPatch{op: 'test', path: '/data/a', value: '1'}, JSONPatch{op: 'add', path: '/data/n', value: 'x'}]", "[JSONPatch{op: 'test', path: '/data/zzz', value: null}, JSONPatch{op: 'add', path: '/data/n', value: 'x'}]",
		"[JSONPatch{op: 'test', path: '/nowhere/zzz', value: 'x'}]", "[JSONPatch{op: 'merge', path: '/data'}]", "[JSONPatch{op: '', path: '/data'}]", "[JSONPatch{op: 'add', path: 'data', value: 'x'}]", "[JSONPatch{op: 'add', path: '', value: {}}]", "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'n': 'x'}}]", "[JSONPatch{op: 'add', path: '/metadata/labels/n', value: 'x'}]",
		"[JSONPatch{op: 'add', path: '/metadata/annotations/n', value: 'x'}]", "[JSONPatch{op: 'add', path: '/metadata/finalizers', value: ['a/b']}]", "[JSONPatch{op: 'add', path: '/metadata/finalizers/-', value: 'a/b'}]", "[JSONPatch{op: 'add', path: '/immutable', value: 'yes'}]", "[JSONPatch{op: 'add', path: '/immutable', value: true}]", "[JSONPatch{op: 'add', path: '/colour', value: 'red'}]",
		"[JSONPatch{op: 'add', path: '/binaryData', value: {'b': b'xy'}}]", "[JSONPatch{op: 'add', path: '/binaryData', value: {'b': 'not base64'}}]", "[JSONPatch{op: 'add', path: '/apiVersion', value: 'apps/v1'}]", "[JSONPatch{op: 'remove', path: '/kind'}]", "[JSONPatch{op: 'remove', path: '/metadata'}]", "[JSONPatch{op: 'replace', path: '/metadata', value: Object.metadata{name: 'settings', namespace: 'shop'}}]",
		"[JSONPatch{op: 'add', path: '/metadata/creationTimestamp', value: timestamp('2026-01-01T00:00:00Z')}]", "[JSONPatch{op: 'add', path: '/metadata/creationTimestamp', value: 'x'}]", "[JSONPatch{op: 'add', path: '/metadata/generation', value: 1.5}]", "[JSONPatch{op: 'add', path: '/metadata/generation', value: 3u}]",
		"[JSONPatch{op: 'add', path: '/data/n', value: duration('1h')}]", "[JSONPatch{op: 'add', path: '/data/n', value: duration}]", "[JSONPatch{op: 'add', path: '/data/' + jsonpatch.escapeKey('a/b~c'), value: 'x'}]", "[JSONPatch{op: 'add', path: '/data/n', value: object.data.zzz}]", "object.data.map(k, k).sort().map(k, JSONPatch{op: 'add', path: '/metadata/labels/' + k, value: 'x'})", "variables.v1 ? [JSONPatch{op: 'remove', path: '/data'}] : []", "[JSONPatch{op: 'add', path: '/data/n', value: 9223372036854775807}]",
		"[JSONPatch{op: 'add', path: '/data/count', value: string(size(object.data))}]", "[JSONPatch{op: 'add', path: '/data/n', value: 'a\"b\\n<é>'}]", "[JSONPatch{op: 'add', path: '/data/\"q\"\\u00e9', value: 'x'}]", "[JSONPatch{op: 'copy', path: '/data/n'}]", "[JSONPatch{op: 'replace', path: '/data', value: {}}]", "[JSONPatch{op: 'replace', path: '/data', value: {1: 'x'}}]", "[JSONPatch{op: 'replace', path: '/data', value: [1]}]", "[JSONPatch{op: 'replace', path: '/metadata/name', value: 'other'}]",
		"[JSONPatch{op: 'replace', path: ''}]", "[JSONPatch{op: 'test', path: ''}]", "[JSONPatch{op: 'add', path: '/data', value: [null]}, JSONPatch{op: 'test', path: '/data', value: [null]}]",
	}
)

func (d draw) failure() *admissionregistrationv1.FailurePolicyType {
	if d.odds(3) {
		return new(admissionregistrationv1.Ignore)
	}
	return new(admissionregistrationv1.Fail)
}

func (d draw) variables() (list []admissionregistrationv1.Variable) {
	for _, name := range variableNames {
		list = append(list, admissionregistrationv1.Variable{Name: name, Expression: d.one(someVariables[name])})
	}
	return list
}

func (d draw) conditions() (list []admissionregistrationv1.MatchCondition) {
	if d.odds(3) {
		for i := range 1 + d.IntN(3) {
			e := "true"
			if d.odds(2) {
				e = d.one(someBooleans)
			}
			list = append(list, admissionregistrationv1.MatchCondition{Name: fmt.Sprintf("c%d", i), Expression: e})
		}
	}
	return list
}

func (d draw) params() (*admissionregistrationv1.ParamKind, *admissionregistrationv1.ParamRef) {
	if d.odds(2) {
		return nil, nil
	}
	kind := &admissionregistrationv1.ParamKind{APIVersion: "v1", Kind: "ConfigMap"}
	if d.odds(12) {
		kind.Kind = "Unknown"
	}
	if d.odds(12) {
		kind.Kind = "Namespace"
	}
	if d.odds(6) {
		return kind, nil
	}
	action := admissionregistrationv1.AllowAction
	if d.odds(2) {
		action = admissionregistrationv1.DenyAction
	}
	ref := &admissionregistrationv1.ParamRef{ParameterNotFoundAction: &action}
	if d.odds(3) {
		ref.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"set": d.one([]string{"one", "none"})}}
	} else {
		ref.Name = d.one([]string{"limits", "absent", "shop", "limits", "limits"})
	}
	if d.odds(2) {
		ref.Namespace = d.one([]string{"shop", "elsewhere"})
	}
	return kind, ref
}

func constraints(name string) *admissionregistrationv1.MatchResources {
	return &admissionregistrationv1.MatchResources{
		ObjectSelector:    &metav1.LabelSelector{MatchLabels: map[string]string{"case": name}},
		NamespaceSelector: &metav1.LabelSelector{},
		MatchPolicy:       new(admissionregistrationv1.Equivalent),
		ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
			Operations: []admissionregistrationv1.OperationType{"*"},
			Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"*"}, Scope: new(admissionregistrationv1.AllScopes)},
		}}},
	}
}

func (d draw) validating(name string) []runtime.Object {
	kind, ref := d.params()
	p := &admissionregistrationv1.ValidatingAdmissionPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingAdmissionPolicy"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			ParamKind: kind, MatchConstraints: constraints(name), FailurePolicy: d.failure(),
			MatchConditions: d.conditions(), Variables: d.variables(),
		},
	}
	for range d.IntN(4) {
		v := admissionregistrationv1.Validation{Expression: d.one(someBooleans)}
		if d.odds(2) {
			v.MessageExpression = d.one(someStrings)
		}
		if d.odds(2) {
			v.Message = " some message "
		}
		if d.odds(3) {
			v.Reason = new(metav1.StatusReason(d.one([]string{"Forbidden", "Unauthorized", "Invalid", "RequestEntityTooLarge"})))
		}
		p.Spec.Validations = append(p.Spec.Validations, v)
	}
	for i := range d.IntN(3) {
		p.Spec.AuditAnnotations = append(p.Spec.AuditAnnotations, admissionregistrationv1.AuditAnnotation{Key: fmt.Sprintf("k%d", i), ValueExpression: d.one(someStrings)})
	}
	b := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingAdmissionPolicyBinding"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: name, ParamRef: ref},
	}
	b.Spec.ValidationActions = [][]admissionregistrationv1.ValidationAction{
		{"Deny"}, {"Warn"}, {"Audit"}, {"Warn", "Audit"}, {"Deny", "Audit"}, {"Audit", "Warn"},
	}[d.IntN(6)]
	return []runtime.Object{p, b}
}

func (d draw) mutating(name string) []runtime.Object {
	kind, ref := d.params()
	p := &admissionregistrationv1.MutatingAdmissionPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "MutatingAdmissionPolicy"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.MutatingAdmissionPolicySpec{
			ParamKind: kind, MatchConstraints: constraints(name), FailurePolicy: d.failure(),
			MatchConditions: d.conditions(), Variables: d.variables(), ReinvocationPolicy: admissionregistrationv1.NeverReinvocationPolicy,
		},
	}
	if d.odds(2) {
		p.Spec.ReinvocationPolicy = admissionregistrationv1.IfNeededReinvocationPolicy
	}
	for range 1 + d.IntN(3) {
		if d.odds(2) {
			p.Spec.Mutations = append(p.Spec.Mutations, admissionregistrationv1.Mutation{PatchType: "JSONPatch", JSONPatch: &admissionregistrationv1.JSONPatch{Expression: d.one(somePatches)}})
		} else {
			p.Spec.Mutations = append(p.Spec.Mutations, admissionregistrationv1.Mutation{PatchType: "ApplyConfiguration", ApplyConfiguration: &admissionregistrationv1.ApplyConfiguration{Expression: d.one(someChanges)}})
		}
	}
	b := &admissionregistrationv1.MutatingAdmissionPolicyBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "MutatingAdmissionPolicyBinding"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{PolicyName: name, ParamRef: ref},
	}
	return []runtime.Object{p, b}
}

func (d draw) request(name string) admission.Request {
	r := testCase{}.admission()
	object := func() *corev1.ConfigMap {
		o := &corev1.ConfigMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "settings", Labels: map[string]string{"case": name}},
			Data:       map[string]string{"a": d.one([]string{"1", "5", "x", "10.1.2.3", "1h"}), "zero": "0", "re": "["},
		}
		if d.odds(4) {
			o.BinaryData = map[string][]byte{"b": []byte("xy")}
		}
		if d.odds(4) {
			o.Immutable = new(true)
		}
		if d.odds(4) {
			o.Finalizers = []string{"example.com/a"}
		}
		return o
	}
	r.Object = object()
	if d.odds(3) {
		r.DryRun = true
	}
	switch d.IntN(4) {
	case 0:
		r.Operation, r.OldObject = "UPDATE", object()
		r.Options = &metav1.UpdateOptions{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "UpdateOptions"}}
	case 1:
		r.Operation, r.OldObject, r.Object = "DELETE", object(), nil
		r.Options = &metav1.DeleteOptions{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "DeleteOptions"}}
	}
	return r
}

// TestRandomPolicies sends random requests through random policies, each of them selected by a label of its own, since
// the server evaluates several policies in any order.
func TestRandomPolicies(t *testing.T) {
	t.Parallel()
	const policies, requests = 200, 3
	d := draw{rand.New(rand.NewPCG(1, 1))}
	var all []runtime.Object
	for _, namespace := range []string{"shop", "elsewhere"} {
		all = append(all, &corev1.ConfigMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "limits", Labels: map[string]string{"set": "one"}},
			Data:       map[string]string{"limit": "5"},
		})
	}
	written := make([][]runtime.Object, policies)
	for i := range written {
		if i%2 == 0 {
			written[i] = d.validating(fmt.Sprint("p", i))
		} else {
			written[i] = d.mutating(fmt.Sprint("p", i))
		}
		all = append(all, written[i]...)
	}
	server, sim := newPolicyServer(t, all...), newPolicyAdmsim(t, all...)
	for i, policy := range written {
		for range requests {
			req := d.request(fmt.Sprint("p", i))
			want, got := server.Admit(t.Context(), req), sim.Admit(t.Context(), req)
			if diff := cmp.Diff(want.normalized(t), got.normalized(t)); diff != "" {
				text, _ := json.Marshal(policy)
				t.Errorf("%s (-server +admsim):\n%s\n%s", req.Operation, diff, text)
			}
		}
	}
}
