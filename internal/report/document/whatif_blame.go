package document

import (
	"encoding/json"
	"fmt"

	"github.com/admsim/admsim/pkg/report"
)

// A Blame says who last set each field of an object.
type Blame struct {
	report.TypeMeta
	Request Sample          `json:"request"`
	Denied  string          `json:"denied,omitempty"` // why; the object is as it was then
	Object  json.RawMessage `json:"object"`
	Fields  []BlamedField   `json:"fields"` // in the order of the object
	Removed []RemovedField  `json:"removed,omitempty"`

	Root Field `json:"-"` // the whole object, for the text format
}

// A BlamedField is a value of an object, and who set it last. Maps and lists are included only if they are empty.
type BlamedField struct {
	Path string `json:"path"` // a JSON pointer
	By   Setter `json:"by"`
}

// A RemovedField existed and was removed.
type RemovedField struct {
	Path  string          `json:"path"` // at the moment of the removal
	Value json.RawMessage `json:"value"`
	By    Setter          `json:"by"`
}

// A Sort is the kind of a [Setter].
type Sort string

// The kinds of setters.
const (
	ByUser    Sort = "user"    // the user who sent the request
	ByStored  Sort = "stored"  // it existed before the request
	ByDefault Sort = "default" // the server, for fields that nobody set; also after webhooks
	ByPlugin  Sort = "plugin"
	ByPolicy  Sort = "policy"
	ByWebhook Sort = "webhook"
	ByServer  Sort = "server" // as it prepared and wrote the object, after the mutating phase
)

// A Setter is who set a field.
type Setter struct {
	Sort Sort `json:"sort"` // user, stored, default, plugin, policy, webhook or server
	Actor
}

// String returns a short description.
func (s Setter) String() string {
	text := string(s.Sort)
	if s.Sort == ByPlugin || s.Sort == ByPolicy || s.Sort == ByWebhook {
		text += " " + s.Actor.String()
	}
	if s.Round > 0 {
		text += fmt.Sprintf(" (round %d)", s.Round+1)
	}
	return text
}

// A Field is a part of an object, and who set it last. A map or list was set by who created it; its parts may have been
// set later.
type Field struct {
	Name   string // in the map that contains it
	By     Setter
	Value  json.RawMessage // if it is neither a map nor a list
	IsMap  bool
	IsList bool
	Parts  []Field // of a map by name, of a list in order
}

// A BlamedLine is a line of YAML, and who set its value.
type BlamedLine struct {
	Text   string
	By     string // empty: the same as in the lines below
	Colour string
	Source string
	Block  bool // the lines below are its text
}
