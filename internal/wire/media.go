// Package wire knows the forms of objects between an API server and its clients: which form a client asks for
// ([Accept]), how an object is written ([Media.Encode]), and how a body is read ([Body]).
//
// The forms are JSON, YAML, CBOR and, for built-in kinds, protocol buffers. The package knows no HTTP beyond the values
// of two headers, and does not check objects.
package wire

import (
	"mime"
	"slices"
	"sort"
	"strconv"
	"strings"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Format is the format that an object is written in.
type Format string

// The formats, by their media types.
const (
	JSON     = Format(runtime.ContentTypeJSON)
	YAML     = Format(runtime.ContentTypeYAML)
	Protobuf = Format(runtime.ContentTypeProtobuf)
	CBOR     = Format(runtime.ContentTypeCBOR)
	Text     = Format("text/plain") // of pages
)

// Streams reports whether watches can have the format.
func (f Format) Streams() bool { return f == JSON || f == Protobuf || f == CBOR }

// The kinds that clients may ask for in place of the object's own.
const (
	Table             = "Table"
	PartialObject     = "PartialObjectMetadata"
	PartialObjectList = "PartialObjectMetadataList"
	Discovery         = "APIGroupDiscoveryList" // all groups and resources at once
)

// The pages that a component shows about itself. Clients have to ask for their kinds, unless they accept text.
const (
	Statusz = "Statusz"
	Flagz   = "Flagz"
)

// A Media describes the form of an answer.
type Media struct {
	Format Format
	// As is the kind to show the object as, and Version is that kind's version. Both are empty for the object's own kind.
	As, Version string
	Pretty      bool // indent the JSON
	Iterated    bool // as json-iterator does it
}

// An offer is what a server can answer with.
type Offer struct {
	Formats   []Format // the first one is for clients that accept anything
	As        []string // kinds of meta.k8s.io that the object can be shown as
	AsV1      bool     // also in version v1 of meta.k8s.io, not only in v1beta1
	Discovery []string // versions of apidiscovery.k8s.io in which it can be shown as Discovery

	Custom bool // the object is a custom resource, of which only the metadata have protocol buffers

	// AnyParameter reports that parameters may have an empty value, or one with an equals sign. Else these count for nothing.
	AnyParameter bool

	Page         string   // the kind of a page; empty: it is none
	PageVersions []string // versions of config.k8s.io in which it can be shown as that kind
}

// Formats returns the formats for a kind. cbor tells whether the server supports CBOR.
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

// Accept returns the form that a client prefers among the offered ones, by its Accept header; ok is false if it accepts
// none of them: kubernetes/apiserver:pkg/endpoints/handlers/negotiation/negotiate.go.
func Accept(header string, offer Offer) (m Media, ok bool) {
	if header == "" {
		return Media{Format: offer.Formats[0]}, true
	}
	for _, c := range clauses(header, offer.AnyParameter) {
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

// Routes reports whether a client accepts one of the media types that the router knows for a path, which does not read
// parameters: emicklei/go-restful:route.go.
func Routes(header string, types []string) bool {
	if header == "" {
		return true
	}
	for part := range strings.SplitSeq(header, ",") {
		part, _, _ = strings.Cut(part, ";")
		if part = strings.Trim(part, " "); part == "*/*" || slices.Contains(types, part) {
			return true
		}
	}
	return false
}

// AcceptsText reports whether a client says that it accepts plain text, whatever it prefers. A header that is missing does
// not say so: kubernetes/component-base:zpages/httputil/httputil.go of 1.34.
func AcceptsText(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		mediaType, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		kind, form, _ := strings.Cut(mediaType, "/")
		if mediaType != "*" && (kind != "text" && kind != "*" || form != "plain" && form != "*") {
			continue
		}
		delete(params, "q")
		if len(params) == 0 || len(params) == 1 && strings.EqualFold(params["charset"], "utf-8") {
			return true
		}
	}
	return false
}

// A clause is one of the media types that a client accepts.
type clause struct {
	kind, form string // the two parts of the media type
	params     map[string]string
	quality    float64
}

// clauses returns the clauses of an Accept header, most preferred first. A quality of 0 does not exclude a form:
// munnerz/goautoneg:autoneg.go.
func clauses(header string, anyParameter bool) []clause {
	var all []clause
	for part := range strings.SplitSeq(header, ",") {
		mediaType, rest, _ := strings.Cut(part, ";")
		kind, form, found := strings.Cut(mediaType, "/")
		kind, form = strings.Trim(kind, " "), strings.Trim(form, " ")
		switch {
		case !found && kind == "*":
			form = "*"
		case !found, form == "", strings.Contains(form, "/"):
			continue
		}
		c := clause{kind: kind, form: form, quality: 1, params: map[string]string{}}
		for param := range strings.SplitSeq(rest, ";") {
			name, value, given := strings.Cut(param, "=")
			if !given || !anyParameter && (value == "" || strings.Contains(value, "=")) {
				continue
			}
			if name = strings.Trim(name, " "); name == "q" {
				c.quality, _ = strconv.ParseFloat(value, 32)
				continue
			}
			c.params[name] = strings.Trim(value, " ")
		}
		all = append(all, c)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].before(all[j]) })
	return all
}

// before follows goautoneg, whose order is not a strict one.
func (c clause) before(o clause) bool {
	return c.quality > o.quality || c.kind != "*" && o.kind == "*" || c.form != "*" && o.form == "*"
}

func (c clause) matches(f Format) bool {
	kind, form, _ := strings.Cut(string(f), "/")
	return c.kind == kind && (c.form == form || c.form == "*") || c.kind == "*" && c.form == "*"
}

// media applies the parameters of the clause to a format; ok is false if they ask for something that is not offered.
func (c clause) media(f Format, offer Offer) (m Media, ok bool) {
	m = Media{Format: f, Pretty: c.params["pretty"] == "1"}
	if stream := c.params["stream"]; stream != "" && (stream != "watch" || !f.Streams()) {
		return m, false
	}
	as, hasKind := c.params["as"]
	_, hasGroup := c.params["g"]
	_, hasVersion := c.params["v"]
	if hasKind || hasGroup || hasVersion {
		m.As, m.Version = as, c.params["v"]
		return m, c.params["g"] == m.Kind().Group && offer.includes(m)
	}
	if offer.Custom && f == Protobuf {
		return m, false
	}
	return m, offer.Page == "" || f == Text
}

// includes reports whether the object can be shown as a kind other than its own.
func (o Offer) includes(m Media) bool {
	switch {
	case o.Page != "":
		return m.As == o.Page && m.Format != Text && slices.Contains(o.PageVersions, m.Version)
	case m.As == Discovery:
		return slices.Contains(o.Discovery, m.Version)
	case m.As == Table && m.Format == Protobuf:
		return false
	}
	known := m.Version == metav1.SchemeGroupVersion.Version && o.AsV1 || m.Version == metav1beta1.SchemeGroupVersion.Version
	return known && slices.Contains(o.As, m.As)
}

// Kind returns the kind that an object is shown as.
func (m Media) Kind() schema.GroupVersionKind {
	switch m.As {
	case Discovery:
		return schema.GroupVersionKind{Group: apidiscoveryv2.GroupName, Version: m.Version, Kind: m.As}
	case Statusz, Flagz:
		return schema.GroupVersionKind{Group: "config.k8s.io", Version: m.Version, Kind: m.As}
	}
	return schema.GroupVersionKind{Group: metav1.GroupName, Version: m.Version, Kind: m.As}
}
