package flowcontrol

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
)

// The fixed parts of flow control are the same as in the server.
func TestFixedFlowControl(t *testing.T) {
	for _, want := range bootstrap.MandatoryFlowSchemas {
		got, ok := fixedFlowSchema(want.Name)
		if diff := cmp.Diff(want.Spec, got); !ok || diff != "" {
			t.Errorf("schema %s (-server +admsim):\n%s", want.Name, diff)
		}
	}
	for _, want := range bootstrap.MandatoryPriorityLevelConfigurations {
		got, ok := fixedPriorityLevel(want.Name)
		if diff := cmp.Diff(want.Spec, got); !ok || diff != "" {
			t.Errorf("level %s (-server +admsim):\n%s", want.Name, diff)
		}
	}
	for _, other := range bootstrap.SuggestedFlowSchemas {
		if _, ok := fixedFlowSchema(other.Name); ok {
			t.Errorf("schema %s may be changed", other.Name)
		}
	}
	for _, other := range bootstrap.SuggestedPriorityLevelConfigurations {
		if _, ok := fixedPriorityLevel(other.Name); ok {
			t.Errorf("level %s may be changed", other.Name)
		}
	}
	if _, ok := fixedFlowSchema(flowcontrolv1.FlowSchemaNameExempt); !ok {
		t.Error("there are no fixed schemas")
	}
}
