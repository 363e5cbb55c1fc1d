// Package wire knows what objects look like between an API server and its clients: which of its
// forms a client asks for ([Accept]), how an object is written in it ([Media.Encode]), and how a body
// is read ([Body]).
//
// The forms are JSON, YAML, CBOR and, for the kinds that are built in, protocol buffers. It knows no HTTP
// beyond the values of two headers, and does not check objects.
package wire

import (
	"cmp"
	"mime"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Format is how an object is written.
type Format string

// The formats, by their media types.
const (
	JSON     = Format(runtime.ContentTypeJSON)
	YAML     = Format(runtime.ContentTypeYAML)
	Protobuf = Format(runtime.ContentTypeProtobuf)
	CBOR     = Format(runtime.ContentTypeCBOR)
)

// The kinds that clients may ask for in the place of the object's own.
const (
	Table             = "Table"
	PartialObject     = "PartialObjectMetadata"
	PartialObjectList = "PartialObjectMetadataList"
)

// A Media is one form of an answer.
type Media struct {
	Format Format
	// As is the kind to show the object as, and Version that of meta.k8s.io it is of. Empty: its own.
	As, Version string
	Pretty      bool // of JSON: on many lines
}

// An offer is what a server can answer with.
type Offer struct {
	Formats []Format // the first one is that of clients that accept anything
	As      []string // kinds that it can show the object as
}

// Formats are those in which a kind can be written. cbor says that the server has CBOR.
func Formats(builtIn, cbor bool) []Format {
	all := []Format{JSON, YAML}
	if builtIn {
		all = append(all, Protobuf)
	}
	if cbor {
		all = append(all, CBOR)
	}
	return all
}

// Accept returns the form that a client prefers of those offered, by its Accept header; ok is false
// where it takes none of them:
// kubernetes/apiserver:pkg/endpoints/handlers/negotiation/negotiate.go.
func Accept(header string, offer Offer) (m Media, ok bool) {
	if strings.TrimSpace(header) == "" {
		return Media{Format: offer.Formats[0]}, true
	}
	for _, c := range clauses(header) {
		for _, f := range offer.Formats {
			if !c.matches(f) {
				continue
			}
			if m, ok := c.media(f, offer); ok {
				return m, true
			}
		}
	}
	return Media{}, false
}

// A clause is one of the media types that a client accepts.
type clause struct {
	mediaType string
	params    map[string]string
	quality   float64
}

// clauses are those of an Accept header, the preferred ones first.
func clauses(header string) []clause {
	var all []clause
	for part := range strings.SplitSeq(header, ",") {
		mediaType, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		c := clause{mediaType, params, 1}
		if q, err := strconv.ParseFloat(params["q"], 64); err == nil {
			c.quality = q
		}
		if c.quality > 0 {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b clause) int { return cmp.Compare(b.quality, a.quality) })
	return all
}

func (c clause) matches(f Format) bool {
	if c.mediaType == string(f) || c.mediaType == "*/*" || c.mediaType == "*" {
		return true
	}
	kind, rest, _ := strings.Cut(c.mediaType, "/")
	return rest == "*" && strings.HasPrefix(string(f), kind+"/")
}

// media is what the parameters of the clause make of a format; ok is false if they ask for what
// is not offered.
func (c clause) media(f Format, offer Offer) (m Media, ok bool) {
	m = Media{Format: f, Pretty: c.params["pretty"] == "1"}
	if as := c.params["as"]; as != "" {
		known := c.params["g"] == metav1.GroupName && (c.params["v"] == metav1.SchemeGroupVersion.Version || c.params["v"] == metav1beta1.SchemeGroupVersion.Version)
		if !known || !slices.Contains(offer.As, as) || as == Table && f == Protobuf {
			return m, false
		}
		m.As, m.Version = as, c.params["v"]
	}
	return m, true
}

// Kind is that of what an object is shown as.
func (m Media) Kind() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: metav1.GroupName, Version: m.Version, Kind: m.As}
}
