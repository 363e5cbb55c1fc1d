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

// A source is where the server finds what a list or a get returns: in its watch cache or in etcd. They have different
// errors: kubernetes/apiserver:pkg/storage/cacher/delegator.go.
type source struct {
	release *kubeversion.Release
	cached  bool // there is a watch cache for the kind
	single  bool // the list is for one object at most, by its name
	paged   bool // read page by page, whatever its limit
}

// isCached reports whether a server has a watch cache for a kind: kubernetes/kubernetes:pkg/kubeapiserver.
func isCached(resource discovery.Resource) bool {
	return resource.Storage.Kind != "Event" || resource.CRD != nil
}

// inEtcd reports whether a list comes from etcd.
func (s Selection) inEtcd() bool {
	o := s.Options
	return !s.from.cached || o.Continue != "" || s.exact() || s.limited() && o.Version != "0" && !s.from.release.Has(kubeversion.PagesFromCache)
}

// InPages returns the selection of a list that the server reads page by page.
func (s Selection) InPages() Selection {
	s.from.paged = true
	return s
}

// limited reports whether a list is read in pages.
func (s Selection) limited() bool { return s.Options.Limit > 0 || s.from.paged }

// exact reports whether a list shows the state at its version, not a newer one. With a limit, lists used to do that.
func (s Selection) exact() bool {
	o := s.Options
	return o.Match == metav1.ResourceVersionMatchExact ||
		o.Match == "" && s.limited() && o.Version != "" && o.Version != "0" && !s.from.single
}

// Awaits returns the version that the server waits for before it answers with a list, or 0.
func (s Selection) Awaits() uint64 {
	if s.Options.Continue != "" || s.inEtcd() && !(s.from.cached && s.from.release.Has(kubeversion.CacheSnapshots)) {
		return 0
	}
	version, _ := ParseVersion(s.Options.Version) // an error ends the list later
	return version
}

// unlimited reports whether a list ignores its limit: the watch cache has no pages of an arbitrary version.
func (s Selection) unlimited() bool {
	return s.from.cached && s.Options.Version == "0" && (s.Options.Continue == "" || s.from.release.Has(kubeversion.CacheSnapshots))
}

// invalidVersion returns the error about a version that cannot be read.
func (s Selection) invalidVersion(err error) error {
	if s.inEtcd() || s.from.release.Has(kubeversion.ListVersionsChecked) {
		return apierrors.NewBadRequest(fmt.Sprintf("invalid resource version: %v", err))
	}
	return err
}

// tooLarge returns the error about a version that does not exist yet.
func (s Selection) tooLarge(version uint64, current int64) error {
	r := s.from.release
	switch {
	case s.from.cached && r.Has(kubeversion.CacheSnapshots), !s.inEtcd():
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
