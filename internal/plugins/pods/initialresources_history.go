package pods

import (
	"math"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/apiversion"
	"github.com/admsim/admsim/internal/plugins/plugin"
)

// usageHistory is the plugin's configuration: the past usage of containers, which the server got from a time series
// database.
type usageHistory struct {
	metav1.TypeMeta `json:",inline"`
	Percentile      int64         `json:"percentile"`    // --ir-percentile; 0 stands for 90
	NamespaceOnly   bool          `json:"namespaceOnly"` // --ir-namespace-only
	Samples         []usageSample `json:"samples"`
}

// A usageSample is what containers of an image used at some time.
type usageSample struct {
	Image     string             `json:"image"`
	Namespace string             `json:"namespace"`
	Age       metav1.Duration    `json:"age"`   // how long ago
	Times     int                `json:"times"` // how often it was seen; 0 stands for once
	CPU       *resource.Quantity `json:"cpu"`
	Memory    *resource.Quantity `json:"memory"`
}

const usualPercentile = 90

func NewInitialResources(configuration []byte) (InitialResources, error) {
	p := InitialResources{usageHistory{Percentile: usualPercentile}}
	if configuration == nil {
		return p, nil
	}
	if err := plugin.Configured(configuration, &p.history, apiversion.Kinds("UsageHistory")...); err != nil {
		return InitialResources{}, err
	}
	if p.history.Percentile == 0 {
		p.history.Percentile = usualPercentile
	}
	if n := p.history.Percentile; n < 0 || n > 100 {
		return InitialResources{}, field.Invalid(field.NewPath("percentile"), n, "must be between 1 and 100")
	}
	return p, nil
}

// A circle says where to look for usage. An empty namespace stands for all namespaces.
type circle struct {
	image     string
	anyTag    bool
	namespace string
	since     time.Duration
}

func (c circle) holds(s usageSample) bool {
	image := s.Image
	if c.anyTag {
		image, _, _ = strings.Cut(image, ":")
	}
	return image == c.image && s.Age.Duration <= c.since && (c.namespace == "" || c.namespace == s.Namespace)
}

// usage returns the percentile of the usage in a circle, and the number of samples.
func (h usageHistory) usage(name corev1.ResourceName, c circle) (q resource.Quantity, samples int) {
	var all []int64
	for _, s := range h.Samples {
		used := s.CPU
		if name == corev1.ResourceMemory {
			used = s.Memory
		}
		if used == nil || !c.holds(s) {
			continue
		}
		value := used.Value()
		if name == corev1.ResourceCPU {
			value = used.MilliValue()
		}
		all = append(all, slices.Repeat([]int64{value}, max(s.Times, 1))...)
	}
	if len(all) == 0 {
		return q, 0
	}
	slices.Sort(all)
	// The nearest rank, as the databases of that time computed it.
	i := int(math.Floor(float64(len(all))*float64(h.Percentile)/100+0.5)) - 1
	value := all[min(max(i, 0), len(all)-1)]
	if name == corev1.ResourceCPU {
		return *resource.NewMilliQuantity(value, resource.DecimalSI), len(all)
	}
	return *resource.NewQuantity(value, resource.DecimalSI), len(all)
}
