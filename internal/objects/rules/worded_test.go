package rules

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// The wording is that of servers of 1.30 and 1.34, and of the source code in between.
func TestWorded(t *testing.T) {
	at := field.NewPath("spec", "field")
	for _, test := range []struct {
		reason, release string
		err             *field.Error
		want            string
	}{
		{"a list is shown as in Go", "1.33", field.Invalid(at, []string{"*", "apps"}, "no"), `spec.field: Invalid value: []string{"*", "apps"}: no`},
		{"a list is shown as JSON", "1.34", field.Invalid(at, []string{"*", "apps"}, "no"), `spec.field: Invalid value: ["*","apps"]: no`},
		{"types have the server's names", "1.30", field.Invalid(at, []admissionregistrationv1.OperationType{"*"}, "no"), `spec.field: Invalid value: []admissionregistration.OperationType{"*"}: no`},
		{"an unsigned number", "1.30", field.Invalid(at, uint64(0), "no"), "spec.field: Invalid value: 0x0: no"},
		{"no value", "1.33", field.Invalid(at, nil, "no"), `spec.field: Invalid value: "null": no`},
		{"no value, in its newer form", "1.34", field.Invalid(at, nil, "no"), "spec.field: Invalid value: null: no"},
		{"a value with its own string form", "1.30", field.Invalid(at, metav1.Unix(0, 0), "no"), "spec.field: Invalid value: " + metav1.Unix(0, 0).String() + ": no"},
		{"maximum of bytes", "1.31", field.TooLong(at, "", 8), "spec.field: Too long: must have at most 8 bytes"},
		{"maximum of bytes, in another form", "1.31", field.TooLong(at.Child("managedBy"), "", 8), "spec.field.managedBy: Too long: may not be longer than 8"},
		{"one byte", "1.33", field.TooLong(at, "", 1), "spec.field: Too long: may not be more than 1 bytes"},
		{"one byte, in the singular", "1.34", field.TooLong(at, "", 1), "spec.field: Too long: may not be more than 1 byte"},
		{"the expected type of an expression", "1.31", field.Invalid(at, "1", "must evaluate to bool but got int"), `spec.field: Invalid value: "1": must evaluate to bool`},
		{"the expected and the actual type", "1.32", field.Invalid(at, "1", "must evaluate to bool but got int"), `spec.field: Invalid value: "1": must evaluate to bool but got int`},
		{"removed versions", "1.32", field.Invalid(at, "v1", "missing from spec.versions; v1 was previously"), `spec.field: Invalid value: "v1": must appear in spec.versions`},
		{"maximum length in a schema", "1.31", field.TooLong(at.Child("openAPIV3Schema", "default"), "", 8), "spec.field.openAPIV3Schema.default: Too long: may not be longer than 8"},
		{"length of names in characters", "1.34", field.Invalid(at, "x", "must be no more than 63 bytes"), `spec.field: Invalid value: "x": must be no more than 63 characters`},
		{"length of names in bytes", "1.35", field.Invalid(at, "x", "must be no more than 63 bytes"), `spec.field: Invalid value: "x": must be no more than 63 bytes`},
		{"a repeated field name", "1.33", field.Invalid(at.Child("ownerReferences", "uid"), "", "must not be empty"), `spec.field.ownerReferences.uid: Invalid value: "": uid must not be empty`},
		{"no repeated field name", "1.34", field.Invalid(at.Child("ownerReferences", "uid"), "", "must not be empty"), `spec.field.ownerReferences.uid: Invalid value: "": must not be empty`},
		{"detail in a list", "1.33", field.Invalid(field.NewPath("spec", "variables").Index(1).Child("name"), "1", "must be a valid CEL identifier"), `spec.variables[1].name: Invalid value: "1": name is not a valid CEL identifier`},
		{"detail of a rule", "1.33", field.Invalid(at.Child("x-kubernetes-validations").Index(0).Child("message"), " ", "must be non-empty if specified"), `spec.field.x-kubernetes-validations[0].message: Invalid value: " ": message must be non-empty if specified`},
		{"detail of a condition", "1.33", field.Required(at.Child("conditions").Index(0).Child("reason"), ""), "spec.field.conditions[0].reason: Required value: must be set"},
		{"detail of a job", "1.33", field.Invalid(field.NewPath("status", "completionTime"), "", "field is immutable"), `status.completionTime: Invalid value: "": completionTime cannot be mutated`},
		{"detail of a host namespace", "1.33", field.Forbidden(field.NewPath("spec", "HostIPC"), "when `hostUsers` is false"), "spec.HostIPC: Forbidden: when `pod.Spec.HostUsers` is false"},
		{"other fields keep their details", "1.33", field.Required(at.Child("name"), ""), "spec.field.name: Required value"},
		{"a pointer within the value", "1.30", field.Invalid(at, metav1.OwnerReference{Controller: new(bool)}, "no"), `spec.field: Invalid value: v1.OwnerReference{APIVersion:"", Kind:"", Name:"", UID:"", Controller:(*bool)(0xc000000000), BlockOwnerDeletion:(*bool)(nil)}: no`},
		{"an internal type", "1.30", field.Invalid(at, AsInternal(admissionregistrationv1.ServiceReference{Name: "s"}), "no"), `spec.field: Invalid value: admissionregistration.ServiceReference{Namespace:"", Name:"s", Path:(*string)(nil), Port:(*int32)(nil)}: no`},
	} {
		r, err := kubeversion.Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		before := test.err.Error()
		if diff := cmp.Diff(test.want, Worded(r, field.ErrorList{test.err})[0].Error()); diff != "" {
			t.Errorf("%s, in %s (-want +got):\n%s", test.reason, test.release, diff)
		}
		if after := test.err.Error(); after != before {
			t.Errorf("%s: the error itself became %q", test.reason, after)
		}
	}
}

// A driver without a name is also one with an invalid name up to 1.34 (VA-25). Other missing values are only missing.
func TestNamelessDriver(t *testing.T) {
	at := field.NewPath("spec", "driver")
	for _, test := range []struct {
		release string
		errs    field.ErrorList
		want    []string
	}{
		{"1.34", DriverName("", at), []string{
			"spec.driver: Required value",
			`spec.driver: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
		}},
		{"1.34", Required("", at), []string{"spec.driver: Required value"}},
		{"1.35", DriverName("", at), []string{"spec.driver: Required value"}},
	} {
		r, err := kubeversion.Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range Worded(r, test.errs) {
			got = append(got, e.Error())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.release, diff)
		}
	}
}
