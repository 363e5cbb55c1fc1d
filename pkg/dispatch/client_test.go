package dispatch

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
)

// canned is a transport that answers every request in the same way.
type canned result

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: c.status, Header: c.header, Body: io.NopCloser(bytes.NewReader(c.body)), Request: r}, nil
}

// clientGo returns what the server's own HTTP client makes of an answer.
func clientGo(t *testing.T, r result) (*response, error) {
	t.Helper()
	config := &rest.Config{
		Host: "https://hook.example",
		ContentConfig: rest.ContentConfig{
			ContentType:          runtime.ContentTypeJSON,
			NegotiatedSerializer: serializer.NegotiatedSerializerWrapper(runtime.SerializerInfo{Serializer: codec(nil)}),
		},
		QPS: -1,
	}
	client, err := rest.UnversionedRESTClientForConfigAndClient(config, &http.Client{Transport: canned(r)})
	if err != nil {
		t.Fatal(err)
	}
	review := &admissionv1.AdmissionReview{}
	if err := client.Post().Body(&admissionv1.AdmissionReview{}).Do(t.Context()).Into(review); err != nil {
		return nil, err
	}
	return responseOf(review), nil
}

// Every answer is decoded exactly as client-go decodes it, including error texts (W-163..W-168).
func FuzzResult(f *testing.F) {
	const review = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u","allowed":true}}`
	for _, seed := range []struct {
		status      int
		contentType string
		body        string
	}{
		{200, "application/json", review},
		{200, "", review},
		{200, "text/plain", "response: {}"},
		{206, "nonsense;;", review},
		{207, "application/json", review},
		{204, "", ""},
		{101, "", ""},
		{200, "application/json", "k8s\x00\x0a\x04"},
		{200, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure"}`},
		{500, "text/plain; charset=utf-8", " boom\n"},
		{500, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"m","code":418}`},
		{500, "application/json", `{"status":"Failure"}`},
		{404, "", "x"},
		{403, "text/html", "<b>no</b>"},
		{406, "", ""},
		{415, "application/json", "x"},
		{422, "", "x"},
		{599, "", "x"},
		{999, "", "x"},
	} {
		f.Add(seed.status, seed.contentType, []byte(seed.body))
	}
	for _, body := range notBare {
		f.Add(200, "application/json", []byte(body))
	}
	for _, said := range []string{`"allowed":false,"patch":"W10=","patchType":""`, `"patch":"","patchType":"JSONPatch"`, `"patch":"W1\n0="`, `"uid":""`} {
		f.Add(200, "application/json", []byte(inReview(`"response":{`+said+`}`)))
	}
	f.Fuzz(func(t *testing.T, status int, contentType string, body []byte) {
		if status < 100 || status > 999 || status >= 300 && status < 400 {
			t.Skip("no status, or one that net/http handles itself")
		}
		r := result{status: status, header: http.Header{}, body: body}
		if contentType != "" {
			r.header.Set("Content-Type", contentType)
		}
		got, gotErr := r.decode(v1, nil)
		want, wantErr := clientGo(t, r)
		if text(gotErr) != text(wantErr) {
			t.Fatalf("error (-want +got):\n%s", cmp.Diff(text(wantErr), text(gotErr)))
		}
		if diff := cmp.Diff(want, got, asRead); diff != "" {
			t.Fatalf("response (-want +got):\n%s", diff)
		}
	})
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
