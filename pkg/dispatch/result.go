package dispatch

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"

	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	kjson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/jsonread"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A result is an HTTP answer.
type result struct {
	status int
	header http.Header
	body   []byte
}

// reviewScheme has the types of both versions of reviews.
var reviewScheme = sync.OnceValue(func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{admissionv1beta1.AddToScheme, admissionv1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return scheme
})

var reviewCodec = sync.OnceValue(func() runtime.Codec {
	return serializer.NewCodecFactory(reviewScheme()).LegacyCodec(admissionv1beta1.SchemeGroupVersion, admissionv1.SchemeGroupVersion)
})

// codec decodes replies as the webhook client of a release does, with the same error messages:
// kubernetes/apiserver:pkg/admission/plugin/webhook/generic/webhook.go.
func codec(r *kubeversion.Release) runtime.Codec {
	return jsonread.Codec{Codec: reviewCodec(), Scheme: reviewScheme(), Release: r}
}

var (
	v1Review   = admissionv1.SchemeGroupVersion.WithKind("AdmissionReview")
	betaReview = admissionv1beta1.SchemeGroupVersion.WithKind("AdmissionReview")
)

// decode decodes the AdmissionReview in the answer to a server of a release.
func (r result) decode(version string, release *kubeversion.Release) (*response, error) {
	if resp, ok := r.bare(version); ok {
		return resp, nil
	}
	if version == v1beta1 {
		review := &admissionv1beta1.AdmissionReview{}
		if !r.isPlain(review, betaReview) {
			review = &admissionv1beta1.AdmissionReview{}
			if err := r.into(codec(release), review); err != nil {
				return nil, err
			}
		}
		return responseOfBeta(review), nil
	}
	review := &admissionv1.AdmissionReview{}
	if !r.isPlain(review, v1Review) {
		review = &admissionv1.AdmissionReview{}
		if err := r.into(codec(release), review); err != nil {
			return nil, err
		}
	}
	return responseOf(review), nil
}

// bare decodes the answer if it is a success and simple enough for [bareResponse].
func (r result) bare(version string) (*response, bool) {
	if !r.isSuccess() || r.checkType() != nil {
		return nil, false
	}
	if version == v1beta1 {
		resp, ok := bareResponse(r.body, betaReview)
		resp.PatchType = nil // W-176
		return resp, ok
	}
	return bareResponse(r.body, v1Review)
}

// isPlain decodes the answer into object if it is a success, JSON, and of that kind, as nearly all answers are. The
// codec would do the same, after reading everything once to find the kind.
func (r result) isPlain(object runtime.Object, kind schema.GroupVersionKind) bool {
	if !r.isSuccess() || r.checkType() != nil || len(r.body) == 0 || r.body[0] != '{' {
		return false
	}
	err := kjson.UnmarshalCaseSensitivePreserveInts(r.body, object)
	return err == nil && object.GetObjectKind().GroupVersionKind() == kind && !mayFoldKind(r.body)
}

// mayFoldKind reports whether text may have a member whose name is kind or apiVersion in another case. The codec
// accepts such names, because it looks for the kind with encoding/json (W-168).
func mayFoldKind(text []byte) bool {
	for {
		_, rest, found := bytes.Cut(text, []byte{'"'})
		if !found {
			return false
		}
		name, behind, _ := bytes.Cut(rest, []byte{'"'})
		text = rest
		if behind = bytes.TrimLeft(behind, " \t\r\n"); len(behind) == 0 || behind[0] != ':' {
			continue
		}
		switch {
		case string(name) == "kind", string(name) == "apiVersion":
		case bytes.EqualFold(name, []byte("kind")), bytes.EqualFold(name, []byte("apiVersion")), bytes.IndexByte(name, '\\') >= 0:
			return true
		}
	}
}

// into decodes the object in the answer (W-163..W-168: kubernetes/client-go:rest/request.go, transformResponse and
// Into).
func (r result) into(c runtime.Codec, object runtime.Object) error {
	if err := r.failure(c); err != nil {
		return err
	}
	if len(r.body) == 0 {
		return fmt.Errorf("0-length response with status code: %d and content type: %s", r.status, r.contentType())
	}
	_, _, err := c.Decode(r.body, nil, object)
	return err
}

// failure returns the error that follows from the status and headers of the answer.
func (r result) failure(c runtime.Codec) error {
	if err := r.checkType(); err != nil {
		return apierrors.NewInternalError(err)
	}
	if !r.isSuccess() {
		return r.httpError(c)
	}
	return nil
}

func (r result) isSuccess() bool {
	return r.status >= http.StatusOK && r.status <= http.StatusPartialContent || r.status == http.StatusSwitchingProtocols
}

// checkType checks the Content-Type. The body is sniffed in any case, but the Content-Type has to be valid.
func (r result) checkType() error {
	is := r.contentType()
	if is == runtime.ContentTypeJSON {
		return nil
	}
	_, _, err := mime.ParseMediaType(is)
	return err
}

func (r result) contentType() string {
	if given := r.header.Get("Content-Type"); given != "" {
		return given
	}
	return runtime.ContentTypeJSON
}

// maxErrorText is how much of the text of an answer an error repeats.
const maxErrorText = 2048

// httpError returns the server's error for an HTTP status that is not a success: usually with a text of its own
// (W-165), or with the message of a Status in the body (W-166).
func (r result) httpError(c runtime.Codec) error {
	text := "unknown"
	if r.isText() {
		text = strings.TrimSpace(string(r.body[:min(len(r.body), maxErrorText)]))
	}
	retryAfter, _ := strconv.Atoi(r.header.Get("Retry-After"))
	err := apierrors.NewGenericServerResponse(r.status, http.MethodPost, schema.GroupResource{}, "", text, retryAfter, true)
	if !apierrors.IsUnexpectedServerError(err) || len(r.body) == 0 {
		return err
	}
	body, _, undecodable := c.Decode(r.body, &schema.GroupVersionKind{Version: "v1"}, nil)
	if undecodable != nil {
		return err
	}
	if status, ok := body.(*metav1.Status); ok && status.Status == metav1.StatusFailure {
		return apierrors.FromObject(status)
	}
	return err
}

// isText reports whether the body is text that can be shown to people.
func (r result) isText() bool {
	contentType := r.header.Get("Content-Type")
	if contentType == "" {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && strings.HasPrefix(media, "text/")
}
