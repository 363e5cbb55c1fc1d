package space

import (
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/admsim/admsim/internal/space/diagram"
)

// A Line is a part of some requests that a short sentence describes.
type Line struct {
	Operations []admissionv1.Operation
	Resources  []string // or what they have in common, such as "every namespaced resource"
	Where      []string // such as "in namespaces with team=a"; empty: anywhere
	Requests   Requests

	// Open lists the texts of the conditions that it depends on and that nothing else decides.
	Open []string
	// Vague is set if the part has more conditions than anybody wants to read: Where does not list all of them.
	Vague bool
}

// String returns the sentence.
func (l Line) String() string {
	names := make([]string, len(l.Operations))
	for i, o := range l.Operations {
		names[i] = string(o)
	}
	return strings.Join(append([]string{strings.Join(names, ", ") + " " + strings.Join(l.Resources, ", ")}, l.Where...), ", ")
}

// maxProducts limits the number of products that describe a set.
const maxProducts = 64

// Lines describes requests. Several lines may include the same request.
func (s *Space) Lines(r Requests, whole Whole) (lines []Line) {
	n := naming{s, whole}
	plain := make(Requests, len(r))
	for i := range r {
		plain[i] = s.generalized(r[i])
	}
	for _, g := range s.groups(plain) {
		for _, about := range n.together(g) {
			products, ok := s.diagrams.Products(g.set, maxProducts)
			if !ok {
				lines = append(lines, Line{
					Operations: about.operations, Resources: about.resources, Where: []string{"under conditions that are too long to list"},
					Requests: s.only(r, about.endpoints), Vague: true, Open: s.open(g.set),
				})
				continue
			}
			for _, p := range s.paired(products, about) {
				lines = append(lines, s.line(r, about, p))
			}
		}
	}
	return lines
}

// A pair is a product; either says that it is about the old or the new object of an update.
type pair struct {
	diagram.Product
	either bool
}

// paired returns products; of two products that say the same about the old and the new object, it returns one.
func (s *Space) paired(products []diagram.Product, about about) (pairs []pair) {
	if about.either {
		for _, p := range products {
			pairs = append(pairs, pair{p, true})
		}
		return pairs
	}
	sets := make([]diagram.Set, len(products))
	for i, p := range products {
		sets[i] = s.diagrams.Product(p)
	}
	done := make([]bool, len(products))
	for i, p := range products {
		if done[i] {
			continue
		}
		old := s.asOld(sets[i])
		if j := slices.Index(sets, old); j > i && !slices.ContainsFunc(p, s.isOld) {
			done[j] = true
			pairs = append(pairs, pair{p, true})
			continue
		}
		if slices.ContainsFunc(p, s.isOld) && slices.ContainsFunc(sets[i+1:], func(now diagram.Set) bool { return s.asOld(now) == sets[i] }) {
			continue // it is part of that pair
		}
		pairs = append(pairs, pair{p, false})
	}
	return pairs
}

func (s *Space) isOld(f diagram.Factor) bool { return s.dimensions[f.Variable].of == before }

// line describes the requests of r to some endpoints that are in a product.
func (s *Space) line(r Requests, about about, p pair) Line {
	w := words{Space: s, either: p.either}
	w.product(p.Product)
	line := Line{Operations: about.operations, Resources: about.resources, Where: w.parts(), Open: w.open, Requests: s.only(r, about.endpoints)}
	part := s.diagrams.Product(p.Product)
	both := part
	if p.either {
		both = s.diagrams.Or(part, s.asOld(part))
	}
	for i := range line.Requests {
		part := part
		if s.endpoints[i].Operation == admissionv1.Update {
			part = both
		}
		line.Requests[i] = s.diagrams.And(line.Requests[i], s.specialized(part))
	}
	return line
}

// only returns the requests of r to some endpoints.
func (s *Space) only(r Requests, endpoints []int) Requests {
	part := s.Nothing()
	for _, i := range endpoints {
		part[i] = r[i]
	}
	return part
}

// open returns the texts of the conditions that a set depends on.
func (s *Space) open(set diagram.Set) (texts []string) {
	for _, v := range s.diagrams.Variables(set) {
		if d := s.dimensions[v]; d.is == theCondition {
			texts = append(texts, d.key)
		}
	}
	return texts
}

// generalized returns a set in which existing namespaces are not distinguished from others, as far as only their labels
// make the difference: "in namespaces with team=a" is shorter than a list of those namespaces, and equally true.
func (s *Space) generalized(set diagram.Set) diagram.Set {
	d := s.diagrams
	at := func(value int) diagram.Set { return d.At(set, s.namespaces.variable, value) }
	laws := []diagram.Set{at(s.other())}
	for value := range s.places { // such as namespaces that a selector names and that do not exist
		if law := at(value); !s.places[value].exists && law != diagram.None && !slices.Contains(laws, law) {
			laws = append(laws, law)
		}
	}
	return d.Choose(s.namespaces.variable, func(value int) diagram.Set {
		is := at(value)
		labels, ok := s.labelsOf(value)
		if !ok {
			return is
		}
		for i, law := range laws {
			// A namespace for which nothing holds need not be mentioned, so only the first law may cover it.
			if (i == 0 || is != diagram.None) && is == d.Given(law, labels) {
				return law
			}
		}
		return is
	})
}

