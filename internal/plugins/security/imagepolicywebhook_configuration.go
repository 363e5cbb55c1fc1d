package security

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	imagepolicyv1alpha1 "k8s.io/api/imagepolicy/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/unset"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// imagePolicyConfiguration is the plugin's own file, together with the content of the kubeconfig that it names.
type imagePolicyConfiguration struct {
	ImagePolicy struct {
		KubeConfigFile string          `json:"kubeConfigFile"`
		KubeConfig     json.RawMessage `json:"kubeConfig"`
		AllowTTL       int64           `json:"allowTTL"`
		DenyTTL        int64           `json:"denyTTL"`
		RetryBackoff   int64           `json:"retryBackoff"`
		DefaultAllow   bool            `json:"defaultAllow"`
	} `json:"imagePolicy"`
}

var imageReviewScheme = sync.OnceValue(func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{imagepolicyv1alpha1.AddToScheme, admissionv1.AddToScheme, admissionv1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return scheme
})

var imageReviewCodec = sync.OnceValue(func() runtime.Codec {
	return serializer.NewCodecFactory(imageReviewScheme()).LegacyCodec(imagepolicyv1alpha1.SchemeGroupVersion)
})

// NewImagePolicyWebhook returns the plugin for a configuration.
func NewImagePolicyWebhook(r *kubeversion.Release, types *objects.Types, configuration []byte, backends func(configuration, webhook string) dispatch.Backend, now func() time.Time) (*ImagePolicyWebhook, error) {
	if configuration == nil {
		return nil, errors.New("no config specified")
	}
	var file imagePolicyConfiguration
	if err := json.Unmarshal(configuration, &file); err != nil {
		return nil, err
	}
	c := file.ImagePolicy
	p := &ImagePolicyWebhook{now: now, defaultAllow: c.DefaultAllow, debuggers: r.Has(kubeversion.DebuggersChecked)}
	var err error
	if p.service.Backoff, err = configuredTime(c.RetryBackoff, time.Millisecond, 1, 5*time.Minute, 500*time.Millisecond); err != nil {
		return nil, err
	}
	if p.allowTTL, err = configuredTime(c.AllowTTL, time.Second, time.Second, 30*time.Minute, 5*time.Minute); err != nil {
		return nil, err
	}
	if p.denyTTL, err = configuredTime(c.DenyTTL, time.Second, time.Second, 30*time.Minute, 30*time.Second); err != nil {
		return nil, err
	}
	if c.KubeConfig == nil {
		return nil, errors.New("imagePolicy has no kubeConfigFile, or it was not read")
	}
	if p.service.Credentials, err = dispatch.ParseKubeconfig(c.KubeConfig, c.KubeConfigFile); err != nil {
		return nil, err
	}
	if p.service.URL, err = p.service.Credentials.Server(); err != nil {
		return nil, err
	}
	p.service.Name, p.service.Version, p.service.Release = ImagePolicyBackend, dispatch.ImageReviews, r
	p.service.Codec = objects.Codec{Codec: imageReviewCodec(), Scheme: imageReviewScheme(), Types: types, Release: r}
	if !r.Has(kubeversion.OmitsZeroTimes) {
		p.service.Codec = unset.Codec{Codec: p.service.Codec}
	}
	p.service.Backend = backends("", ImagePolicyBackend)
	return p, nil
}

// configuredTime converts a number of units, where 0 stands for usual and -1 for none.
func configuredTime(value int64, unit, least, most, usual time.Duration) (time.Duration, error) {
	switch value {
	case -1:
		return 0, nil
	case 0:
		return usual, nil
	}
	if t := time.Duration(value) * unit; t >= least && t <= most {
		return t, nil
	}
	return 0, fmt.Errorf("valid value is between %v and %v, got %v", least, most, time.Duration(value)*unit)
}
