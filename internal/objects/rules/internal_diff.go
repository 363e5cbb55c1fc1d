package rules

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/diff"
	"k8s.io/utils/ptr"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/gocmp"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// InternalDiff returns the server's diff of a part that must not change (ER-07). Whether the parts are pointers matters
// up to 1.33.
func InternalDiff(r *kubeversion.Release, old, obj any) string {
	if r.Has(kubeversion.ValuesAsJSON) {
		return diff.Diff(internalIn{internalForm{old}, r}, internalIn{internalForm{obj}, r})
	}
	return goDiff(r, described(r, old, true), described(r, obj, false))
}

// goDiff returns a difference in the layout of the release.
func goDiff(r *kubeversion.Release, x, y *gocmp.Value) string {
	if !r.Has(kubeversion.DifferencesByGoCmp) {
		return reflectDiff(r, x, y)
	}
	return goCmp(r).Diff(x, y)
}

// goCmp returns the version of go-cmp that the server of a release was built with.
func goCmp(r *kubeversion.Release) gocmp.Version {
	switch {
	case !r.Has(kubeversion.DifferencesByGoCmp04):
		return gocmp.V0_3_0
	case !r.Has(kubeversion.DifferencesShortened):
		return gocmp.V0_4_0
	case !r.Has(kubeversion.DifferencesByGoCmp055):
		return gocmp.V0_5_2
	case !r.Has(kubeversion.DifferencesByGoCmp058):
		return gocmp.V0_5_5
	case !r.Has(kubeversion.DifferencesByGoCmp059):
		return gocmp.V0_5_8
	}
	return gocmp.V0_5_9
}

// SpecDiff is InternalDiff for the specs of pods and claims and the source of a volume.
func SpecDiff(r *kubeversion.Release, old, obj any) string {
	switch {
	case r.Has(kubeversion.DifferencesFromOld):
		return InternalDiff(r, old, obj)
	case !r.Has(kubeversion.DifferencesByGoCmp):
		return plainDiff(internalText(r, obj), internalText(r, old))
	}
	return goDiff(r, described(r, obj, false), described(r, old, true))
}

// internalText returns the JSON of a value in the internal types of a release.
func internalText(r *kubeversion.Release, value any) string {
	text, err := internalIn{internalForm{value}, r}.MarshalJSON()
	if err != nil {
		panic(fmt.Sprintf("objects: %T does not encode: %v", value, err))
	}
	return string(text)
}

// plainDiff returns what two texts begin with, and the rest of each.
func plainDiff(a, b string) string {
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	return a[:same] + "\n\nA: " + a[same:] + "\n\nB: " + b[same:] + "\n\n"
}

// AsStored returns a quantity as the server reads it from its store, which has its canonical form. A missing quantity
// stays as it is.
func AsStored(q resource.Quantity) resource.Quantity {
	stored, err := resource.ParseQuantity(q.String())
	if err != nil || q == (resource.Quantity{}) {
		return q
	}
	return stored
}

// An internalDescriber describes values in the internal types of a release.
type internalDescriber struct {
	release     *kubeversion.Release
	stored      bool              // the values come from the store
	annotations map[string]string // of the object that contains the values
}

// described describes a value, or a [PartOf] an object.
func described(r *kubeversion.Release, value any, stored bool) *gocmp.Value {
	p := asPart(value)
	return internalDescriber{r, stored, p.annotations}.value(reflect.ValueOf(p.value))
}

// A shownPodClaim is a claim of a pod in the releases in which it has a source.
type shownPodClaim struct {
	Name   string `json:"name"`
	Source shownClaimSource
}

type shownClaimSource struct {
	ResourceClaimName         *string `json:"resourceClaimName"`
	ResourceClaimTemplateName *string `json:"resourceClaimTemplateName"`
}

// shownNames lists the names of the types that stand for internal types without a counterpart in k8s.io/api.
var shownNames = map[reflect.Type]string{
	reflect.TypeFor[shownSecurityContext](): "core.PodSecurityContext",
	reflect.TypeFor[shownPodClaim]():        "core.PodResourceClaim",
	reflect.TypeFor[shownClaimSource]():     "core.ClaimSource",

	reflect.TypeFor[builtin.PersistentVolumeClaimResizeStatus](): "core.PersistentVolumeClaimResizeStatus",
	reflect.TypeFor[builtin.Initializer]():                       "v1.Initializer",
	reflect.TypeFor[builtin.Initializers]():                      "v1.Initializers",
	reflect.TypeFor[builtin.WorkloadReference]():                 "core.WorkloadReference",

	reflect.TypeFor[builtin.ParentReference]():           "networking.ParentReference",
	reflect.TypeFor[builtin.ClaimSpecV1alpha2]():         "resource.ResourceClaimSpec",
	reflect.TypeFor[builtin.ClaimTemplateSpecV1alpha2](): "resource.ResourceClaimTemplateSpec",
	reflect.TypeFor[builtin.ClaimParametersReference]():  "resource.ResourceClaimParametersReference",
	reflect.TypeFor[builtin.AllocationV1alpha2]():        "resource.AllocationResult",
	reflect.TypeFor[builtin.ResourceHandle]():            "resource.ResourceHandle",
	reflect.TypeFor[builtin.StructuredHandle]():          "resource.StructuredResourceHandle",

	reflect.TypeFor[builtin.ClaimSpecV1alpha3]():         "resource.ResourceClaimSpec",
	reflect.TypeFor[builtin.ClaimTemplateSpecV1alpha3](): "resource.ResourceClaimTemplateSpec",
	reflect.TypeFor[builtin.AllocationV1alpha3]():        "resource.AllocationResult",
}

