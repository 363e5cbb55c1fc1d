package document

import (
	"encoding/json"
	"fmt"

	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
)

// EquivalenceKind is the kind of answers about two worlds that should make the same decisions.
const EquivalenceKind = "Equivalence"

// An Equivalence says whether two worlds are asked about the same requests, which is proved, and make the same
// decisions, which is tested.
type Equivalence struct {
	report.TypeMeta
	Base    string  `json:"base"`
	Head    string  `json:"head"`
	Verdict Verdict `json:"verdict"`

	Before []SurveySubject `json:"before"`         // what is compared in base
	After  []SurveySubject `json:"after"`          // what is compared in head
	Same   []Actor         `json:"same,omitempty"` // what is the same in both worlds, and is left out

	Regions []SurveyRegion `json:"regions,omitempty"` // what only one of the worlds is asked about
	Size    SurveySize     `json:"size"`

	// Resources that rules name but no world serves: nothing is known about requests to them.
	Unserved []string `json:"unserved,omitempty"`

	Messages bool             `json:"messages,omitempty"` // the texts of denials and warnings were compared, too
	Tried    EquivalenceTried `json:"tried"`

	Different   int                 `json:"different"` // how many of these requests are decided differently
	First       *EquivalenceWitness `json:"first,omitempty"`
	Differences []DiffGroup         `json:"differences,omitempty"`

	Undecided int         `json:"undecided,omitempty"`
	Errors    []DiffError `json:"errors,omitempty"` // why the first of the undecided requests are undecided
}

func (*Equivalence) whatif() {}

// A Verdict is the result of a comparison.
type Verdict string

// The verdicts.
const (
	Equivalent Verdict = "equivalent" // as far as it is proved and tested
	// The worlds are asked about different requests; no decision is known to differ.
	DifferentRequests  Verdict = "different-requests"
	DifferentDecisions Verdict = "different-decisions" // there is a request that is decided differently
	Untried            Verdict = "untried"             // no tested request was asked about
)

// EquivalenceTried counts the requests that both worlds answered and that at least one of the compared webhooks and
// policies was asked about.
type EquivalenceTried struct {
	Edges  int `json:"edges"`  // generated from expressions, at the edges of what they compare
	Fields int `json:"fields"` // generated with one more field of their kind set, or as an example of a region
	Corpus int `json:"corpus"`

	// Generated requests that no compared webhook or policy was asked about, for example because the server refuses the
	// object.
	Unasked         int `json:"unasked,omitempty"`
	UnaskedOfCorpus int `json:"unaskedOfCorpus,omitempty"` // the same for the corpus
	// Generated, but too many to test: those with the most changes.
	Left int `json:"left,omitempty"`
}

// All returns the sum.
func (t EquivalenceTried) All() int { return t.Edges + t.Fields + t.Corpus }

// An EquivalenceWitness is a request that is decided differently.
type EquivalenceWitness struct {
	Request     Sample       `json:"request"`
	Differences []Difference `json:"differences"`

	// Manifest is a List that admsim run accepts with -C: the request, and the namespace if the cluster does not have
	// it. It is left out for requests of the corpus.
	Manifest json.RawMessage `json:"manifest,omitempty"`
}

// Judge sets the verdict.
func (e *Equivalence) Judge() {
	switch {
	case e.Different > 0:
		e.Verdict = DifferentDecisions
	case len(e.Regions) > 0:
		e.Verdict = DifferentRequests
	case e.Tried.All() == 0:
		e.Verdict = Untried
	default:
		e.Verdict = Equivalent
	}
}

// IsOpen reports whether the set of requests depends on conditions about which nothing is known.
func (e *Equivalence) IsOpen() bool {
	for _, r := range e.Regions {
		if len(r.Open) > 0 {
			return true
		}
	}
	return false
}

// Title returns the result in one line.
func (e *Equivalence) Title() string {
	title := e.Base + " → " + e.Head + ": "
	switch e.Verdict {
	case DifferentDecisions:
		return title + fmt.Sprintf("not equivalent: %s decided in another way", words.AreCounted(e.Different, "request is", "requests are"))
	case DifferentRequests:
		return title + "asked about other requests; of those that were tried, none is decided in another way"
	case Untried:
		return title + "asked about the same requests; what they decide could not be tried"
	}
	return title + "equivalent, as far as it is proved and tried"
}

// RegionWords describes what happens to a region.
func (e *Equivalence) RegionWords(what string) string {
	switch what {
	case NewlyAsked:
		return "only " + e.Head + " is asked about"
	case NoLongerAsked:
		return "only " + e.Base + " is asked about"
	case NewlyRefused:
		return "only " + e.Head + " refuses without being asked"
	case NoLongerRefused:
		return "only " + e.Base + " refuses without being asked"
	}
	return SurveyWords(what)
}

// Requests says in one line whether the worlds are asked about the same requests.
func (e *Equivalence) Requests() string {
	if len(e.Regions) == 0 {
		return "asked about exactly the same requests (proved)"
	}
	return "asked about other requests (proved)"
}

// Decisions says in one line whether the decisions are the same.
func (e *Equivalence) Decisions() string {
	n := e.Tried.All()
	if e.Different == 0 {
		return fmt.Sprintf("%s decided in the same way (tried)", words.AreCounted(n, "request is", "requests are"))
	}
	return fmt.Sprintf("%s of %s decided in another way", words.Thousands(e.Different), words.AreCounted(n, "request is", "requests are"))
}

// Made returns lines about the requests that were tested.
func (e *Equivalence) Made() (lines []string) {
	t := e.Tried
	add := func(n int, text string) {
		if n > 0 {
			lines = append(lines, words.Thousands(n)+" "+text)
		}
	}
	add(t.Edges, "made from the expressions of policies and conditions, at the edges of what they compare")
	add(t.Fields, "made from the kinds of objects, each with one more field")
	add(t.Corpus, "of the corpus")
	add(t.Unasked, "more were made that nobody compared was asked about, such as objects that the server refuses")
	add(t.UnaskedOfCorpus, "more of the corpus nobody compared was asked about")
	add(t.Left, "more were made, and left out since they are too many")
	return lines
}

// Notes returns the limits of the answer.
func (e *Equivalence) Notes() []string {
	note := "Who is asked holds for all possible requests: " + e.Size.String() + "."
	if e.IsOpen() {
		note += " " + openNote
	}
	note += " What is decided holds for the requests that were tried, and for no others"
	if !e.Messages {
		note += "; what denials and warnings say was not compared"
	}
	notes := []string{note + "."}
	if len(e.Unserved) > 0 {
		notes = append(notes, unservedNote(e.Unserved))
	}
	return notes
}
