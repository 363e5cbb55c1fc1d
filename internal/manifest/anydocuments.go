package manifest

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/yamldoc"
)

// Documents reads the documents of a file that are not objects of Kubernetes, such as the tests of other tools:
// mappings and lists of any shape, with the place of everything in them. Kind, namespace and name are set if the
// document has them. The error is an [Errors].
func Documents(name string, data []byte) ([]Manifest, error) {
	var errs Errors
	var found []Manifest
	for d := range yamldoc.EachDocument(name, data, &errs) {
		m := Manifest{JSON: Encode(d.Value), Source: d.Source, Places: d.Places, Text: d.Text}
		object, _ := d.Value.(map[string]any)
		metadata, _ := object["metadata"].(map[string]any)
		kind, _ := object["kind"].(string)
		apiVersion, _ := object["apiVersion"].(string)
		m.GroupVersionKind = schema.FromAPIVersionAndKind(apiVersion, kind)
		m.Namespace, _ = metadata["namespace"].(string)
		m.Name, _ = metadata["name"].(string)
		found = append(found, m)
	}
	return found, errs.Err()
}