// oneHandler is the name of the types in probeHandlers in the releases in which they are one type.
const oneHandler = "core.Handler"

var probeHandlers = []reflect.Type{reflect.TypeFor[corev1.ProbeHandler](), reflect.TypeFor[corev1.LifecycleHandler]()}

// typeName returns the name that a type has in the server: its own types have no version in their name.
func (d internalDescriber) typeName(t reflect.Type) string {
	if name, ok := shownNames[t]; ok {
		return name
	}
	if slices.Contains(probeHandlers, t) && !d.release.Has(kubeversion.ProbeHandlersApart) {
		return oneHandler
	}
	group, isAPI := strings.CutPrefix(t.PkgPath(), "k8s.io/api/")
	switch {
	case isAPI:
		group, _, _ = strings.Cut(group, "/")
		return group + "." + t.Name()
	case t.Name() != "":
		return t.String()
	case t.Kind() == reflect.Pointer:
		return "*" + d.typeName(t.Elem())
	case t.Kind() == reflect.Slice:
		return "[]" + d.typeName(t.Elem())
	case t.Kind() == reflect.Map:
		return "map[" + d.typeName(t.Key()) + "]" + d.typeName(t.Elem())
	}
	return t.String()
}

func (d internalDescriber) value(v reflect.Value) *gocmp.Value {
	if r, ok := volumeResources(v); ok && !d.release.Has(kubeversion.VolumeResourcesApart) {
		claims := Former[[]corev1.ResourceClaim](d.annotations, "spec.resources.claims")
		v = reflect.ValueOf(corev1.ResourceRequirements{Limits: r.Limits, Requests: r.Requests, Claims: claims})
	}
	if v.Kind() == reflect.Interface && !v.IsNil() {
		v = v.Elem()
	}
	is := &gocmp.Value{Kind: kinds[v.Kind()], Type: d.typeName(v.Type())}
	if v.CanInterface() {
		if q, ok := v.Interface().(resource.Quantity); ok && d.stored {
			v = reflect.ValueOf(AsStored(q))
		}
		setMethods(is, v.Interface())
	}
	switch is.Kind {
	case gocmp.Struct:
		d.describeStruct(is, v)
	case gocmp.Pointer:
		is.Nil = v.IsNil()
		if !is.Nil {
			is.Members = []gocmp.Member{{Value: d.value(v.Elem())}}
		}
	case gocmp.Slice:
		is.Nil = v.IsNil()
		for i := range v.Len() {
			is.Members = append(is.Members, gocmp.Member{Value: d.value(v.Index(i))})
		}
	case gocmp.Map:
		is.Nil, is.StringerKeys = v.IsNil(), v.Type().Key().Implements(reflect.TypeFor[fmt.Stringer]())
		for _, k := range v.MapKeys() {
			is.Members = append(is.Members, gocmp.Member{Key: k.String(), Value: d.value(v.MapIndex(k))})
		}
		slices.SortFunc(is.Members, func(a, b gocmp.Member) int { return strings.Compare(a.Key, b.Key) })
	case gocmp.String:
		is.Text = v.String()
	default:
		is.Text = fmt.Sprint(v)
		if v.Kind() == reflect.Interface {
			is.Text = is.Type + "(nil)"
		}
	}
	return is
}

func volumeResources(v reflect.Value) (r corev1.VolumeResourceRequirements, ok bool) {
	if v.CanInterface() {
		r, ok = v.Interface().(corev1.VolumeResourceRequirements)
	}
	return r, ok
}

// kinds lists the kinds of Go that are more than a number.
var kinds = map[reflect.Kind]gocmp.Kind{
	reflect.Map: gocmp.Map, reflect.Pointer: gocmp.Pointer, reflect.Slice: gocmp.Slice, reflect.String: gocmp.String, reflect.Struct: gocmp.Struct,
}

