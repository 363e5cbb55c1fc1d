package smallest

import (
	"encoding/json"
	"fmt"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// FuzzValue checks that a value is made for each schema, and that the server accepts the value, unless it lacks something.
func FuzzValue(f *testing.F) {
	for _, seed := range []string{"", "\x05\x01\x04\x05", "\x04\x02\x03\x05\x04\x02\x03\x05\x04\x02\x03\x05\x01", "\x00\x00\x09\x04", "\x05\x03\x04\x01\x02\x03\x04\x05\x06\x07\x08\x09"} {
		f.Add([]byte(seed), uint8(0))
		f.Add([]byte(seed), uint8(7))
	}
	f.Fuzz(func(t *testing.T, data []byte, n uint8) {
		s := (&schemaSource{data: data}).schema(0)
		m := newMaker()
		made, err := json.Marshal(m.value(&s, int(n), 0))
		if err != nil {
			t.Fatal(err)
		}
		if m.lacks {
			return
		}
		var internal apiextensions.JSONSchemaProps
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&s, &internal, nil); err != nil {
			t.Fatal(err)
		}
		structural, err := structuralschema.NewStructural(&internal)
		if err != nil {
			t.Fatal(err)
		}
		validator, _, err := validation.NewSchemaValidator(&internal)
		if err != nil {
			t.Fatal(err)
		}
		var stored any
		if err := utiljson.Unmarshal(made, &stored); err != nil {
			t.Fatal(err)
		}
		defaulting.Default(stored, structural)
		if errs := validation.ValidateCustomResource(nil, stored, validator); len(errs) > 0 {
			text, _ := json.Marshal(s)
			t.Errorf("%s is no value of %s: %v", made, text, errs)
		}
	})
}

// A schemaSource makes schemas of bytes.
type schemaSource struct{ data []byte }

// next returns a number below n.
func (s *schemaSource) next(n int) int {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return int(b) % n
}

// limit returns a limit, mostly none.
func (s *schemaSource) limit() *int64 {
	limits := []int64{0, 1, 2, 3, 20, 100, 5000, 1 << 62, -1}
	if i := s.next(2 * len(limits)); i >= len(limits) {
		return &limits[i-len(limits)]
	}
	return nil
}

func (s *schemaSource) schema(depth int) props {
	p := props{Type: []string{"string", "integer", "number", "boolean", "array", "object"}[s.next(6)]}
	if depth > 20 {
		p.Type = "string"
	}
	switch p.Type {
	case "string":
		p.MinLength, p.MaxLength = s.limit(), s.limit()
		p.Pattern = []string{"", "^[a-z]+$", "^b*$", "^a{3,}-(x|y)?$", "^(((a*b)*c)*d)*$", "é+"}[s.next(6)]
		p.Format = []string{"", "date", "ipv4"}[s.next(3)]
	case "integer", "number":
		for _, limit := range []**float64{&p.Minimum, &p.Maximum} {
			if l := s.limit(); l != nil {
				*limit = new(float64(*l) / float64(1+s.next(2)))
			}
		}
		p.ExclusiveMinimum, p.ExclusiveMaximum = s.next(2) == 1, s.next(2) == 1
		if step := s.next(4); step > 1 {
			p.MultipleOf = new(float64(step))
		}
	case "array":
		p.MinItems = s.limit()
		p.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: new(s.schema(depth + 1))}
	case "object":
		p.MinProperties = s.limit()
		if s.next(2) == 1 {
			p.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: new(s.schema(depth + 1))}
			p.Required = []string{"other"}
			return p
		}
		p.Properties = map[string]props{}
		for i := range s.next(4) {
			name := fmt.Sprint("f", i)
			switch s.next(3) {
			case 0:
				p.Required = append(p.Required, name)
			case 1:
				p.Properties[name] = props{Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"d"`)}}
				continue
			}
			p.Properties[name] = s.schema(depth + 1)
		}
	}
	return p
}
