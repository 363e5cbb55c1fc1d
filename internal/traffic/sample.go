package traffic

import (
	"encoding/json"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/world"
)

// Sample describes the request, as asked in one world.
func (r Request) Sample(asked world.Asked) document.Sample {
	s := document.Sample{Source: r.Source().String(), Label: asked.From.Label}
	gvr, subresource := asked.API.Resource, asked.API.Subresource
	if q := asked.Review; q != nil {
		gvr, subresource = q.Resource, q.Subresource
		s.Verb, s.Namespace, s.Name, s.User = verbOf(q.Operation), q.Namespace, q.Name, q.User.Username
		if s.Name == "" {
			s.Name = nameOf(q.Object)
		}
	} else {
		s.Verb, s.Namespace, s.Name, s.User = asked.API.Verb, asked.API.Namespace, asked.API.Name, asked.API.User.Username
		if s.Name == "" && r.Recorded != nil {
			s.Name = r.Recorded.Name
		}
		if s.Name == "" {
			s.Name = nameIn(asked.API.Body)
		}
	}
	s.Resource = gvr.GroupResource().String()
	if subresource != "" {
		s.Resource += "/" + subresource
	}
	return s
}

func verbOf(o admissionv1.Operation) string { return strings.ToLower(string(o)) }

// nameOf returns the name of an object; a generated name ends in a star.
func nameOf(o runtime.Object) string {
	if o == nil {
		return ""
	}
	m, err := meta.Accessor(o)
	if err != nil {
		return ""
	}
	if m.GetName() == "" && m.GetGenerateName() != "" {
		return m.GetGenerateName() + "*"
	}
	return m.GetName()
}

func nameIn(body []byte) string {
	var o metav1.PartialObjectMetadata
	if json.Unmarshal(body, &o) != nil {
		return ""
	}
	return nameOf(&o)
}
