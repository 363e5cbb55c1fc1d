package reference

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/admsim/admsim/internal/release/upstream"
)

// Up to 1.22, the package of the main module with the OpenAPI definitions of all types is generated when a release is
// built, so the published module lacks it. Here it is made from the OpenAPI document, which is published.
const (
	openAPIPackage = "pkg/generated/openapi"
	openAPIFile    = "zz_generated.openapi.go"
)

// lacksOpenAPI reports whether the published module of a release lacks that package.
func lacksOpenAPI(release *upstream.Release) bool {
	_, err := os.Stat(filepath.Join(release.Dir, filepath.FromSlash(openAPIPackage), openAPIFile))
	return errors.Is(err, os.ErrNotExist)
}

// completeModule writes the main module of a release to folder, including the package that the published module lacks.
// All other packages are links to those of the published module.
func completeModule(release *upstream.Release, folder string) error {
	openapi := filepath.Join(folder, filepath.FromSlash(openAPIPackage))
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(openapi, 0o755)); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(release.Dir, "go.mod"))
	if err != nil {
		return err
	}
	document, err := os.ReadFile(filepath.Join(release.Dir, "api", "openapi-spec", "swagger.json"))
	if err != nil {
		return err
	}
	var published struct {
		Definitions json.RawMessage `json:"definitions"`
	}
	if err := json.Unmarshal(document, &published); err != nil {
		return fmt.Errorf("the OpenAPI document of %s: %w", release.Version, err)
	}
	for name, text := range map[string][]byte{
		filepath.Join(folder, "go.mod"):          mod,
		filepath.Join(openapi, openAPIFile):      []byte(openAPIDefinitions),
		filepath.Join(openapi, "definitions.go"): []byte("package openapi\n\nconst definitions = " + strconv.Quote(string(published.Definitions)) + "\n"),
	} {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return err
		}
	}
	for _, name := range []string{"cmd", "plugin", "third_party"} {
		if err := os.Symlink(filepath.Join(release.Dir, name), filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	packages, err := os.ReadDir(filepath.Join(release.Dir, "pkg"))
	if err != nil {
		return err
	}
	for _, entry := range packages {
		if !entry.IsDir() || entry.Name() == "generated" {
			continue
		}
		if err := os.Symlink(filepath.Join(release.Dir, "pkg", entry.Name()), filepath.Join(folder, "pkg", entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// openAPIDefinitions is the source of the package, except for the constant with the definitions.
const openAPIDefinitions = `package openapi

import (
	"encoding/json"
	"strings"

	extensions "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apimachinery/pkg/runtime"
	aggregator "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// GetOpenAPIDefinitions returns what the published OpenAPI document of the release defines.
func GetOpenAPIDefinitions(ref common.ReferenceCallback) map[string]common.OpenAPIDefinition {
	var published map[string]json.RawMessage
	must(json.Unmarshal([]byte(definitions), &published))
	all := map[string]common.OpenAPIDefinition{}
	for name, text := range published {
		var d common.OpenAPIDefinition
		var schema interface{}
		must(json.Unmarshal(text, &schema))
		refer(schema, ref, &d.Dependencies)
		text, err := json.Marshal(schema)
		must(err)
		must(json.Unmarshal(text, &d.Schema))
		all[typeOf(name)] = d
	}
	// The document lacks the types that are only used in queries, such as the options of a connection.
	for _, scheme := range []*runtime.Scheme{legacyscheme.Scheme, extensions.Scheme, aggregator.Scheme} {
		for _, t := range scheme.AllKnownTypes() {
			name := t.PkgPath() + "." + t.Name()
			if _, ok := all[name]; !ok {
				var d common.OpenAPIDefinition
				d.Schema.Type = []string{"object"}
				all[name] = d
			}
		}
	}
	return all
}

// refer rewrites the references in a schema, and appends their names to the given list.
func refer(v interface{}, ref common.ReferenceCallback, to *[]string) {
	switch v := v.(type) {
	case map[string]interface{}:
		if name, ok := v["$ref"].(string); ok {
			name = typeOf(strings.TrimPrefix(name, "#/definitions/"))
			r := ref(name)
			v["$ref"] = r.String()
			*to = append(*to, name)
		}
		for _, member := range v {
			refer(member, ref, to)
		}
	case []interface{}:
		for _, item := range v {
			refer(item, ref, to)
		}
	}
}

// typeOf returns the name of the Go type of a definition: k8s.io/api/core/v1.Pod for io.k8s.api.core.v1.Pod.
func typeOf(name string) string {
	words := strings.Split(strings.TrimPrefix(name, "io.k8s."), ".")
	last := len(words) - 1
	return "k8s.io/" + strings.Join(words[:last], "/") + "." + words[last]
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
`
