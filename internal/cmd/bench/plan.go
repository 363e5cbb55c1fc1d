package main

// A comparison is work done by admsim and by another program: two benchmarks in one package.
type comparison struct {
	work         string
	pkg          string
	ours, theirs string // names of the benchmarks
	by           string // what they compare
	goal         string

	// turns is a benchmark that alternates between the two and reports their ratio, which is stable even on a busy
	// machine; unit is the name of that ratio.
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
		pkg:  "./internal/differential",
		ours: "BenchmarkPolicy/by=admsim/objects=1000", theirs: "BenchmarkPolicy/by=apiserver/objects=1000",
		by: "policy validator of k8s.io/apiserver",
	},
	{
		work: "Pod create, default plugins, no webhooks",
		pkg:  "./pkg/simulator",
		ours: "BenchmarkPodCreate/by=engine", theirs: "BenchmarkPodCreate/by=codec",
		by: "its JSON decoded once and encoded once", goal: "at most 3",
	},
}

// A series is work that grows: benchmarks whose names end with parameter=size.
type series struct {
	of        string
	pkg       string
	benchmark string
}

var scaling = []series{
	{"webhooks of each type that see a Pod", "./internal/performance", "BenchmarkScale/webhooks"},
	{"mutating policies that each set a label", "./internal/performance", "BenchmarkScale/mutating-policies"},
	{"webhooks that do not see it", "./internal/performance", "BenchmarkScale/unconcerned"},
	{"containers of the Pod", "./internal/performance", "BenchmarkScale/containers"},
	{"requests, one after the other", "./internal/performance", "BenchmarkScale/requests"},
	{"workers on 64 requests", "./internal/performance", "BenchmarkScale/workers"},
	{"webhook configurations loaded", "./internal/performance", "BenchmarkLoad/configurations"},
	{"ConfigMaps loaded", "./internal/performance", "BenchmarkLoad/ConfigMaps"},
}

// A figure is a number that a long-running benchmark reports in a single run.
type figure struct {
	what            string
	benchmark, unit string
	goal            string
}

const command = "./cmd/admsim"

// figures are about replaying a log of 200,000 events, compared with decoding it, and about the differences between two
// worlds for 100,000 requests.
var figures = []figure{
	{"replay: events in a second, one worker", "BenchmarkReplay/workers=1", "events/s", ""},
	{"replay: events in a second, two workers", "BenchmarkReplay/workers=2", "events/s", ""},
	{"replay: two workers beside one", "BenchmarkReplay/workers=2", "times-one-worker", "at least 1.7"},
	{"replay: rate of both, beside decoding all of the file on one core (by time of the CPU)", "BenchmarkReplay/workers=2", "of-decoding-all-by-cpu", "at least 0.4"},
	{"replay: the same, beside decoding events and leaving the objects in them as text", "BenchmarkReplay/workers=2", "of-decode-by-cpu", "at least 0.4"},
	{"replay: memory for 200,000 events, beside that for 20,000", "BenchmarkReplay/tenth", "large/small", "at most 1.2"},
	{"diff: two worlds for 100,000 requests, beside one replay of them (elapsed time)", "BenchmarkDiff", "times-replay", "at most 2.2"},
	{"diff: memory for 100,000 requests, beside that for 10,000", "BenchmarkDiff", "large/small", ""},
}

// benchmarks are the benchmarks in a package that a round runs; without cores, on all cores.
type benchmarks struct {
	pkg, pattern string
	cores        int
	once         bool     // only in the first round, with one iteration
	env          []string // additional environment
}

var suites = []benchmarks{
	{pkg: "./internal/differential", pattern: "^BenchmarkChain$", cores: 1},
	{pkg: "./internal/differential", pattern: "^BenchmarkCall$", cores: 1},
	{pkg: "./internal/differential", pattern: "^BenchmarkPolicy$", cores: 1},
	{pkg: "./pkg/simulator", pattern: "^BenchmarkPodCreate$", cores: 1},
	{pkg: "./internal/performance", pattern: "^BenchmarkScale$/^(webhooks|unconcerned|containers|requests)=", cores: 1},
	{pkg: "./internal/performance", pattern: "^BenchmarkScale$/^workers="},
	{pkg: "./internal/performance", pattern: "^BenchmarkLoad$", cores: 1},
	{pkg: command, pattern: "^BenchmarkReplay$", once: true, env: []string{"ADMSIM_BENCH_EVENTS=200000"}},
	{pkg: command, pattern: "^BenchmarkDiff$", once: true, env: []string{"ADMSIM_BENCH_EVENTS=150000"}},
}
