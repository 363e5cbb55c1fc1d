package kubeversion

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

//go:embed fields.txt
var fieldsText string

// fieldsSince returns the minor versions that brought the fields that came later than their type, by type and name.
var fieldsSince = sync.OnceValue(func() map[string]int {
	since := map[string]int{}
	for line := range strings.Lines(fieldsText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		if len(words) != 3 {
			panic(fmt.Sprintf("kubeversion: fields.txt: %q", line))
		}
		minor, err := strconv.Atoi(words[2])
		if err != nil {
			panic("kubeversion: fields.txt: " + err.Error())
		}
		since[words[0]+" "+words[1]] = minor
	}
	return since
})

// HasField reports whether a release that has a type of k8s.io/api also has the named field of it, on or off. typeName
// is the name of the type in OpenAPI: io.k8s.api.core.v1.PodSpec. HasField knows all fields, while [Fields] only lists
// the fields of whole objects that servers treat in a special way.
func (r *Release) HasField(typeName, name string) bool {
	return r.Minor >= fieldsSince()[typeName+" "+name]
}
