package limits

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/kubeversion"
)

type eventConfiguration struct {
	metav1.TypeMeta `json:",inline"`
	Limits          []eventLimit `json:"limits"`
}

// An eventLimit allows QPS events per second, and Burst events at once, with the same key.
type eventLimit struct {
	Type      string `json:"type"`
	QPS       int32  `json:"qps"`
	Burst     int32  `json:"burst"`
	CacheSize int    `json:"cacheSize"` // 0: defaultCacheSize
}

// defaultCacheSize is for how many keys a limit remembers a bucket by default.
const defaultCacheSize = 4096

var eventLimitTypes = []string{"Namespace", "Server", "SourceAndObject", "User"}

func NewEventRateLimit(r *kubeversion.Release, configuration []byte, now func() time.Time) (EventRateLimit, error) {
	var c eventConfiguration
	if configuration != nil {
		if err := plugin.Configured(configuration, &c, "eventratelimit.admission.k8s.io/v1alpha1 Configuration"); err != nil {
			return EventRateLimit{}, err
		}
	}
	if errs := c.check(); len(errs) > 0 {
		return EventRateLimit{}, errs.ToAggregate()
	}
	for i := range c.Limits {
		switch l := &c.Limits[i]; {
		case l.Type == "Server":
			l.CacheSize = 1 // there is only one key, and the configured size is not validated
		case l.CacheSize == 0:
			l.CacheSize = defaultCacheSize
		}
	}
	return EventRateLimit{limits: c.Limits, now: now, all: r.Has(kubeversion.AllEventLimits)}, nil
}

func (c eventConfiguration) check() field.ErrorList {
	var errs field.ErrorList
	limits := field.NewPath("limits")
	if len(c.Limits) == 0 {
		errs = append(errs, field.Invalid(limits, c.Limits, "must not be empty"))
	}
	for i, l := range c.Limits {
		at := limits.Index(i)
		if !slices.Contains(eventLimitTypes, l.Type) {
			errs = append(errs, field.NotSupported(at.Child("type"), l.Type, eventLimitTypes))
		}
		if l.Burst <= 0 {
			errs = append(errs, field.Invalid(at.Child("burst"), l.Burst, "must be positive"))
		}
		if l.QPS <= 0 {
			errs = append(errs, field.Invalid(at.Child("qps"), l.QPS, "must be positive"))
		}
		if l.Type != "Server" && l.CacheSize < 0 {
			errs = append(errs, field.Invalid(at.Child("cacheSize"), l.CacheSize, "must not be negative"))
		}
	}
	return errs
}
