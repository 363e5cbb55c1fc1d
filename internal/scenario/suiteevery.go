package scenario

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"
)

// An Every is a region: all requests that there could be to some resources, as far as these say.
type Every struct {
	Operations                        []string              // such as CREATE; empty: all
	Resources                         []string              // such as deployments.apps/scale
	NamespaceSelector, ObjectSelector *metav1.LabelSelector // nil: whatever the labels are
	Conditions                        []Condition           // as the matchConditions of a webhook

	Source Source
}

// readEvery reads a region.
func readEvery(v value) *Every {
	if !v.mapping("operations", "resources", "namespaceSelector", "objectSelector", "conditions") {
		return nil
	}
	e := &Every{Source: v.source(), NamespaceSelector: readSelector(v.at("namespaceSelector")), ObjectSelector: readSelector(v.at("objectSelector"))}
	for _, one := range v.at("operations").listOfTexts() {
		e.Operations = append(e.Operations, one.oneOf("CREATE", "UPDATE", "DELETE", "CONNECT"))
	}
	resources := v.at("resources")
	e.Resources = resources.texts()
	if items, isList := resources.is.([]any); v.lacks("resources") || isList && len(items) == 0 || slices.Contains(e.Resources, "") {
		v.errorf(`such as {operations: [CREATE], resources: [pods, deployments.apps/scale]}; ["*"] stands for all`, "no resources")
	}
	e.Conditions = readConditions(v.at("conditions"))
	return e
}

// readSelector reads a selector of labels.
func readSelector(v value) *metav1.LabelSelector {
	if !v.given() {
		return nil
	}
	s := &metav1.LabelSelector{}
	strict, err := kjson.UnmarshalStrict(v.raw(), s)
	if err == nil && len(strict) > 0 {
		err = strict[0]
	}
	if err == nil {
		_, err = metav1.LabelSelectorAsSelector(s)
	}
	if err != nil {
		v.errorf("such as {matchLabels: {team: shop}}", "%v", err)
	}
	return s
}

// regionKeys are those of expectations of regions.
var regionKeys = []string{"asked", "notAsked"}

// aboutRegion reports what is expected of a region as if it was a request.
func (e Expect) aboutRegion() {
	for _, key := range append([]string{"expand"}, expectKeys...) {
		if one := e.value.at(key); one.given() && !slices.Contains(regionKeys, key) {
			one.errorf("of a region, expect asked or notAsked", "%s is about a request", key)
		}
	}
	if e.value.given() && e.value.lacks("asked") && e.value.lacks("notAsked") {
		e.value.errorf("such as expect: {asked: [policy.example.com]}", "nothing is expected of the region")
	}
}

// aboutRequest reports what is expected of a request as if it was a region.
func (e Expect) aboutRequest() {
	for _, key := range regionKeys {
		if one := e.value.at(key); one.given() {
			one.errorf("of a request, expect trace: {called: [...]} or {notCalled: [...]}", "%s is about a region, which stands under every", key)
		}
	}
}
