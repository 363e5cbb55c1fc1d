package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/apis/audit"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/apiserver/pkg/apis/audit/validation"
	kjson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const policyHint = "it begins with apiVersion: audit.k8s.io/v1 and kind: Policy"

// Load reads the file of a policy as a server of a release does: kubernetes/apiserver:pkg/audit/policy/reader.go. The
// server ignores fields that it does not know, so warnings are about these. The error says where in the file it is.
func Load(file string, r *kubeversion.Release, o manifest.Options) (_ *Policy, warnings []*manifest.Error, err error) {
	l := manifest.NewLoader(o)
	docs, ok := l.Documents(file)
	if !ok {
		return nil, nil, l.Errs.Err()
	}
	if len(docs) != 1 {
		return nil, nil, &manifest.Error{Source: manifest.Source{File: file}, Message: fmt.Sprintf("%d documents instead of one audit policy", len(docs)), Hint: policyHint}
	}
	m := manifest.Manifest{Source: docs[0].Source, Places: docs[0].Places, JSON: manifest.Encode(docs[0].Value)}
	p := &Policy{}
	if wrong := p.decode(&m, r, &warnings); wrong != nil {
		return nil, warnings, wrong
	}
	if !r.Has(kubeversion.AuditsManagedFields) {
		p.OmitManagedFields = false
		for i := range p.Rules {
			p.Rules[i].OmitManagedFields = nil
		}
	}
	var errs manifest.Errors
	whole := &audit.Policy{}
	if err := auditv1.Convert_v1_Policy_To_audit_Policy(&p.Policy, whole, nil); err != nil {
		return nil, warnings, err
	}
	for _, wrong := range validation.ValidatePolicy(whole) {
		errs.Add(m.Position(wrong.Field), hintFor(wrong), "%v", wrong)
	}
	if len(p.Rules) == 0 {
		errs.Add(m.Position("rules"), "a policy that logs the metadata of all requests has the rule - level: Metadata", "the audit policy has no rules")
	}
	if err := errs.Err(); err != nil {
		return nil, warnings, err
	}
	return p, warnings, nil
}

// decode reads the policy. A server whose release still has v1beta1 reads it like v1, which has the same fields.
func (p *Policy) decode(m *manifest.Manifest, r *kubeversion.Release, warnings *[]*manifest.Error) *manifest.Error {
	unknown, err := kjson.UnmarshalStrict(m.JSON, &p.Policy, kjson.DisallowUnknownFields)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return &manifest.Error{Source: m.Position(wrong.Field), Err: err,
			Message: fmt.Sprintf("%s: %s does not fit into an audit policy", wrong.Field, manifest.ATypeOfJSON(wrong.Value))}
	}
	if err != nil {
		return &manifest.Error{Source: m.Source, Message: err.Error(), Err: err, Hint: policyHint}
	}
	version, isAudit := strings.CutPrefix(p.APIVersion, "audit.k8s.io/")
	old := version == "v1beta1" && !r.Has(kubeversion.AuditPolicyV1)
	if p.Kind != "Policy" || !isAudit || version != "v1" && !old {
		return &manifest.Error{Source: m.Source, Hint: policyHint,
			Message: fmt.Sprintf("not an audit policy of Kubernetes %s: apiVersion %q, kind %q", r.Version, p.APIVersion, p.Kind)}
	}
	for _, err := range unknown {
		one := &manifest.Error{Source: m.Source, Message: err.Error(), Err: err}
		if at := (kjson.FieldError)(nil); errors.As(err, &at) {
			one.Source, one.Hint = m.Position(at.FieldPath()), manifest.FieldHint(reflect.TypeFor[auditv1.Policy](), at.FieldPath(), manifest.InCluster)
			one.Message = fmt.Sprintf("the server ignores the unknown field %q of the audit policy", at.FieldPath())
		}
		*warnings = append(*warnings, one)
	}
	return nil
}

// hintFor suggests a level or a stage that a misspelt one was probably meant to be.
func hintFor(wrong *field.Error) string {
	known := []string{string(auditv1.LevelNone), string(auditv1.LevelMetadata), string(auditv1.LevelRequest), string(auditv1.LevelRequestResponse)}
	if strings.Contains(wrong.Field, "omitStages") {
		known = []string{string(auditv1.StageRequestReceived), string(auditv1.StageResponseStarted), string(auditv1.StageResponseComplete), string(auditv1.StagePanic)}
	}
	switch {
	case wrong.Type == field.ErrorTypeRequired:
		return "levels are " + strings.Join(known, ", ")
	case strings.Contains(wrong.Field, "omitStages"), strings.HasSuffix(wrong.Field, ".level"):
		return manifest.DidYouMean(fmt.Sprint(wrong.BadValue), known)
	case strings.HasSuffix(wrong.Field, ".group"):
		return "write the group without its version"
	case strings.HasSuffix(wrong.Field, ".resourceNames"):
		return "name the resources, too: resources: [configmaps]"
	case wrong.Type == field.ErrorTypeInvalid && strings.HasSuffix(wrong.Field, "nonResourceURLs"):
		return "make two rules of it"
	}
	return ""
}
