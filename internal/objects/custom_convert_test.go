package objects_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// widgets has a version v1, which is stored, and v1beta1, which has defaults and a field of its own.
const widgets = `{
 "metadata": {"name": "widgets.example.com"},
 "spec": {
  "group": "example.com", "scope": "Namespaced", "names": {"kind": "Widget", "plural": "widgets"},
  "versions": [
   {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": {
     "spec": {"type": "object", "properties": {"color": {"type": "string"}, "size": {"type": "integer"}}}}}}},
   {"name": "v1beta1", "served": true, "storage": false, "schema": {"openAPIV3Schema": {"type": "object", "properties": {
     "spec": {"type": "object", "properties": {"color": {"type": "string"}, "size": {"type": "integer", "default": 3}, "old": {"type": "string"}}}}}}}
  ]}}`

var (
	widgetV1      = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}
	widgetV1beta1 = schema.GroupVersionKind{Group: "example.com", Version: "v1beta1", Kind: "Widget"}
)

func widget(t testing.TB, gvk schema.GroupVersionKind, spec map[string]any) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": "w", "namespace": "shop", "generation": int64(1)},
		"spec":     spec,
	}}
	u.SetGroupVersionKind(gvk)
	return u
}

func contents(obj runtime.Object) map[string]any {
	return obj.(*unstructured.Unstructured).Object["spec"].(map[string]any)
}

func TestConvertBetweenWebhooks(t *testing.T) {
	types := kinds.New(serving(parseCRD(t, widgets)), objects.Options{})
	requested := widget(t, widgetV1, map[string]any{"color": "red"})

	shown, err := types.Convert(requested, widgetV1beta1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"color": "red"}, contents(shown)); diff != "" {
		t.Errorf("conversion does not default (W-112) (-want +got):\n%s", diff)
	}

	patched, err := types.Patched([]byte(`{"apiVersion":"example.com/v1beta1","kind":"Widget","spec":{"color":"blue","strange":1}}`), widgetV1beta1)
	if err != nil {
		t.Fatal(err)
	}
	defaulted := types.Default(patched)
	if diff := cmp.Diff(map[string]any{"color": "blue", "strange": int64(1)}, contents(patched)); diff != "" {
		t.Errorf("a patch loses nothing and its result is not changed (W-210) (-want +got):\n%s", diff)
	}

	back, err := types.Convert(defaulted, widgetV1)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"color": "blue", "size": int64(3), "strange": int64(1)}
	if diff := cmp.Diff(want, contents(back)); diff != "" {
		t.Errorf("defaults of another version stay, and so do unknown fields (W-114, W-212) (-want +got):\n%s", diff)
	}

	stored, _, err := types.Stored(back)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"color": "blue", "size": int64(3)}, contents(stored)); diff != "" {
		t.Errorf("unknown fields are not stored (W-212) (-want +got):\n%s", diff)
	}
}

func TestServedInAnotherVersion(t *testing.T) {
	types := kinds.New(serving(parseCRD(t, widgets)), objects.Options{})
	stored, _, err := types.Stored(widget(t, widgetV1beta1, map[string]any{"size": 1.0, "old": "x"}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"size": int64(1)}, contents(stored)); diff != "" {
		t.Errorf("Stored drops what the storage version does not know (-want +got):\n%s", diff)
	}
	served, err := types.Served(widget(t, widgetV1, map[string]any{}), widgetV1beta1)
	if err != nil {
		t.Fatal(err)
	}
	if got := served.GetObjectKind().GroupVersionKind(); got != widgetV1beta1 {
		t.Errorf("Served is a %v, want %v", got, widgetV1beta1)
	}
	if diff := cmp.Diff(map[string]any{}, contents(served)); diff != "" {
		t.Errorf("Served has no defaults but those of the storage version (-want +got):\n%s", diff)
	}
}

