package rest

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
)

func (x *exchange) scaleView(current runtime.Object) (view, error) {
	return view{}, fmt.Errorf("the scale subresource is not simulated yet")
}

func (x *exchange) connectOptions() (runtime.Object, error) {
	return nil, fmt.Errorf("connect is not simulated yet")
}
