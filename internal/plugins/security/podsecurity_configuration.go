package security

import (
	"cmp"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	podsecurityconfig "k8s.io/pod-security-admission/admission/api"
	podsecurityapi "k8s.io/pod-security-admission/api"

	"github.com/admsim/admsim/internal/plugins/plugin"
)

// podSecurityFile is a PodSecurityConfiguration as it is written, which is the same in all versions. The module's own
// types come with a scheme that is built at every start: kubernetes/pod-security-admission:admission/api/load/load.go.
type podSecurityFile struct {
	metav1.TypeMeta
	Defaults   podSecurityDefaults   `json:"defaults"`
	Exemptions podSecurityExemptions `json:"exemptions"`
}

type podSecurityDefaults struct {
	Enforce        string `json:"enforce,omitempty"`
	EnforceVersion string `json:"enforce-version,omitempty"`
	Audit          string `json:"audit,omitempty"`
	AuditVersion   string `json:"audit-version,omitempty"`
	Warn           string `json:"warn,omitempty"`
	WarnVersion    string `json:"warn-version,omitempty"`
}

type podSecurityExemptions struct {
	Usernames      []string `json:"usernames,omitempty"`
	Namespaces     []string `json:"namespaces,omitempty"`
	RuntimeClasses []string `json:"runtimeClasses,omitempty"`
}

// DeepCopyObject implements [runtime.Object]. It returns f itself, since nobody modifies it.
func (f *podSecurityFile) DeepCopyObject() runtime.Object { return f }

var podSecurityDecoder = sync.OnceValue(func() runtime.Decoder {
	scheme := runtime.NewScheme()
	for _, version := range []string{"v1", "v1beta1", "v1alpha1"} {
		gv := schema.GroupVersion{Group: podsecurityconfig.GroupName, Version: version}
		scheme.AddKnownTypeWithName(gv.WithKind("PodSecurityConfiguration"), &podSecurityFile{})
	}
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
})

// readPodSecurity reads a configuration; empty data stands for the defaults.
func readPodSecurity(data []byte) (*podsecurityconfig.PodSecurityConfiguration, error) {
	file := &podSecurityFile{}
	if len(data) > 0 {
		decoded, err := runtime.Decode(podSecurityDecoder(), data)
		if err != nil {
			return nil, plugin.InType(err, file)
		}
		read, ok := decoded.(*podSecurityFile)
		if !ok {
			return nil, fmt.Errorf("expected PodSecurityConfiguration, got %T", decoded)
		}
		file = read
	}
	usual, newest := string(podsecurityapi.LevelPrivileged), podsecurityapi.VersionLatest
	return &podsecurityconfig.PodSecurityConfiguration{
		Defaults: podsecurityconfig.PodSecurityDefaults{
			Enforce:        cmp.Or(file.Defaults.Enforce, usual),
			EnforceVersion: cmp.Or(file.Defaults.EnforceVersion, newest),
			Audit:          cmp.Or(file.Defaults.Audit, usual),
			AuditVersion:   cmp.Or(file.Defaults.AuditVersion, newest),
			Warn:           cmp.Or(file.Defaults.Warn, usual),
			WarnVersion:    cmp.Or(file.Defaults.WarnVersion, newest),
		},
		Exemptions: podsecurityconfig.PodSecurityExemptions(file.Exemptions),
	}, nil
}
