package gocmp

import "slices"

// An edit is a step on the way from one list to another.
type edit int

const (
	identity     edit = iota // the elements are equal
	modification             // an element takes the place of another
	deletion
	insertion
)

// similar reports whether an element may be shown as a modification of another one.
func (p parts) similar() bool { return p.same+1 >= p.differs }

type point struct{ x, y int }

// editScript returns the steps from a list with nx elements to one with ny elements; the function compares two of their
// elements. It searches from both ends of the lists in turn, each time along the diagonal through the point that was
// reached, and takes the first equal elements that it finds: an element that is equal to several is not necessarily
// paired with the best of them (google/go-cmp:cmp/internal/diff/diff.go).
func editScript(nx, ny int, compare func(i, j int) parts) []edit {
	size := point{nx, ny}
	front := &end{size: size, compare: compare}
	back := &end{size: size, isBack: true, compare: func(i, j int) parts { return compare(nx-1-i, ny-1-j) }}
	budget := 4 * (nx + ny)
	for this, other := front, back; budget > 0 && !this.meets(other); this, other = other, this {
		this.search(other.seenFromOther(), &budget)
	}
	front.connect(back.seenFromOther())
	slices.Reverse(back.script)
	return append(front.script, back.script...)
}

// An end is what the search from one end of the lists has found. Its coordinates are distances from this end.
type end struct {
	size     point
	isBack   bool
	compare  func(i, j int) parts
	at       point // where the script leads to
	frontier point // where the search continues
	script   []edit
}

func (e *end) seenFromOther() point { return point{e.size.x - e.at.x, e.size.y - e.at.y} }

func (e *end) meets(other *end) bool {
	return e.frontier.x+other.frontier.x >= e.size.x || e.frontier.y+other.frontier.y >= e.size.y
}

// search looks for equal elements up to a limit, and follows them as far as possible.
func (e *end) search(limit point, budget *int) {
	var pastX, pastY bool
	for i := 0; !(pastX && pastY) && *budget > 0; i++ {
		offset := (i + 1) / 2 // 0, -1, 1, -2, 2, ...
		if i%2 == 1 {
			offset = -offset
		}
		p := point{e.frontier.x + offset, e.frontier.y - offset}
		switch {
		case p.x >= limit.x || p.y < e.at.y:
			pastX = true
		case p.y >= limit.y || p.x < e.at.x:
			pastY = true
		case e.compare(p.x, p.y).differs == 0:
			e.connect(p)
			e.append(identity)
			for e.at.x < limit.x && e.at.y < limit.y && e.compare(e.at.x, e.at.y).differs == 0 {
				e.append(identity)
			}
			e.frontier = e.at
			pastX, pastY = true, true
		default:
			*budget--
		}
	}
	if limit.x-e.frontier.x >= limit.y-e.frontier.y {
		e.frontier.x++
	} else {
		e.frontier.y++
	}
}

// connect extends the script to a point.
func (e *end) connect(to point) {
	for to.x > e.at.x && to.y > e.at.y {
		restX, restY := to.x-e.at.x, to.y-e.at.y
		switch p := e.compare(e.at.x, e.at.y); {
		case p.differs == 0:
			e.append(identity)
		case p.similar():
			e.append(modification)
		case restX > restY || restX == restY && !e.isBack:
			e.append(deletion)
		default:
			e.append(insertion)
		}
	}
	for to.x > e.at.x {
		e.append(deletion)
	}
	for to.y > e.at.y {
		e.append(insertion)
	}
}

func (e *end) append(step edit) {
	e.script = append(e.script, step)
	if step != insertion {
		e.at.x++
	}
	if step != deletion {
		e.at.y++
	}
}