// setMethods sets those methods of a value that decide how it is compared and shown. The server's own types do not have
// the methods that pointers to types of k8s.io/api have for protocol buffers. Its times are in UTC.
func setMethods(is *gocmp.Value, value any) {
	is.Origin = value
	if s, ok := value.(fmt.Stringer); ok && (is.Kind != gocmp.Pointer || !isAPIType(reflect.TypeOf(value).Elem())) {
		is.Stringer = s.String
	}
	switch v := value.(type) {
	case resource.Quantity:
		is.Equal = func(other any) bool { return v.Equal(other.(resource.Quantity)) }
	case time.Time:
		is.Equal = func(other any) bool { return v.Equal(other.(time.Time)) }
		is.Stringer = v.UTC().String
	case metav1.Time:
		is.Stringer = v.UTC().String
	case *metav1.Time:
		is.Equal = func(other any) bool { return v.Equal(other.(*metav1.Time)) }
		is.Stringer = func() string { return v.UTC().String() } // not called if it is nil
	}
}

// describeStruct describes a struct by its fields. A time has none that matter, since it is shown by its method.
func (d internalDescriber) describeStruct(is *gocmp.Value, v reflect.Value) {
	switch s := is.Origin.(type) {
	case time.Time:
		is.Kind = gocmp.Plain
		if !s.IsZero() {
			is.Text = is.Stringer()
		}
		return
	case corev1.PodResourceClaim:
		if d.hasClaimSources() {
			v = reflect.ValueOf(shownPodClaim{s.Name, shownClaimSource{s.ResourceClaimName, s.ResourceClaimTemplateName}})
		}
	}
	is.Members = d.fields(v)
	if q, ok := is.Origin.(resource.Quantity); ok {
		setDecimal(is.Members, q)
	}
}

// setDecimal lets the decimal of a quantity that is no integer be shown by its method.
func setDecimal(fields []gocmp.Member, q resource.Quantity) {
	for _, m := range fields {
		if m.Key == "d" {
			m.Value.Stringer = func() string { return ptr.To(q.DeepCopy()).AsDec().String() }
		}
	}
}

// fields describes the fields that a struct has in the release.
func (d internalDescriber) fields(v reflect.Value) (fields []gocmp.Member) {
	d.annotations = annotationsWithin(v, d.annotations)
	former := func(next string) {
		for name, value := range formerBefore(d.release, v.Type(), next, d.annotations) {
			fields = append(fields, gocmp.Member{Key: name, Value: d.value(value)})
		}
	}
	isMeta := v.Type() == reflect.TypeFor[metav1.ObjectMeta]()
	if isMeta {
		m := v.Interface().(metav1.ObjectMeta)
		d.annotations, v = m.Annotations, reflect.ValueOf(shownMetadata(m))
	}
	for _, name := range internalNames(v.Type(), false) {
		f, _ := v.Type().FieldByName(name)
		former(name)
		switch {
		case v.Type() == reflect.TypeFor[shownSecurityContext]() && f.Anonymous:
			fields = append(fields, d.fields(v.FieldByIndex(f.Index))...)
		case hasInternal(d.release, v.Type(), f):
			value := d.value(d.shownField(v, f))
			if value.Type == oneHandler && f.Anonymous {
				name = "Handler"
			}
			fields = append(fields, gocmp.Member{Key: name, Value: value})
		}
	}
	former("")
	return fields
}

// shownField returns the value of a field, which is not always of the type that v1 has.
func (d internalDescriber) shownField(v reflect.Value, f reflect.StructField) reflect.Value {
	field := v.FieldByIndex(f.Index)
	if !field.CanInterface() {
		return field
	}
	switch s := v.Interface().(type) {
	case corev1.PodSpec:
		if f.Name == "SecurityContext" {
			return reflect.ValueOf(ptr.To(securityContextOf(s)))
		}
	case appsv1.RollingUpdateStatefulSetStrategy:
		if f.Name == "Partition" {
			return reflect.ValueOf(ptr.Deref(s.Partition, 0))
		}
	case corev1.ServiceAccountTokenProjection:
		if f.Name == "ExpirationSeconds" {
			return reflect.ValueOf(ptr.Deref(s.ExpirationSeconds, 0))
		}
	case resourcev1beta1.DeviceRequest:
		if f.Name == "AdminAccess" && !d.release.Has(kubeversion.DevicesInBeta) {
			return reflect.ValueOf(ptr.Deref(s.AdminAccess, false))
		}
	case corev1.PersistentVolumeClaimSpec:
		if f.Name == "DataSourceRef" && !d.release.Has(kubeversion.DataSourceRefsApart) {
			var local *corev1.TypedLocalObjectReference
			if ref := s.DataSourceRef; ref != nil {
				local = &corev1.TypedLocalObjectReference{APIGroup: ref.APIGroup, Kind: ref.Kind, Name: ref.Name}
			}
			return reflect.ValueOf(local)
		}
	}
	return field
}

// hasClaimSources reports whether the claims of a pod have a source.
func (d internalDescriber) hasClaimSources() bool {
	return slices.ContainsFunc(d.release.Moved(schema.GroupKind{Kind: "Pod"}), func(f kubeversion.MovedField) bool {
		return f.In == "spec.resourceClaims[]"
	})
}
