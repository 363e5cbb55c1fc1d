// Package plugin holds what the built-in plugins share: the steps that they return, helpers for reading a request, and
// the reader of their configuration.
//
// A plugin starts with [Begin], and ends with one of [Skip], [Allow], [Change], [Deny] and [Forbid]. The package does
// not know the individual plugins.
package plugin

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/cluster"
)

// Create creates an object for a plugin, in a request of the server's own. It returns the object as written together
// with what controllers add to it, or refused if the request was refused.
type Create func(ctx context.Context, s *cluster.State, object runtime.Object) (created []cluster.Object, refused *metav1.Status, err error)
