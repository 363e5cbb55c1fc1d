package serve

import (
	"net/url"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// listOptions are those of a list or a watch that are not about which objects are selected.
type listOptions struct {
	watch         bool
	limit         int64
	continueToken string
	version       string
	match         metav1.ResourceVersionMatch
	initialEvents *bool // nil: not said
	bookmarks     bool
	timeout       time.Duration // 0: not said
}

// parseListOptions reads them, and refuses those that do not go together. watchList reports whether the
// release knows initial events.
func parseListOptions(q url.Values, watches, watchList bool) (o listOptions, err error) {
	o = listOptions{
		watch: watches, continueToken: q.Get("continue"), version: q.Get("resourceVersion"),
		match: metav1.ResourceVersionMatch(q.Get("resourceVersionMatch")), bookmarks: isTrue(q.Get("allowWatchBookmarks")),
	}
	number := func(name string) (n int64) {
		text := q.Get(name)
		if text == "" || err != nil {
			return 0
		}
		if n, err = strconv.ParseInt(text, 10, 64); err != nil {
			err = apierrors.NewBadRequest(err.Error())
		}
		return n
	}
	o.limit = number("limit")
	o.timeout = time.Duration(number("timeoutSeconds")) * time.Second
	if err != nil {
		return o, err
	}
	if said := q.Get("sendInitialEvents"); said != "" {
		o.initialEvents = new(isTrue(said))
	}
	if watchList && watches && o.initialEvents == nil && o.match == "" && (o.version == "" || o.version == "0") {
		// The old way to ask for what there is: kubernetes/apimachinery:pkg/apis/meta/internalversion/defaults.go.
		o.initialEvents, o.match = new(true), metav1.ResourceVersionMatchNotOlderThan
	}
	if errs := o.check(watchList); len(errs) > 0 {
		return o, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", errs)
	}
	return o, nil
}

// check follows kubernetes/apimachinery:pkg/apis/meta/internalversion/validation/validation.go.
func (o listOptions) check(watchList bool) (errs field.ErrorList) {
	matchPath := field.NewPath("resourceVersionMatch")
	forbid := func(path *field.Path, text string) { errs = append(errs, field.Forbidden(path, text)) }
	initial := field.NewPath("sendInitialEvents")
	if o.watch {
		if o.initialEvents != nil && o.match != metav1.ResourceVersionMatchNotOlderThan {
			forbid(matchPath, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
		}
		if o.initialEvents != nil && !watchList {
			forbid(initial, "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled")
		}
		if o.match == "" {
			return errs
		}
		if o.initialEvents == nil {
			forbid(matchPath, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")
		}
		if o.match != metav1.ResourceVersionMatchNotOlderThan {
			errs = append(errs, field.NotSupported(matchPath, o.match, []string{"NotOlderThan"}))
		}
		if o.continueToken != "" {
			forbid(matchPath, "resourceVersionMatch is forbidden when continue is provided")
		}
		return errs
	}
	if o.match != "" {
		if o.version == "" {
			forbid(matchPath, "resourceVersionMatch is forbidden unless resourceVersion is provided")
		}
		if o.continueToken != "" {
			forbid(matchPath, "resourceVersionMatch is forbidden when continue is provided")
		}
		if o.match != metav1.ResourceVersionMatchExact && o.match != metav1.ResourceVersionMatchNotOlderThan {
			errs = append(errs, field.NotSupported(matchPath, o.match, []string{"Exact", "NotOlderThan", ""}))
		}
		if o.match == metav1.ResourceVersionMatchExact && o.version == "0" {
			forbid(matchPath, `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`)
		}
	}
	if o.initialEvents != nil {
		forbid(initial, "sendInitialEvents is forbidden for list")
	}
	return errs
}
