package rest

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
	metascheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/rest/selectors"
)

// Options are decoded in the same way as with the server's scheme.
func TestOptionsAsServer(t *testing.T) {
	info, _ := runtime.SerializerInfoForMediaType(metascheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	server := metascheme.Codecs.DecoderToVersion(info.Serializer, metav1.SchemeGroupVersion)
	decode := func(d runtime.Decoder, body string) []any {
		into, kind := &metav1.DeleteOptions{}, metav1.SchemeGroupVersion.WithKind("DeleteOptions")
		object, got, err := d.Decode([]byte(body), &kind, into)
		return []any{object, got, wording(err), object == runtime.Object(into)}
	}
	for _, body := range []string{
		``, `{}`, `null`, `[]`, `x`, `{"propagationPolicy":"Orphan"}`, `{"gracePeriodSeconds":"1"}`, `{"unknown":1}`, `{"preconditions":{"uid":"u"}}`,
		`{"kind":"DeleteOptions","apiVersion":"v1"}`, `{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1","dryRun":["All"]}`,
		`{"kind":"DeleteOptions","apiVersion":"apps/v1"}`, `{"kind":"DeleteOptions","apiVersion":"policy/v1beta1","gracePeriodSeconds":3}`,
		`{"kind":"DeleteOptions"}`, `{"apiVersion":"v1"}`, `{"kind":"DeleteOptions","apiVersion":"a/b/c"}`, `{"kind":1}`,
		`{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1"}`, `{"kind":"UpdateOptions","apiVersion":"v1"}`, `{"kind":"PatchOptions","apiVersion":"v1"}`,
		`{"kind":"Pod","apiVersion":"v1"}`, `{"kind":"Status","apiVersion":"v1"}`, `{"kind":"ListOptions","apiVersion":"meta.k8s.io/v1"}`,
	} {
		if diff := cmp.Diff(decode(server, body), decode(selectors.OptionsInBody(), body)); diff != "" {
			t.Errorf("%s (-server +admsim):\n%s", body, diff)
		}
	}
	for _, query := range []string{
		"", "dryRun=All", "dryRun=All&dryRun=None", "fieldManager=a&fieldValidation=Strict", "force=true", "force=x", "gracePeriodSeconds=5", "gracePeriodSeconds=x",
		"orphanDependents=true", "orphanDependents=x", "propagationPolicy=Background", "uid=u&resourceVersion=1", "unknown=1", "pretty=true", "ignoreStoreReadErrorWithClusterBreakingPotential=x",
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		for _, into := range []func() runtime.Object{
			func() runtime.Object { return &metav1.CreateOptions{} }, func() runtime.Object { return &metav1.UpdateOptions{} },
			func() runtime.Object { return &metav1.PatchOptions{} }, func() runtime.Object { return &metav1.DeleteOptions{} },
		} {
			want, got := into(), into()
			wantErr := metascheme.ParameterCodec.DecodeParameters(values, metav1.SchemeGroupVersion, want)
			gotErr := (&exchange{server: &Server{}, req: Request{Query: values}}).readQuery(got)
			if wantErr != nil {
				wantErr = badRequest("%s", wantErr)
			}
			if diff := cmp.Diff([]any{want, wording(wantErr)}, []any{got, wording(gotErr)}); diff != "" {
				t.Errorf("?%s into %T (-server +admsim):\n%s", query, want, diff)
			}
		}
	}
}

func wording(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
