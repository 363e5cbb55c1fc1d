package selectors

import (
	"errors"
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// ParseVersion reads a resourceVersion. Its error is the server's, which is not one for clients:
// kubernetes/apiserver:pkg/storage/api_object_versioner.go.
func ParseVersion(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	version, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, field.Invalid(field.NewPath("resourceVersion"), text, err.Error())
	}
	return version, nil
}

// isCached reports whether a server has a watch cache for a kind: kubernetes/kubernetes:pkg/kubeapiserver.
func isCached(resource discovery.Resource) bool {
	return resource.Storage.Kind != "Event" || resource.CRD != nil
}

// inEtcd reports whether the server asks etcd for a list, not its watch cache. They have different errors:
// kubernetes/apiserver:pkg/storage/cacher/delegator.go.
func (s Selection) inEtcd() bool {
	o := s.Options
	return !isCached(s.resource) || o.Continue != "" || s.exact() || s.limited() && o.Version != "0" && !s.release.Has(kubeversion.PagesFromCache)
}

// fromCache reports whether a list comes from the watch cache, which can also have snapshots of what etcd is asked for.
func (s Selection) fromCache() bool {
	return !s.inEtcd() || isCached(s.resource) && s.release.Has(kubeversion.CacheSnapshots)
}

// InPages returns the selection of a list that the server reads page by page.
func (s Selection) InPages() Selection {
	s.paged = true
	return s
}

// limited reports whether a list is read in pages.
func (s Selection) limited() bool { return s.Options.Limit > 0 || s.paged }

// exact reports whether a list shows the state at its version, not a newer one. With a limit, lists used to do that.
func (s Selection) exact() bool {
	o := s.Options
	return o.Match == metav1.ResourceVersionMatchExact ||
		o.Match == "" && s.limited() && o.Version != "" && o.Version != "0" && !s.isForOne()
}

// isForOne reports whether a list has one object at most, by its name.
func (s Selection) isForOne() bool {
	_, named := s.fields.RequiresExactMatch("metadata.name")
	return named && (s.namespace != "" || !s.resource.Namespaced)
}

// Awaits returns the version that the server waits for before it answers with a list, or 0.
func (s Selection) Awaits() uint64 {
	if s.Options.Continue != "" || !s.fromCache() {
		return 0
	}
	version, _ := ParseVersion(s.Options.Version) // an error ends the list later
	return version
}

// limit returns how many objects a page has, or 0 for all. The watch cache ignores limits: it has no pages of an arbitrary
// version.
func (s Selection) limit() int64 {
	o := s.Options
	if isCached(s.resource) && o.Version == "0" && (o.Continue == "" || s.release.Has(kubeversion.CacheSnapshots)) {
		return 0
	}
	return o.Limit
}

// invalidVersion returns the error about a version that cannot be read.
func (s Selection) invalidVersion(err error) error {
	if s.inEtcd() || s.release.Has(kubeversion.ListVersionsChecked) {
		return apierrors.NewBadRequest(fmt.Sprintf("invalid resource version: %v", err))
	}
	return err
}

// tooLarge returns the error about a version that does not exist yet.
func (s Selection) tooLarge(version uint64, current int64) error {
	r := s.release
	switch {
	case s.fromCache():
		return TooLarge(r, version, current, 1)
	case (s.exact() || s.Options.Continue != "") && !r.Has(kubeversion.FutureVersionsTimeOut):
		return errors.New("etcdserver: mvcc: required revision is a future revision")
	}
	return TooLarge(r, version, current, 0)
}

// CheckGet returns the error about the version that a get asks for, if it cannot be read or does not exist yet:
// kubernetes/apiserver:pkg/storage/cacher/cacher.go and etcd3/store.go.
func CheckGet(text string, resource discovery.Resource, current int64, r *kubeversion.Release) error {
	cached := isCached(resource)
	if !cached && !r.Has(kubeversion.LargeVersionsCaused) {
		return nil
	}
	version, err := ParseVersion(text)
	switch {
	case err != nil && !cached:
		return apierrors.NewBadRequest(fmt.Sprintf("invalid resource version: %v", err))
	case err != nil:
		return err
	case version <= uint64(current):
		return nil
	case cached:
		return TooLarge(r, version, current, 1)
	}
	return TooLarge(r, version, current, 0)
}

// TooLarge returns the error of a server that waited in vain for a version:
// kubernetes/apiserver:pkg/storage/errors.go.
func TooLarge(r *kubeversion.Release, version uint64, current int64, retryAfter int) error {
	late := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", version, current), retryAfter)
	if r.Has(kubeversion.LargeVersionsCaused) {
		cause := metav1.StatusCause{Message: "Too large resource version"}
		if r.Has(kubeversion.LargeVersionsTyped) {
			cause.Type = metav1.CauseTypeResourceVersionTooLarge
		}
		late.ErrStatus.Details.Causes = []metav1.StatusCause{cause}
	}
	return late
}
