package rules

import "k8s.io/apimachinery/pkg/util/validation/field"

// Errors collects the errors about an object in the order in which they are found. The zero value is empty, and costs
// nothing as long as there are no errors.
type Errors struct{ list field.ErrorList }

// Add adds the errors of a check.
func (e *Errors) Add(found field.ErrorList) { e.list = append(e.list, found...) }

// Append adds one error.
func (e *Errors) Append(err *field.Error) { e.list = append(e.list, err) }

// Invalid, Required, Forbidden, Duplicate, TooLong and TooMany add one error each, as the functions of package field
// with these names create it.
func (e *Errors) Invalid(at *field.Path, value any, detail string) {
	e.Append(field.Invalid(at, value, detail))
}

func (e *Errors) Required(at *field.Path, detail string)  { e.Append(field.Required(at, detail)) }
func (e *Errors) Forbidden(at *field.Path, detail string) { e.Append(field.Forbidden(at, detail)) }
func (e *Errors) Duplicate(at *field.Path, value any)     { e.Append(field.Duplicate(at, value)) }

func (e *Errors) TooLong(at *field.Path, value any, most int) {
	e.Append(field.TooLong(at, value, most))
}

func (e *Errors) TooMany(at *field.Path, n, most int) { e.Append(field.TooMany(at, n, most)) }

// Any reports whether there are any errors.
func (e *Errors) Any() bool { return len(e.list) > 0 }

// List returns all errors.
func (e *Errors) List() field.ErrorList { return e.list }