// specialized undoes generalized, by the labels that existing namespaces are known to have.
func (s *Space) specialized(set diagram.Set) diagram.Set {
	d := s.diagrams
	return d.Choose(s.namespaces.variable, func(value int) diagram.Set {
		is := d.At(set, s.namespaces.variable, value)
		if labels, ok := s.labelsOf(value); ok {
			return d.Given(is, labels)
		}
		return is
	})
}

// labelsOf returns the values of an existing namespace in the dimensions of namespace labels. ok is false if it does
// not exist, or if its labels are not the same in all worlds.
func (s *Space) labelsOf(value int) (of func(diagram.Variable) (int, bool), ok bool) {
	p := &s.places[value]
	if !p.exists {
		return nil, false
	}
	for _, d := range s.dimensions {
		if d.is != theLabel || d.of != stored {
			continue
		}
		for i := range p.labels {
			if s.valueOf(d.key, p.labels[i]) != s.valueOf(d.key, p.labels[0]) {
				return nil, false
			}
		}
	}
	return func(v diagram.Variable) (int, bool) {
		d := s.dimensions[v]
		if d.is != theLabel || d.of != stored {
			return 0, false
		}
		return s.valueOf(d.key, p.labels[0]), true
	}, true
}

// valueOf returns the value that labels have in a label's dimension.
func (s *Space) valueOf(key string, labels map[string]string) int {
	value, ok := labels[key]
	if !ok {
		return 0
	}
	if at, ok := slices.BinarySearch(s.values[key], value); ok {
		return at + 1
	}
	return len(s.values[key]) + 1
}

// asOld returns a set with its conditions on the object applied to the old object.
func (s *Space) asOld(set diagram.Set) diagram.Set {
	return s.diagrams.Renamed(set, func(v diagram.Variable) diagram.Variable {
		d := s.dimensions[v]
		if d.of != current {
			return v
		}
		old := *d
		old.of = before
		return s.dimension(old).variable
	})
}

// A group is a set of endpoints with the same set of requests. If either is true, the updates among them have a larger
// set: the old or the new object has to meet it.
type group struct {
	set       diagram.Set
	either    bool
	endpoints []int
}

// groups groups endpoints by their sets, in the order of their first endpoints. Updates whose old or new object has to
// meet the same conditions as the only object of other operations are in one group with these.
func (s *Space) groups(r Requests) (all []group) {
	either := map[diagram.Set]diagram.Set{} // the set for updates → the set for others
	joined := map[diagram.Set]bool{}        // the set for others, if there are such updates
	for i, set := range r {
		if set != diagram.None && s.endpoints[i].Operation != admissionv1.Update {
			if both := s.diagrams.Or(set, s.asOld(set)); both != set {
				either[both] = set
			}
		}
	}
	for i, set := range r {
		if one, ok := either[set]; ok && s.endpoints[i].Operation == admissionv1.Update {
			joined[one] = true
		}
	}
	type key struct {
		set diagram.Set
		new bool // an update for which only the new object counts
	}
	at := map[key]int{}
	for i, set := range r {
		if set == diagram.None {
			continue
		}
		k, isEither := key{set: set}, false
		if s.endpoints[i].Operation == admissionv1.Update {
			if one, ok := either[set]; ok {
				k.set, isEither = one, true
			} else {
				k.new = joined[set]
			}
		}
		n, ok := at[k]
		if !ok {
			n = len(all)
			at[k] = n
			all = append(all, group{set: k.set})
		}
		all[n].either = all[n].either || isEither
		all[n].endpoints = append(all[n].endpoints, i)
	}
	return all
}

// An about is a set of endpoints that can be named together.
type about struct {
	operations []admissionv1.Operation
	resources  []string
	long       []string // the same with the long names of classes
	endpoints  []int
	either     bool // some are updates whose old object counts like the new one
}

// together names endpoints, combining operations that have the same resources.
func (n naming) together(g group) (all []about) {
	for _, o := range operations {
		var one about
		for _, i := range g.endpoints {
			if n.endpoints[i].Operation == o.is {
				one.endpoints = append(one.endpoints, i)
			}
		}
		if one.endpoints == nil {
			continue
		}
		one.operations = []admissionv1.Operation{o.is}
		one.resources, one.long = n.resources(o.is, one.endpoints)
		i := slices.IndexFunc(all, func(a about) bool {
			return slices.Equal(a.resources, one.resources) || slices.Equal(a.long, one.long)
		})
		if i < 0 {
			all = append(all, one)
			continue
		}
		if !slices.Equal(all[i].resources, one.resources) { // one of them has subresources
			all[i].resources = one.long
		}
		all[i].operations, all[i].endpoints = append(all[i].operations, o.is), append(all[i].endpoints, one.endpoints...)
	}
	for i := range all {
		all[i].either = g.either && slices.Contains(all[i].operations, admissionv1.Update)
		slices.Sort(all[i].endpoints)
	}
	return all
}
