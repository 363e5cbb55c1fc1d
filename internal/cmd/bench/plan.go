package main

// A comparison is one piece of work done by admsim and by somebody else: two benchmarks of
// one package.
type comparison struct {
	work         string
	pkg          string
	ours, theirs string // names of benchmarks
	by           string // who they are
	goal         string

	// turns is a benchmark that does the two in turns and reports their ratio, which also a
	// busy machine leaves alone; unit is what it calls it.
	turns, unit string
}

var comparisons = []comparison{
	{
		work: "Pod, 10 mutating and 10 validating webhooks: handlers in admsim's process, loopback TLS for the other",
		pkg:  "./internal/differential",
		ours: "BenchmarkChain/mutating=10/validating=10/admsim=handlers/by=admsim", theirs: "BenchmarkChain/mutating=10/validating=10/admsim=handlers/by=apiserver",
		by: "webhook plugins of k8s.io/apiserver", goal: "at most 0.20",
		turns: "BenchmarkChain/mutating=10/validating=10/admsim=handlers/in_turns", unit: "admsim/apiserver",
	},
	{
		work: "Pod, 10 mutating and 10 validating webhooks: loopback TLS for both",
		pkg:  "./internal/differential",
		ours: "BenchmarkChain/mutating=10/validating=10/admsim=TLS/by=admsim", theirs: "BenchmarkChain/mutating=10/validating=10/admsim=TLS/by=apiserver",
		by: "webhook plugins of k8s.io/apiserver", goal: "below 1",
		turns: "BenchmarkChain/mutating=10/validating=10/admsim=TLS/in_turns", unit: "admsim/apiserver",
	},
	{
		work: "one call of a webhook over loopback TLS",
		pkg:  "./internal/differential",
		ours: "BenchmarkCall/by=admsim", theirs: "BenchmarkCall/by=http.Client",
		by:    "the same bytes with a bare http.Client",
		turns: "BenchmarkCall/in_turns", unit: "admsim/http.Client",
	},
	{
		work: "a validating admission policy on 1,000 Pods",
		pkg:  "./pkg/plugins/policy",
		ours: "BenchmarkPolicy/by=policy/objects=1000", theirs: "BenchmarkPolicy/by=apiserver/objects=1000",
		by: "policy validator of k8s.io/apiserver",
	},
	{
		work: "Pod create, default plugins, no webhooks",
		pkg:  "./pkg/simulator",
		ours: "BenchmarkPodCreate/by=engine", theirs: "BenchmarkPodCreate/by=codec",
		by: "its JSON decoded once and encoded once", goal: "at most 3",
	},
}

// A series is work that grows: benchmarks whose names end in parameter=size.
type series struct {
	of        string
	pkg       string
	benchmark string
}

var scaling = []series{
	{"webhooks of each type that see a Pod", "./internal/performance", "BenchmarkScale/webhooks"},
	{"webhooks that do not see it", "./internal/performance", "BenchmarkScale/unconcerned"},
	{"containers of the Pod", "./internal/performance", "BenchmarkScale/containers"},
	{"requests, one after the other", "./internal/performance", "BenchmarkScale/requests"},
	{"workers on 64 requests", "./internal/performance", "BenchmarkScale/workers"},
	{"webhook configurations loaded", "./internal/performance", "BenchmarkLoad/configurations"},
	{"ConfigMaps loaded", "./internal/performance", "BenchmarkLoad/ConfigMaps"},
}

// benchmarks are those of one package that a round runs; without cores, on all there are.
type benchmarks struct {
	pkg, pattern string
	cores        int
}

var suites = []benchmarks{
	{"./internal/differential", "^BenchmarkChain$", 1},
	{"./internal/differential", "^BenchmarkCall$", 1},
	{"./pkg/plugins/policy", "^BenchmarkPolicy$", 1},
	{"./pkg/simulator", "^BenchmarkPodCreate$", 1},
	{"./internal/performance", "^BenchmarkScale$/^(webhooks|unconcerned|containers|requests)=", 1},
	{"./internal/performance", "^BenchmarkScale$/^workers=", 0},
	{"./internal/performance", "^BenchmarkLoad$", 1},
}
