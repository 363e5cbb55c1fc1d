package dependency

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// A Cycle is a deadlock: none of these backends comes up again once all of them are down. The pods behind each backend
// need the next one, and those behind the last need the first.
type Cycle []Link

// A Link is one step of a cycle: a backend, and the webhooks that have to admit the pods behind it, all of which are
// answered by the backend of the next link.
type Link struct {
	Backend *Backend
	Needs   []Need
}

// String returns the cycle as a path, from webhook to Service to pods and so on.
func (c Cycle) String() string {
	var b strings.Builder
	for i, link := range c {
		if i > 0 {
			b.WriteString(" → ")
		}
		fmt.Fprintf(&b, "Service %s → %s → %s → webhook %s", link.Backend, workloadNames(link.Backend), link.Needs[0].What, link.Needs[0].Webhook)
	}
	fmt.Fprintf(&b, " → Service %s", c[0].Backend)
	return b.String()
}

func workloadNames(b *Backend) string {
	names := make([]string, len(b.Workloads))
	for i, w := range b.Workloads {
		names[i] = w.String()
	}
	return strings.Join(names, " and ")
}

// Cycles returns the deadlocks of the cluster: for every backend in a cycle the shortest one, without duplicates. A
// backend with several workloads is stuck only if all of them are.
func (g *Graph) Cycles(ctx context.Context) []Cycle {
	edges := g.edges(ctx)
	var cycles []Cycle
	seen := map[string]bool{}
	for _, b := range g.sorted() {
		c := shortest(edges, b)
		if c == nil {
			continue
		}
		key := c.key()
		if !seen[key] {
			seen[key] = true
			cycles = append(cycles, c)
		}
	}
	return cycles
}

// sorted returns the backends, sorted by name.
func (g *Graph) sorted() []*Backend {
	all := make([]*Backend, 0, len(g.backends))
	for _, b := range g.backends {
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b *Backend) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// edges returns, for each backend, the backends that its pods need, sorted by name.
func (g *Graph) edges(ctx context.Context) map[*Backend][]edge {
	edges := map[*Backend][]edge{}
	for _, b := range g.sorted() {
		if len(b.Workloads) > 0 {
			edges[b] = g.edgesOf(ctx, b)
		}
	}
	return edges
}

type edge struct {
	to    *Backend
	needs []Need
}

func (g *Graph) edgesOf(ctx context.Context, b *Backend) []edge {
	needs := map[*Backend][]Need{}
	count := map[*Backend]int{} // the number of workloads that need it
	for _, w := range b.Workloads {
		met := map[*Backend]bool{}
		for _, n := range g.needs(ctx, b, w) {
			if to := g.Backend(n.Webhook); to != nil {
				needs[to] = append(needs[to], n)
				met[to] = true
			}
		}
		for to := range met {
			count[to]++
		}
	}
	var all []edge
	for to, n := range needs {
		if count[to] == len(b.Workloads) {
			all = append(all, edge{to, n})
		}
	}
	slices.SortFunc(all, func(a, b edge) int { return strings.Compare(a.to.String(), b.to.String()) })
	return all
}

// shortest returns the shortest path from b back to itself, nil if there is none.
func shortest(edges map[*Backend][]edge, b *Backend) Cycle {
	type visit struct {
		at   *Backend
		path Cycle
	}
	queue := []visit{{at: b}}
	seen := map[*Backend]bool{}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, e := range edges[v.at] {
			path := append(slices.Clone(v.path), Link{v.at, e.needs})
			if e.to == b {
				return path
			}
			if !seen[e.to] {
				seen[e.to] = true
				queue = append(queue, visit{e.to, path})
			}
		}
	}
	return nil
}

// key returns the same value for a cycle wherever it starts.
func (c Cycle) key() string {
	names := make([]string, len(c))
	for i, link := range c {
		names[i] = link.Backend.String()
	}
	first := slices.Index(names, slices.Min(names))
	return strings.Join(slices.Concat(names[first:], names[:first]), " ")
}
