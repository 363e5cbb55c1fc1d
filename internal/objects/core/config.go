// kubernetes/kubernetes:pkg/apis/core/validation/validation.go
// kubernetes/kubernetes:pkg/registry/core/configmap/strategy.go
// kubernetes/kubernetes:pkg/registry/core/secret/strategy.go

package core

import (
	"crypto/tls"
	"encoding/json"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var configMap = rules.Of[*corev1.ConfigMap]{
	Name: rules.DNSSubdomain,
	Defaults: func(c *corev1.ConfigMap) {
		if c.Data == nil {
			c.Data = map[string]string{}
		}
	},
	Validate: func(c *corev1.ConfigMap, _ rules.Request) field.ErrorList {
		var errs rules.Errors
		size := 0
		for key, value := range rules.Sorted(c.Data) {
			size += len(value)
			errs.Add(configKey(key, field.NewPath("data")))
			if _, too := c.BinaryData[key]; too {
				errs.Invalid(field.NewPath("data").Key(key), key, "duplicate of key present in binaryData")
			}
		}
		for key, value := range rules.Sorted(c.BinaryData) {
			size += len(value)
			errs.Add(configKey(key, field.NewPath("binaryData")))
		}
		if size > corev1.MaxSecretSize {
			errs.TooLong(field.NewPath(""), "", corev1.MaxSecretSize)
		}
		return errs.List()
	},
	ValidateUpdate: func(c, old *corev1.ConfigMap, _ rules.Request) field.ErrorList {
		if !rules.IsTrue(old.Immutable) {
			return nil
		}
		var errs rules.Errors
		errs.Add(staysImmutable(c.Immutable))
		errs.Add(unchangedWhenImmutable(c.Data, old.Data, field.NewPath("data")))
		errs.Add(unchangedWhenImmutable(c.BinaryData, asRead(old.BinaryData), field.NewPath("binaryData")))
		return errs.List()
	},
}

var secret = rules.Of[*corev1.Secret]{
	Name:     rules.DNSSubdomain,
	Defaults: func(s *corev1.Secret) { rules.SetZero(&s.Type, corev1.SecretTypeOpaque) },
	Normalise: func(s *corev1.Secret, _ *kubeversion.Release) {
		for key, value := range s.StringData {
			if s.Data == nil {
				s.Data = map[string][]byte{}
			}
			s.Data[key] = []byte(value)
		}
		s.StringData = nil
	},
	Export: func(s *corev1.Secret, exact bool, prepare func()) (errs field.ErrorList) {
		prepare()
		if ofAccount := s.Type == corev1.SecretTypeServiceAccountToken || s.Annotations[corev1.ServiceAccountUIDKey] != ""; ofAccount && !exact {
			internal := *s
			internal.TypeMeta = metav1.TypeMeta{}
			errs = append(errs, field.Invalid(field.NewPath("type"), rules.AsInternal(&internal), "can not export service account secrets"))
		}
		return errs
	},
	Validate: func(s *corev1.Secret, _ rules.Request) field.ErrorList {
		var errs rules.Errors
		path := field.NewPath("data")
		size := 0
		for key, value := range rules.Sorted(s.Data) {
			size += len(value)
			errs.Add(configKey(key, path))
		}
		if size > corev1.MaxSecretSize {
			errs.TooLong(path, "", corev1.MaxSecretSize)
		}
		errs.Add(secretOfType(s, path))
		return errs.List()
	},
	ValidateUpdate: func(s, old *corev1.Secret, _ rules.Request) field.ErrorList {
		var errs rules.Errors
		errs.Add(validation.ValidateImmutableField(s.Type, old.Type, field.NewPath("type")))
		if rules.IsTrue(old.Immutable) {
			errs.Add(staysImmutable(s.Immutable))
			errs.Add(unchangedWhenImmutable(s.Data, asRead(old.Data), field.NewPath("data")))
		}
		return errs.List()
	},
	Warnings:   func(s, _ *corev1.Secret, _ rules.Request) []string { return tlsWarnings(s) },
	WarnsSince: kubeversion.MoreKindWarnings,
}

// secretOfType checks that a secret contains what its type requires.
func secretOfType(s *corev1.Secret, path *field.Path) field.ErrorList {
	required := func(keys ...string) field.ErrorList {
		var errs rules.Errors
		for _, key := range keys {
			if _, ok := s.Data[key]; !ok {
				errs.Required(path.Key(key), "")
			}
		}
		return errs.List()
	}
	switch s.Type {
	case corev1.SecretTypeServiceAccountToken:
		if s.Annotations[corev1.ServiceAccountNameKey] == "" {
			return field.ErrorList{field.Required(field.NewPath("metadata", "annotations").Key(corev1.ServiceAccountNameKey), "")}
		}
	case corev1.SecretTypeDockercfg:
		return jsonSecret(s, corev1.DockerConfigKey, path)
	case corev1.SecretTypeDockerConfigJson:
		return jsonSecret(s, corev1.DockerConfigJsonKey, path)
	case corev1.SecretTypeBasicAuth:
		errs := required(corev1.BasicAuthUsernameKey, corev1.BasicAuthPasswordKey)
		if len(errs) == 2 { // one of the two is enough
			return errs
		}
	case corev1.SecretTypeSSHAuth:
		if len(s.Data[corev1.SSHAuthPrivateKey]) == 0 {
			return field.ErrorList{field.Required(path.Key(corev1.SSHAuthPrivateKey), "")}
		}
	case corev1.SecretTypeTLS:
		return required(corev1.TLSCertKey, corev1.TLSPrivateKeyKey)
	}
	return nil
}

func jsonSecret(s *corev1.Secret, key string, path *field.Path) field.ErrorList {
	value, ok := s.Data[key]
	if !ok {
		return field.ErrorList{field.Required(path.Key(key), "")}
	}
	if err := json.Unmarshal(value, &map[string]any{}); err != nil {
		return field.ErrorList{field.Invalid(path.Key(key), "<secret contents redacted>", err.Error())}
	}
	return nil
}

func configKey(key string, path *field.Path) field.ErrorList {
	var errs rules.Errors
	for _, wrong := range utilvalidation.IsConfigMapKey(key) {
		errs.Invalid(path.Key(key), key, wrong)
	}
	return errs.List()
}

const immutableWhenSet = "field is immutable when `immutable` is set"

func staysImmutable(immutable *bool) field.ErrorList {
	if rules.IsTrue(immutable) {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("immutable"), immutableWhenSet)}
}

// unchangedWhenImmutable considers an empty map different from a missing one.
func unchangedWhenImmutable(value, old any, path *field.Path) field.ErrorList {
	if reflect.DeepEqual(value, old) {
		return nil
	}
	return field.ErrorList{field.Forbidden(path, immutableWhenSet)}
}

// asRead returns a map as it is read from the storage, where an empty map becomes a missing one.
func asRead(entries map[string][]byte) map[string][]byte {
	if len(entries) == 0 {
		return nil
	}
	return entries
}

// tlsWarnings warns if key and certificate do not match. The secret is accepted in any case.
func tlsWarnings(s *corev1.Secret) []string {
	if s.Type != corev1.SecretTypeTLS {
		return nil
	}
	if _, err := tls.X509KeyPair(s.Data[corev1.TLSCertKey], s.Data[corev1.TLSPrivateKeyKey]); err != nil {
		return []string{err.Error()}
	}
	return nil
}
