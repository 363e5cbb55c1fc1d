// Package plugin holds what the built-in plugins share: the steps that they return, helpers for reading a request, and
// the reader of their configuration.
//
// A plugin starts with [Begin], and ends with one of [Skip], [Allow], [Change], [Deny] and [Forbid]. The package does
// not know the individual plugins.
package plugin

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// Send sends a request that the server makes to itself for a plugin: one that creates an object, or updates a
// subresource of it. wrote is the object as written together with what controllers add to it.
type Send func(ctx context.Context, s *cluster.State, verb, subresource string, object runtime.Object) (sent trace.Sent, wrote []cluster.Object, err error)
