package document

import (
	"encoding/json"
	"fmt"

	"github.com/admsim/admsim/pkg/report"
)

// A Blame says who set each field of an object last.
type Blame struct {
	report.TypeMeta
	Request Sample          `json:"request"`
	Denied  string          `json:"denied,omitempty"` // why; the object is as it was then
	Object  json.RawMessage `json:"object"`
	Fields  []BlamedField   `json:"fields"` // in the order of the object
	Removed []RemovedField  `json:"removed,omitempty"`

	Root Field `json:"-"` // all of it, as text shows it
}

// A BlamedField is a value of an object, and who set it last. Maps and lists are not among
// them unless they are empty.
type BlamedField struct {
	Path string `json:"path"` // a JSON pointer
	By   Setter `json:"by"`
}

// A RemovedField was there and is no longer.
type RemovedField struct {
	Path  string          `json:"path"` // at the moment of the removal
	Value json.RawMessage `json:"value"`
	By    Setter          `json:"by"`
}

// A Sort is the sort of a [Setter].
type Sort string

// The sorts of setters.
const (
	ByUser    Sort = "user"    // who sent the request
	ByStored  Sort = "stored"  // it was there before the request
	ByDefault Sort = "default" // the server, for what nobody set; after webhooks, too
	ByPlugin  Sort = "plugin"
	ByPolicy  Sort = "policy"
	ByWebhook Sort = "webhook"
	ByServer  Sort = "server" // as it prepared and wrote the object, behind the mutating phase
)

// A Setter is who set a field.
type Setter struct {
	Sort Sort `json:"sort"` // user, stored, default, plugin, policy, webhook or server
	Actor
}

// String is who it is in a few words.
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

// A Field is a part of an object, and who set it last. A map and a list was set by who
// made it; what is in it may have come later.
type Field struct {
	Name   string // in the map around it
	By     Setter
	Value  json.RawMessage // of what is neither map nor list
	IsMap  bool
	IsList bool
	Parts  []Field // of a map by name, of a list in order
}

// A BlamedLine is a line of YAML, and who set what is on it.
type BlamedLine struct {
	Text   string
	By     string // empty: that of the lines below
	Colour string
	Source string
}
