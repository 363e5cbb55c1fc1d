package objects

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	corev1 "k8s.io/api/core/v1"
)

var configMap = rules[*corev1.ConfigMap]{
	name:     dnsSubdomain,
	validate: func(c *corev1.ConfigMap, _ request) field.ErrorList { return nil },
}
