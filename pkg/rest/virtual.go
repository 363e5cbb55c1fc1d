package rest

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/admission"
)

// An answerer goes on with a create once the mutating phase is over.
type answerer func(ctx context.Context, x *exchange, a admission.Request) (int, runtime.Object, error)

// virtual are the creates that store no object of their kind, by what is written to.
var virtual = map[string]answerer{}