func TestConvertErrors(t *testing.T) {
	types := kinds.New(serving(parseCRD(t, widgets)), objects.Options{})
	k, err := types.Kind(widgetV1)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason string
		from   schema.GroupVersionKind
		to     schema.GroupVersionKind
		want   string
	}{
		{"a version that does not exist", widgetV1, widgetV1.GroupKind().WithVersion("v2"),
			`request to convert CR to an invalid group/version: example.com/v2`},
		{"from a version that does not exist, which a patch may set", widgetV1.GroupKind().WithVersion("v2"), widgetV1,
			`request to convert CR from an invalid group/version: example.com/v2`},
		{"from another group", schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Widget"}, widgetV1,
			`example.org/v1, Kind=Widget is unstructured and is not suitable for converting to "example.com/v1"`},
	} {
		_, err := k.Convert(widget(t, test.from, nil), test.to)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: convert says %v, want %s", test.reason, err, test.want)
		}
	}
}

// If a patch has changed the kind, the object is refused on validation, with an error about the requested kind (W-215).
func TestChangedKind(t *testing.T) {
	types := kinds.New(serving(parseCRD(t, widgets)), objects.Options{})
	patched, err := types.Patched([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"w","namespace":"shop"}}`), widgetV1)
	if err != nil {
		t.Fatal(err)
	}
	w := objects.Write{Resource: widgetV1.GroupVersion().WithResource("widgets"), Kind: widgetV1}
	errs := types.Validate(types.PrepareForCreate(types.Default(patched), w), w)
	want := `[kind: Invalid value: "Pod": must be Widget, apiVersion: Invalid value: "v1": must be example.com/v1]`
	if got := errs.ToAggregate(); got == nil || got.Error() != want {
		t.Errorf("Validate says\n%v\nwant\n%s", got, want)
	}

	if _, err := types.Patched([]byte(`{"apiVersion":"example.com/v1"}`), widgetV1); err == nil ||
		err.Error() != `Object 'Kind' is missing in '{"apiVersion":"example.com/v1"}'` {
		t.Errorf("a patch that removes the kind says %v", err)
	}
}

func withWebhook(t *testing.T, reviewVersions ...string) *apiextensionsv1.CustomResourceDefinition {
	crd := parseCRD(t, widgets)
	crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
		Strategy: apiextensionsv1.WebhookConverter,
		Webhook:  &apiextensionsv1.WebhookConversion{ConversionReviewVersions: reviewVersions},
	}
	return crd
}

// converted answers a review with a valid answer, modified by change.
func converted(change func(*apiextensionsv1.ConversionReview, *unstructured.Unstructured)) objects.Converter {
	return func(_ *apiextensionsv1.CustomResourceDefinition, review *apiextensionsv1.ConversionReview, use func(*apiextensionsv1.ConversionReview) error) error {
		out := review.Request.Objects[0].Object.(*unstructured.Unstructured)
		out.SetAPIVersion(review.Request.DesiredAPIVersion)
		reply := &apiextensionsv1.ConversionReview{TypeMeta: review.TypeMeta, Response: &apiextensionsv1.ConversionResponse{
			UID:              review.Request.UID,
			Result:           metav1.Status{Status: metav1.StatusSuccess},
			ConvertedObjects: []runtime.RawExtension{{Object: out}},
		}}
		change(reply, out)
		return use(reply)
	}
}

func TestConversionWebhook(t *testing.T) {
	types := kinds.New(serving(withWebhook(t, "v1")), objects.Options{Convert: converted(
		func(_ *apiextensionsv1.ConversionReview, out *unstructured.Unstructured) {
			out.Object["spec"] = map[string]any{"color": "converted", "strange": true}
			out.SetLabels(map[string]string{"from": "v1"})
			out.SetGeneration(9)
		})})
	in := widget(t, widgetV1, map[string]any{"color": "red"})
	out, err := types.Convert(in, widgetV1beta1)
	if err != nil {
		t.Fatal(err)
	}
	want := widget(t, widgetV1beta1, map[string]any{"color": "converted", "strange": true})
	want.SetLabels(map[string]string{"from": "v1"})
	if diff := cmp.Diff(want.Object, out.(*unstructured.Unstructured).Object); diff != "" {
		t.Errorf("of metadata only labels and annotations may change (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"color": "red"}, contents(in)); diff != "" {
		t.Errorf("Convert changed its argument (-want +got):\n%s", diff)
	}
	stored, _, err := types.Stored(out)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"color": "converted"}, contents(stored)); diff != "" {
		t.Errorf("what a converter adds must be in the schema to be stored (-want +got):\n%s", diff)
	}
}

// W-113: the texts are the server's.
func TestConversionWebhookErrors(t *testing.T) {
	type review = apiextensionsv1.ConversionReview
	type object = unstructured.Unstructured
	const failed = "conversion webhook for example.com/v1, Kind=Widget "
	for _, test := range []struct {
		reason  string
		version string
		reply   func(*review, *object)
		want    string
	}{
		{"failure with a message", "v1", func(r *review, _ *object) { r.Response.Result = metav1.Status{Status: "Failure", Message: "no idea"} },
			failed + "failed: no idea"},
		{"failure without a message", "v1", func(r *review, _ *object) { r.Response.Result = metav1.Status{} },
			failed + "failed: response.result.status was '', not 'Success'"},
		{"no response", "v1", func(r *review, _ *object) { r.Response = nil },
			failed + "failed: no response provided"},
		{"answer to another request", "v1", func(r *review, _ *object) { r.Response.UID = "other" },
			failed + `failed: expected response.uid="00000000-0000-0000-0000-000000000000", got "other"`},
		{"answer of another version", "v1", func(r *review, _ *object) { r.APIVersion = "apiextensions.k8s.io/v1beta1" },
			failed + "failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got apiextensions.k8s.io/v1beta1, Kind=ConversionReview"},
		{"v1beta1 needs neither kind nor uid", "v1beta1", func(r *review, _ *object) { r.TypeMeta, r.Response.UID = metav1.TypeMeta{}, "" }, ""},
		{"no objects", "v1", func(r *review, _ *object) { r.Response.ConvertedObjects = nil },
			failed + "returned 0 objects, expected 1"},
		{"not converted", "v1", func(_ *review, o *object) { o.SetAPIVersion("example.com/v1") },
			failed + "returned invalid object at index 0: invalid groupVersion (expected example.com/v1beta1, received example.com/v1)"},
		{"another kind", "v1", func(_ *review, o *object) { o.SetKind("Gadget") },
			failed + "returned invalid object at index 0: invalid kind (expected Widget, received Gadget)"},
		{"another name", "v1", func(_ *review, o *object) { o.SetName("x") },
			failed + "returned invalid object: must have the same name: w != x"},
		{"no metadata", "v1", func(_ *review, o *object) { delete(o.Object, "metadata") },
			failed + "returned invalid object: must have the same name: w != "},
		{"bad label", "v1", func(_ *review, o *object) { o.SetLabels(map[string]string{"a": "b c"}) },
			failed + "returned invalid metadata: metadata.labels: Invalid value: \"b c\": a valid label must be"},
		{"label of a wrong type", "v1", func(_ *review, o *object) {
			o.Object["metadata"].(map[string]any)["labels"] = map[string]any{"a": int64(1)}
		}, failed + "returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object"},
		{"bad annotation", "v1", func(_ *review, o *object) { o.SetAnnotations(map[string]string{"a b": ""}) },
			failed + "returned invalid metadata: metadata.annotation: Invalid value: \"a b\": name part must consist"},
		{"unknown review versions", "v9", func(*review, *object) {},
			"no supported conversion review versions"},
	} {
		types := kinds.New(serving(withWebhook(t, test.version)), objects.Options{Convert: converted(test.reply)})
		_, err := types.Convert(widget(t, widgetV1, nil), widgetV1beta1)
		message := ""
		if err != nil {
			message = err.Error()
		}
		if !strings.HasPrefix(message, test.want) || (test.want == "" && err != nil) {
			t.Errorf("%s: Convert says\n%s\nwant\n%s", test.reason, message, test.want)
		}
	}
}

// No server before 1.15 was recorded: the words are those of its source.
func TestConversionWebhookErrorsOfOldReleases(t *testing.T) {
	type review = apiextensionsv1.ConversionReview
	type object = unstructured.Unstructured
	release, err := kubeversion.Parse("1.14")
	if err != nil {
		t.Fatal(err)
	}
	crd := withWebhook(t, "v1beta1")
	in := widget(t, widgetV1, nil)
	failed := fmt.Sprintf("conversion request failed for %v, Response: &ConversionReview{", in)
	const status = "k8s_io_apimachinery_pkg_apis_meta_v1.Status{ListMeta:ListMeta{SelfLink:,ResourceVersion:,Continue:,},Status:Failure,Message:no idea,Reason:,"
	for reason, test := range map[string]struct {
		change func(*review, *object)
		want   string
	}{
		"no response": {func(r *review, _ *object) { r.Response = nil }, "conversion webhook response was absent for " + crd.Name},
		"no objects":  {func(r *review, _ *object) { r.Response.ConvertedObjects = nil }, "expected 1 converted objects, got 0"},
		"not converted": {func(_ *review, o *object) { o.SetAPIVersion("example.com/v1") },
			"invalid converted object: invalid groupVersion, e=example.com/v1beta1, a=example.com/v1"},
		"another name": {func(_ *review, o *object) { o.SetName("x") }, "invalid converted object: must have the same name: w != x"},
		"failure": {func(r *review, _ *object) {
			r.Request = nil
			r.Response = &apiextensionsv1.ConversionResponse{Result: metav1.Status{Status: "Failure", Message: "no idea"}}
		}, failed + "Request:nil,Response:&ConversionResponse{UID:,ConvertedObjects:[],Result:" + status + "Details:nil,Code:0,},},}"},
		"failure in an echo": {func(r *review, _ *object) {
			r.Request = &apiextensionsv1.ConversionRequest{UID: "u", DesiredAPIVersion: "example.com/v1beta1", Objects: []runtime.RawExtension{{Raw: []byte("{}")}}}
			details := &metav1.StatusDetails{Name: "w", Causes: []metav1.StatusCause{{Type: "Odd", Message: "is odd", Field: "spec"}}}
			r.Response = &apiextensionsv1.ConversionResponse{UID: "u", Result: metav1.Status{Status: "Failure", Message: "no idea", Details: details, Code: 400}}
		}, failed + "Request:&ConversionRequest{UID:u,DesiredAPIVersion:example.com/v1beta1,Objects:[{[123 125] <nil>}],}," +
			"Response:&ConversionResponse{UID:u,ConvertedObjects:[],Result:" + status +
			"Details:&StatusDetails{Name:w,Group:,Kind:,Causes:[{Odd is odd spec}],RetryAfterSeconds:0,UID:,},Code:400,},},}"},
		"other metadata": {func(_ *review, o *object) { o.SetGeneration(9) }, ""}, // is accepted
	} {
		types := kinds.New(serving(crd), objects.Options{Release: release, Convert: converted(test.change)})
		out, err := types.Convert(in, widgetV1beta1)
		switch {
		case test.want == "" && (err != nil || out.(*object).GetGeneration() != 9):
			t.Errorf("%s: Convert says %v, %v", reason, out, err)
		case test.want != "" && (err == nil || err.Error() != test.want):
			t.Errorf("%s: Convert says\n%v\nwant\n%s", reason, err, test.want)
		}
	}
}

func TestConversionWebhookUnreachable(t *testing.T) {
	crd := withWebhook(t, "v1")
	_, err := kinds.New(serving(crd), objects.Options{}).Convert(widget(t, widgetV1, nil), widgetV1beta1)
	if !errors.Is(err, objects.ErrNoConverter) {
		t.Errorf("without a converter Convert says %v, want ErrNoConverter", err)
	}
	refused := func(*apiextensionsv1.CustomResourceDefinition, *apiextensionsv1.ConversionReview, func(*apiextensionsv1.ConversionReview) error) error {
		return errors.New("connection refused")
	}
	_, err = kinds.New(serving(crd), objects.Options{Convert: refused}).Convert(widget(t, widgetV1, nil), widgetV1beta1)
	if want := "conversion webhook for example.com/v1, Kind=Widget failed: connection refused"; err == nil || err.Error() != want {
		t.Errorf("Convert says %v, want %s", err, want)
	}
}
