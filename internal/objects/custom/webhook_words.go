// kubernetes/apiextensions-apiserver:pkg/apiserver/conversion/webhook_converter.go

package custom

import (
	"errors"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// conversionWords are the words of a release for what is wrong with an answer to one conversion. The first argument of
// each format is the name of the definition, the second the object or its kind.
type conversionWords struct {
	definition string
	of         any // the object or its kind

	call                 string // the third argument is the error
	absent               string
	count, version, kind string // the third argument is what is expected, the fourth what was received
	identity, metadata   string // the third argument is the error

	release *kubeversion.Release
}

func (k *Kind) conversionWords(u *unstructured.Unstructured) conversionWords {
	words := conversionWords{
		call:     "conversion webhook for %[2]v failed: %[3]v",
		absent:   "conversion webhook for %[2]v failed: no response provided",
		count:    "conversion webhook for %[2]v returned %[4]d objects, expected %[3]d",
		version:  "conversion webhook for %[2]v returned invalid object at index 0: invalid groupVersion (expected %[3]v, received %[4]v)",
		kind:     "conversion webhook for %[2]v returned invalid object at index 0: invalid kind (expected %[3]v, received %[4]v)",
		identity: "conversion webhook for %[2]v returned invalid object: %[3]v",
		metadata: "conversion webhook for %[2]v returned invalid metadata: %[3]v",
	}
	words.definition, words.of, words.release = k.crd.Name, u.GroupVersionKind(), k.options.Release
	if k.options.Release.Has(kubeversion.ConvertedKindNamed) {
		return words
	}
	words.of = u
	words.absent = "conversion webhook for %[2]v lacked response"
	words.version = "conversion webhook for %[2]v returned invalid object: invalid groupVersion, e=%[3]v, a=%[4]v"
	words.kind = "conversion webhook for %[2]v returned invalid object: invalid kind, e=%[3]v, a=%[4]v"
	if k.options.Release.Has(kubeversion.ConvertedMetadataKept) {
		return words
	}
	words.call = "calling to conversion webhook failed for %[1]s: %[3]v"
	words.absent = "conversion webhook response was absent for %[1]s"
	words.count = "expected %[3]v converted objects, got %[4]v"
	words.version = "invalid converted object: invalid groupVersion, e=%[3]v, a=%[4]v"
	words.kind = "invalid converted object: invalid kind, e=%[3]v, a=%[4]v"
	words.identity = "invalid converted object: %[3]v"
	return words
}

// because returns the error of a format with its further arguments.
func (w conversionWords) because(format string, args ...any) error {
	return fmt.Errorf(format, append([]any{w.definition, w.of}, args...)...)
}

func (w conversionWords) failed(err error) error { return w.because(w.call, err) }

// unsuccessful returns the error for a review whose response is not a success.
func (w conversionWords) unsuccessful(reply *apiextensionsv1.ConversionReview) error {
	result := reply.Response.Result
	switch {
	case !w.release.Has(kubeversion.ConvertedMetadataKept):
		return w.because("conversion request failed for %[2]v, Response: %[3]v", formerReview(reply))
	case !w.release.Has(kubeversion.ConvertedKindNamed) || result.Message != "":
		return w.failed(errors.New(result.Message))
	}
	return w.failed(fmt.Errorf("response.result.status was '%s', not 'Success'", result.Status))
}

// formerReview returns a review with a response as the protocol buffers of 1.14 show it, which write lists and the names of
// types in another way than those of today: kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/v1beta1/generated.pb.go.
func formerReview(r *apiextensionsv1.ConversionReview) string {
	request, details := "nil", "nil"
	if q := r.Request; q != nil {
		request = fmt.Sprintf("&ConversionRequest{UID:%s,DesiredAPIVersion:%s,Objects:%v,}", q.UID, q.DesiredAPIVersion, q.Objects)
	}
	result := r.Response.Result
	if d := result.Details; d != nil {
		details = fmt.Sprintf("&StatusDetails{Name:%s,Group:%s,Kind:%s,Causes:%v,RetryAfterSeconds:%d,UID:%s,}",
			d.Name, d.Group, d.Kind, d.Causes, d.RetryAfterSeconds, d.UID)
	}
	status := fmt.Sprintf("k8s_io_apimachinery_pkg_apis_meta_v1.Status{ListMeta:ListMeta{SelfLink:%s,ResourceVersion:%s,Continue:%s,},"+
		"Status:%s,Message:%s,Reason:%s,Details:%s,Code:%d,}", result.SelfLink, result.ResourceVersion, result.Continue,
		result.Status, result.Message, result.Reason, details, result.Code)
	return fmt.Sprintf("&ConversionReview{Request:%s,Response:&ConversionResponse{UID:%s,ConvertedObjects:%v,Result:%s,},}",
		request, r.Response.UID, r.Response.ConvertedObjects, status)
}
