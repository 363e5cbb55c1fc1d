// kubernetes/apiextensions-apiserver:pkg/apiserver/conversion/webhook_converter.go

package custom

import (
	"errors"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// conversionWords are the words of a release for what is wrong with an answer to one conversion. The first argument of
// each format is the name of the definition, the second the object or its kind.
type conversionWords struct {
	definition string
	of         any // the object or its kind

	call                             string // the third argument is the error
	absent                           string
	count, version, kind             string // the third argument is what is expected, the fourth what was received
	identity, metadata               string // the third argument is the error
	showsAnswer, showsOnlyTheMessage bool   // of an answer without success
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
	words.definition, words.of = k.crd.Name, u.GroupVersionKind()
	if k.options.Release.Has(kubeversion.ConvertedKindNamed) {
		return words
	}
	words.of, words.showsOnlyTheMessage = u, true
	words.absent = "conversion webhook for %[2]v lacked response"
	words.version = "conversion webhook for %[2]v returned invalid object: invalid groupVersion, e=%[3]v, a=%[4]v"
	words.kind = "conversion webhook for %[2]v returned invalid object: invalid kind, e=%[3]v, a=%[4]v"
	if k.options.Release.Has(kubeversion.ConvertedMetadataKept) {
		return words
	}
	words.showsAnswer = true
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
	case w.showsAnswer:
		response := apiextensionsv1beta1.ConversionResponse(*reply.Response)
		return w.because("conversion request failed for %[2]v, Response: %[3]v", &apiextensionsv1beta1.ConversionReview{Response: &response})
	case result.Message != "" || w.showsOnlyTheMessage:
		return w.failed(errors.New(result.Message))
	}
	return w.failed(fmt.Errorf("response.result.status was '%s', not 'Success'", result.Status))
}
