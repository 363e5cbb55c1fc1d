// kubernetes/kubernetes:pkg/apis/resource/validation/validation.go

package resource

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// eachOf is rules.EachOf, except that older releases also check the items of a list that is too long. The limit is
// declared as well; eachOfOwn is for other limits.
func eachOf[T any](r *kubeversion.Release, list []T, most int, at *field.Path, check func(T, *field.Path) field.ErrorList) field.ErrorList {
	return append(items(r, list, most, at, check), tooMany(r, len(list), most, at).WithOrigin(rules.Declared)...)
}

func eachOfOwn[T any](r *kubeversion.Release, list []T, most int, at *field.Path, check func(T, *field.Path) field.ErrorList) field.ErrorList {
	return append(items(r, list, most, at, check), tooMany(r, len(list), most, at)...)
}

func items[T any](r *kubeversion.Release, list []T, most int, at *field.Path, check func(T, *field.Path) field.ErrorList) field.ErrorList {
	if isCutShort(r, list, most) {
		return nil
	}
	return rules.EachOf(list, -1, at, check)
}

func tooMany(r *kubeversion.Release, n, most int, at *field.Path) field.ErrorList {
	switch {
	case most < 0 || n <= most:
		return nil
	case r.Has(kubeversion.DevicesInBeta):
		return field.ErrorList{field.TooMany(at, n, most)}
	}
	return field.ErrorList{longer(at, most)}
}

// atMost limits the length of a text, in the words of a release.
func atMost(n, most int, r *kubeversion.Release, at *field.Path) field.ErrorList {
	switch {
	case n <= most:
		return nil
	case r.Has(kubeversion.DevicesInBeta):
		return field.ErrorList{field.TooLong(at, "", most)}
	}
	return field.ErrorList{longer(at, most)}
}

// eachOnce is eachOf for a list with unique keys, and eachOnceOwn is eachOfOwn for one.
func eachOnce[T any, K comparable](r *kubeversion.Release, list []T, most int, at *field.Path, key func(T) K, check func(T, *field.Path) field.ErrorList) field.ErrorList {
	errs := eachOf(r, list, most, at, check)
	if isCutShort(r, list, most) {
		return errs
	}
	return append(errs, duplicates(list, at, key).WithOrigin(rules.Declared)...)
}

func eachOnceOwn[T any, K comparable](r *kubeversion.Release, list []T, most int, at *field.Path, key func(T) K, check func(T, *field.Path) field.ErrorList) field.ErrorList {
	errs := eachOfOwn(r, list, most, at, check)
	if isCutShort(r, list, most) {
		return errs
	}
	return append(errs, duplicates(list, at, key)...)
}

// isCutShort reports whether a list is too long for its items to be checked.
func isCutShort[T any](r *kubeversion.Release, list []T, most int) bool {
	return most >= 0 && len(list) > most && r.Has(kubeversion.DeviceListsCutShort)
}

// duplicates returns an error for each item with the key of an earlier one.
func duplicates[T any, K comparable](list []T, at *field.Path, key func(T) K) field.ErrorList {
	var errs rules.Errors
	seen := map[K]bool{}
	for i, item := range list {
		if seen[key(item)] {
			errs.Duplicate(at.Index(i), key(item))
		}
		seen[key(item)] = true
	}
	return errs.List()
}

func itself[T any](item T) T { return item }
