package answer

import (
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/rest"
)

// Request converts a request to the form that is shown.
func Request(asked world.Asked) report.Request {
	q := requestOfAPI(asked.API)
	if asked.Review != nil {
		q = requestOfReview(*asked.Review)
	}
	q.Label, q.Source = asked.From.Label, asked.From.Source.String()
	return q
}

func requestOfReview(req admission.Request) report.Request {
	return report.Request{
		Verb:        strings.ToLower(string(req.Operation)),
		Resource:    metav1.GroupVersionResource(req.Resource),
		Subresource: req.Subresource,
		Namespace:   req.Namespace,
		Name:        req.Name,
		DryRun:      req.DryRun,
		User:        req.User,
	}
}

func requestOfAPI(req rest.Request) report.Request {
	q := report.Request{
		Verb:        req.Verb,
		Resource:    metav1.GroupVersionResource(req.Resource),
		Subresource: req.Subresource,
		Namespace:   req.Namespace,
		Name:        req.Name,
		DryRun:      req.Query.Has("dryRun"),
		User:        req.User,
	}
	if q.Name == "" {
		q.Name = nameIn(req.Body)
	}
	return q
}

// nameIn returns the name in the metadata of an object; a generated name ends in a star.
func nameIn(body []byte) string {
	var o metav1.PartialObjectMetadata
	if json.Unmarshal(body, &o) != nil {
		return ""
	}
	if o.Name == "" && o.GenerateName != "" {
		return o.GenerateName + "*"
	}
	return o.Name
}
