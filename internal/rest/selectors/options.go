package selectors

import (
	"net/url"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// Options are the options of a list, a watch or the deletion of a collection, except for its selectors.
type Options struct {
	Limit         int64
	Continue      string
	Version       string
	Match         metav1.ResourceVersionMatch
	InitialEvents *bool // nil: not set
	Bookmarks     bool
	Timeout       time.Duration // 0: not set
	Shards        string        // the shard selector; empty: not set
	Uninitialized bool          // includes objects that are not initialized yet

	watch bool
}

// IsTrue reports whether a parameter that is a boolean is set.
func IsTrue(q url.Values, name string) (set bool) {
	values := q[name]
	_ = runtime.Convert_Slice_string_To_bool(&values, &set, nil) // cannot fail
	return set
}

// readOptions reads the options as kubernetes/apimachinery:pkg/apis/meta/v1/zz_generated.conversion.go does: an empty
// parameter is an invalid number, and a true boolean.
func readOptions(q url.Values, r *kubeversion.Release) (o Options, err error) {
	number := func(name string) (n int64) {
		if !q.Has(name) || err != nil {
			return 0
		}
		if n, err = strconv.ParseInt(q.Get(name), 10, 64); err != nil {
			err = apierrors.NewBadRequest(err.Error())
		}
		return n
	}
	is := func(name string) bool { return IsTrue(q, name) }
	o.Timeout = time.Duration(number("timeoutSeconds")) * time.Second
	o.Limit = number("limit")
	o.Continue, o.Version = q.Get("continue"), q.Get("resourceVersion")
	if r.Has(kubeversion.VersionMatchOption) {
		o.Match = metav1.ResourceVersionMatch(q.Get("resourceVersionMatch"))
	}
	o.Shards = q.Get("shardSelector")
	o.watch, o.Bookmarks, o.Uninitialized = is("watch"), is("allowWatchBookmarks"), is("includeUninitialized")
	if q.Has("sendInitialEvents") && r.Has(kubeversion.InitialEventsOption) {
		o.InitialEvents = new(is("sendInitialEvents"))
	}
	return o, err
}

// checked returns o with its defaults, or an error if its options contradict each other.
func (o Options) checked(r *kubeversion.Release) (Options, error) {
	watchList := r.GateOn("WatchList")
	if watchList && o.watch && o.InitialEvents == nil && o.Match == "" && (o.Version == "" || o.Version == "0") {
		// The old way to ask for the initial objects:
		// kubernetes/apimachinery:pkg/apis/meta/internalversion/defaults.go.
		o.InitialEvents, o.Match = new(true), metav1.ResourceVersionMatchNotOlderThan
	}
	errs := o.checkList()
	if o.watch && r.Has(kubeversion.InitialEventsOption) {
		errs = o.checkWatch(watchList)
	}
	if len(errs) > 0 {
		return o, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", errs)
	}
	return o, nil
}

// checkWatch and checkList follow kubernetes/apimachinery:pkg/apis/meta/internalversion/validation/validation.go.
func (o Options) checkWatch(watchList bool) (errs field.ErrorList) {
	match, initial := field.NewPath("resourceVersionMatch"), field.NewPath("sendInitialEvents")
	forbid := func(path *field.Path, text string) { errs = append(errs, field.Forbidden(path, text)) }
	if o.InitialEvents != nil && o.Match != metav1.ResourceVersionMatchNotOlderThan {
		forbid(match, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
	}
	if o.InitialEvents != nil && !watchList {
		forbid(initial, "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled")
	}
	if o.Match == "" {
		return errs
	}
	if o.InitialEvents == nil {
		forbid(match, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")
	}
	if o.Match != metav1.ResourceVersionMatchNotOlderThan {
		errs = append(errs, field.NotSupported(match, o.Match, []string{"NotOlderThan"}))
	}
	if o.Continue != "" {
		forbid(match, "resourceVersionMatch is forbidden when continue is provided")
	}
	return errs
}

// checkList checks the options of a list; before there were initial events, also those of a watch.
func (o Options) checkList() (errs field.ErrorList) {
	match, initial := field.NewPath("resourceVersionMatch"), field.NewPath("sendInitialEvents")
	forbid := func(path *field.Path, text string) { errs = append(errs, field.Forbidden(path, text)) }
	if o.Match != "" {
		if o.watch {
			forbid(match, "resourceVersionMatch is forbidden for watch")
		}
		if o.Version == "" {
			forbid(match, "resourceVersionMatch is forbidden unless resourceVersion is provided")
		}
		if o.Continue != "" {
			forbid(match, "resourceVersionMatch is forbidden when continue is provided")
		}
		if o.Match != metav1.ResourceVersionMatchExact && o.Match != metav1.ResourceVersionMatchNotOlderThan {
			errs = append(errs, field.NotSupported(match, o.Match, []string{"Exact", "NotOlderThan", ""}))
		}
		if o.Match == metav1.ResourceVersionMatchExact && o.Version == "0" {
			forbid(match, `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`)
		}
	}
	if o.InitialEvents != nil {
		forbid(initial, "sendInitialEvents is forbidden for list")
	}
	return errs
}
