package scenario

import (
	"slices"

	"github.com/admsim/admsim/internal/manifest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"
)

// An Every is a region: all possible requests for some resources, within these limits.
type Every struct {
	Operations                        []string              // such as CREATE; empty: all
	Resources                         []string              // such as deployments.apps/scale
	NamespaceSelector, ObjectSelector *metav1.LabelSelector // nil: any labels
	Conditions                        []Condition           // like the matchConditions of a webhook

	Source manifest.Source
}

// readEvery reads a region.
func readEvery(v manifest.Value) *Every {
	if !v.Mapping("operations", "resources", "namespaceSelector", "objectSelector", "conditions") {
		return nil
	}
	e := &Every{Source: v.Source(), NamespaceSelector: readSelector(v.At("namespaceSelector")), ObjectSelector: readSelector(v.At("objectSelector"))}
	for _, one := range v.At("operations").ListOfTexts() {
		e.Operations = append(e.Operations, one.OneOf("CREATE", "UPDATE", "DELETE", "CONNECT"))
	}
	resources := v.At("resources")
	e.Resources = resources.Texts()
	if items, isList := resources.Is.([]any); v.Lacks("resources") || isList && len(items) == 0 || slices.Contains(e.Resources, "") {
		v.Errorf(`such as {operations: [CREATE], resources: [pods, deployments.apps/scale]}; ["*"] stands for all`, "no resources")
	}
	e.Conditions = readConditions(v.At("conditions"))
	return e
}

// readSelector reads a label selector.
func readSelector(v manifest.Value) *metav1.LabelSelector {
	if !v.Given() {
		return nil
	}
	s := &metav1.LabelSelector{}
	strict, err := kjson.UnmarshalStrict(v.Raw(), s)
	if err == nil && len(strict) > 0 {
		err = strict[0]
	}
	if err == nil {
		_, err = metav1.LabelSelectorAsSelector(s)
	}
	if err != nil {
		v.Errorf("such as {matchLabels: {team: shop}}", "%v", err)
	}
	return s
}

// regionKeys are the keys of expectations of regions.
var regionKeys = []string{"asked", "notAsked"}

// aboutRegion reports expectations of a region that only make sense for a request.
func (e Expect) aboutRegion() {
	for _, key := range append([]string{"expand"}, expectKeys...) {
		if one := e.value.At(key); one.Given() && !slices.Contains(regionKeys, key) {
			one.Errorf("of a region, expect asked or notAsked", "%s is about a request", key)
		}
	}
	if e.value.Given() && e.value.Lacks("asked") && e.value.Lacks("notAsked") {
		e.value.Errorf("such as expect: {asked: [policy.example.com]}", "nothing is expected of the region")
	}
}

// aboutRequest reports expectations of a request that only make sense for a region.
func (e Expect) aboutRequest() {
	for _, key := range regionKeys {
		if one := e.value.At(key); one.Given() {
			one.Errorf("of a request, expect trace: {called: [...]} or {notCalled: [...]}", "%s is about a region, which stands under every", key)
		}
	}
}
