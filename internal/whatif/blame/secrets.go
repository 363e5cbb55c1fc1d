package blame

import (
	"strconv"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/answer/secrets"
	"github.com/admsim/admsim/internal/jsonpointer"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/simulator"
)

// Hide removes the secrets of an answer from its blame, unless redactor is nil.
func (b *Blame) Hide(redactor *redact.Redactor, of *simulator.Result) {
	pass := secrets.Of(redactor, of)
	if pass == nil {
		return
	}
	kind := of.Admissions[0].Request.Kind.GroupKind()
	b.Denied = pass.Text(b.Denied)
	hideField(&b.Object, "", pass, kind)
	for i := range b.Removed {
		b.Removed[i].Value = pass.Value(kind.Group, kind.Kind, b.Removed[i].Path, b.Removed[i].Value)
	}
	*b = redact.Without(pass, *b)
}

func hideField(f *document.Field, path string, pass *redact.Pass, kind schema.GroupKind) {
	if !f.IsMap && !f.IsList {
		f.Value = pass.Value(kind.Group, kind.Kind, path, f.Value)
	}
	for i := range f.Parts {
		step := f.Parts[i].Name
		if f.IsList {
			step = strconv.Itoa(i)
		}
		hideField(&f.Parts[i], path+"/"+jsonpointer.Escape(step), pass, kind)
		f.Parts[i].Name = pass.Key(f.Name, f.Parts[i].Name)
	}
}
