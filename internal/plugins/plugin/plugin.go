// Package plugin is what the built-in plugins are made of: the steps that they return, questions that
// they ask of a request, and how they read their configuration.
//
// A plugin starts with [Begin], and ends with one of [Skip], [Allow], [Change], [Deny] and [Forbid].
// The package knows no plugin.
package plugin

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/cluster"
)

// Create has the server create an object for a plugin, as a request of its own and of the
// server's: created is what was written, with what controllers add to it, refused why nothing was.
type Create func(ctx context.Context, s *cluster.State, object runtime.Object) (created []cluster.Object, refused *metav1.Status, err error)
