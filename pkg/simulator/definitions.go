package simulator

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/view"
	"github.com/admsim/admsim/pkg/rest"
)

var definitions = apiextensionsv1.Kind("CustomResourceDefinition")

// settleDefinitions returns the simulator of the cluster after the server's own controllers processed its
// CustomResourceDefinitions. Their writes do not go through admission here: the webhooks that they call play no part in
// the answer to any request.
func (s *Simulator) settleDefinitions() (*Simulator, error) {
	var refused []string
	for {
		next := view.NextSettled(s.state, s.options.Release, metav1.NewTime(s.options.Now()), refused)
		if next == nil {
			return s, nil
		}
		after, err := s.writeStatus(next)
		if err != nil {
			return nil, fmt.Errorf("the status of %s: %w", next.Name, err)
		}
		if after == nil {
			refused = append(refused, next.Name)
			continue
		}
		s = after
	}
}

// writeStatus lets the server write the status of a definition. It returns nil if the server refuses.
func (s *Simulator) writeStatus(definition *apiextensionsv1.CustomResourceDefinition) (*Simulator, error) {
	body, err := s.parts.view.Types().Encode(definition)
	if err != nil {
		return nil, err
	}
	response, err := s.parts.server.DoUnadmitted(context.Background(), s.state, rest.Request{
		Verb:        rest.Update,
		Resource:    apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions"),
		Subresource: "status",
		Name:        definition.Name,
		Body:        body,
	}.ByServer())
	if err != nil || response.Status() != nil {
		return nil, err
	}
	return s.With(response.State)
}
