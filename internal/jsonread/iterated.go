package jsonread

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	jsoniter "github.com/json-iterator/go"
	"github.com/modern-go/reflect2"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// iterated returns the error of json-iterator about data, or nil if it accepts the data. The error has the path through the
// Go structs, and the text around the fault. The structs are today's with the fields of the release, under the names that
// they had then: kubernetes/apimachinery@v0.22.17:pkg/runtime/serializer/json/json.go.
func iterated(data []byte, into any, kind schema.GroupVersionKind, r *kubeversion.Release) error {
	iterator := jsoniter.Config{CaseSensitive: true}.Froze()
	iterator.RegisterExtension(&structsThen{release: r, iterator: iterator})
	err := iterator.Unmarshal(data, into)
	if err == nil {
		return nil
	}
	text, end := err.Error(), len(err.Error())
	for _, behind := range []string{ownDecoder, faultIn} { // the names of types are in front of what quotes the data
		if i := strings.Index(text[:end], behind); i >= 0 {
			end = i
		}
	}
	return errors.New(typesThen(kind, r).Replace(text[:end]) + text[end:])
}

const (
	ownDecoder = "unmarshalerDecoder: " // a type reads its values itself
	faultIn    = ", error found in #"
)

// typesThen replaces the names of Go types, also of those that are inlined, by those that the server had at the time.
func typesThen(kind schema.GroupVersionKind, r *kubeversion.Release) *strings.Replacer {
	names := []string{
		"v1.VolumeResourceRequirements", "v1.ResourceRequirements", "v1.TypedObjectReference", "v1.TypedLocalObjectReference",
		"ProbeHandler", "Handler", "LifecycleHandler", "Handler",
		kind.Version + ".IngressLoadBalancer", "v1.LoadBalancer", kind.Version + ".IngressPortStatus", "v1.PortStatus",
	}
	if !r.Has(kubeversion.IngressClassReferences) {
		names = append(names, kind.Version+".IngressClassParametersReference", "v1.TypedLocalObjectReference")
	}
	if kind.Group == "autoscaling" {
		names = append(names,
			"builtin.ScalerSpecV2beta1", "v2beta1.HorizontalPodAutoscalerSpec", "builtin.ScalerStatusV2beta1", "v2beta1.HorizontalPodAutoscalerStatus",
			"builtin.ScalerV2beta1", "v2beta1.HorizontalPodAutoscaler", "builtin.ScalerStatusV2beta2", "v2beta2.HorizontalPodAutoscalerStatus",
			"builtin.ScalerV2beta2", "v2beta2.HorizontalPodAutoscaler", "v2.", kind.Version+".")
		for _, meta := range []string{"v1.ObjectMeta", "v1.OwnerReference", "v1.ManagedFieldsEntry", "v1.LabelSelector"} {
			names = append(names, meta, meta)
		}
		names = append(names, "v1.", kind.Version+".")
	}
	return strings.NewReplacer(append(names, "builtin.", kind.Version+".")...)
}

// structsThen makes json-iterator read Go structs with the fields that they had in the release.
type structsThen struct {
	jsoniter.DummyExtension
	release  *kubeversion.Release
	iterator jsoniter.API
}

func (s *structsThen) UpdateStructDescriptor(d *jsoniter.StructDescriptor) {
	for _, b := range d.Fields {
		b.Field = fieldThen{b.Field, goNameThen(b.Field.Name(), s.release)}
	}
	t := d.Type.Type1()
	model, ok := builtin.OpenAPIName(t)
	if !ok {
		return
	}
	absent, former := s.release.AbsentFields(model), s.release.FormerFields(model)
	d.Fields = slices.DeleteFunc(d.Fields, func(b *jsoniter.Binding) bool { return slices.Contains(absent, b.FromNames[0]) })
	for i, b := range bindingsBehind(t.NumField(), len(former)) {
		goType := builtin.FormerType(model, former[i])
		b.Field = formerThen{fieldThen{b.Field, inGo(former[i])}, goType}
		b.FromNames = former[i : i+1]
		b.Decoder = s.iterator.DecoderOf(reflect2.Type2(reflect.PointerTo(goType)))
		d.Fields = append(d.Fields, b)
	}
}

// goNameThen returns the name that a Go field had in the release.
func goNameThen(name string, r *kubeversion.Release) string {
	switch {
	case name == "DisruptionsAllowed" && !r.Has(kubeversion.DisruptionsAllowedInGo):
		return "PodDisruptionsAllowed"
	case name == "DoNotUseExternalID" && !r.Has(kubeversion.GoNamesLinted):
		return "DoNotUse_ExternalID"
	}
	return name
}

// inGo returns the name of a former field in Go.
func inGo(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// A fieldThen is a field that had this name.
type fieldThen struct {
	reflect2.StructField
	name string
}

func (f fieldThen) Name() string { return f.name }

// A formerThen is a field that today's struct does not have. What is read into it is lost.
type formerThen struct {
	fieldThen
	goType reflect.Type
}

func (f formerThen) UnsafeGet(unsafe.Pointer) unsafe.Pointer {
	return reflect.New(f.goType).UnsafePointer()
}

// bindingsBehind returns new bindings for a struct behind those of its n fields. A binding knows its place, which only
// json-iterator can set: it is given a struct that has all these fields.
func bindingsBehind(n, more int) []*jsoniter.Binding {
	if more == 0 {
		return nil
	}
	fields := make([]reflect.StructField, n+more)
	for i := range fields {
		fields[i] = reflect.StructField{Name: fmt.Sprint("F", i), Type: reflect.TypeFor[string]()}
	}
	var made madeBindings
	iterator := jsoniter.Config{}.Froze()
	iterator.RegisterExtension(&made)
	iterator.DecoderOf(reflect2.Type2(reflect.PointerTo(reflect.StructOf(fields))))
	return made.bindings[n:]
}

// madeBindings keeps the bindings of a struct.
type madeBindings struct {
	jsoniter.DummyExtension
	bindings []*jsoniter.Binding
}

func (m *madeBindings) UpdateStructDescriptor(d *jsoniter.StructDescriptor) { m.bindings = d.Fields }
