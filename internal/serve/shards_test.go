package serve_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/sharding"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// Each object is in the lists and watches of one shard. Lists name their shard unless they are shown as another kind.
func TestShards(t *testing.T) {
	release, err := kubeversion.Default().With(kubeversion.Flags{FeatureGates: map[string]bool{"ShardedListAndWatch": true}})
	if err != nil {
		t.Fatal(err)
	}
	var uids int
	s := newServerOf(t, simulator.Options{
		State: simulator.AssumeControllers(simulator.Bootstrap()), Release: release,
		NewUID: func() types.UID { uids++; return types.UID(fmt.Sprint(uids, " is hashed to one half or the other")) },
	}, store.Options{})
	begin := s.do("GET", maps, "").field("metadata", "resourceVersion").(string)
	const middle = "0x8000000000000000"
	shards := [2][]string{}
	for i := range 8 {
		made := s.create(fmt.Sprint("map-", i), "")
		name, uid := made.field("metadata", "name").(string), made.field("metadata", "uid").(string)
		which := 0
		if !sharding.HexLess("0x"+sharding.HashField(uid), middle) {
			which = 1
		}
		shards[which] = append(shards[which], name)
	}
	if len(shards[0]) == 0 || len(shards[1]) == 0 {
		t.Fatalf("one shard has all objects: %v", shards)
	}
	for i, bounds := range [][2]string{{"0x0000000000000000", middle}, {middle, "0x10000000000000000"}} {
		selector := fmt.Sprintf("shardRange(object.metadata.uid, '%s', '%s')", bounds[0], bounds[1])
		query := "shardSelector=" + url.QueryEscape(selector)
		var list corev1.ConfigMapList
		got := s.do("GET", maps+"?"+query, "", "Accept", "application/vnd.kubernetes.protobuf")
		var unknown runtime.Unknown
		if err := unknown.Unmarshal(got.body[4:]); err != nil {
			t.Fatal(err)
		}
		if err := list.Unmarshal(unknown.Raw); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, item := range list.Items {
			if strings.HasPrefix(item.Name, "map-") {
				names = append(names, item.Name)
			}
		}
		if !slices.Equal(names, shards[i]) || list.ShardInfo == nil || list.ShardInfo.Selector != selector {
			t.Errorf("shard %d: %v of %v, want %v", i, names, list.ShardInfo, shards[i])
		}
		if got := s.do("GET", maps+"?"+query, "").field("metadata", "shardInfo", "selector"); got != selector {
			t.Errorf("shard %d: the list says %v", i, got)
		}
		for _, as := range []string{"Table", "PartialObjectMetadataList"} {
			got := s.do("GET", maps+"?"+query, "", "Accept", "application/json;v=v1;g=meta.k8s.io;as="+as)
			if got.code != 200 || got.field("metadata", "resourceVersion") == "" || got.field("metadata", "shardInfo") != nil {
				t.Errorf("shard %d as %s: %s", i, as, got.body)
			}
		}
		want := "ADDED " + strings.Join(shards[i], ", ADDED ")
		if got := summary(s.watch("timeoutSeconds=1&resourceVersion="+begin+"&"+query, 99)); got != want {
			t.Errorf("shard %d: a watch got %s, want %s", i, got, want)
		}
	}
	deleted := s.do("DELETE", maps+"?shardSelector="+url.QueryEscape("shardRange(object.metadata.namespace, '0x0000000000000000', '0x0000000000000001')"), "")
	if deleted.code != 200 || deleted.field("metadata", "shardInfo", "selector") == nil {
		t.Errorf("%s", deleted.body)
	}
	for _, query := range []string{"", "watch=1&resourceVersion=abc&"} {
		got := s.do("GET", maps+"?"+query+"shardSelector=x", "")
		if want := "invalid shard selector: unexpected expression kind 3; expected shardRange() call or || operator"; got.code != 500 || got.field("message") != want {
			t.Errorf("%s: %d %s", query, got.code, got.body)
		}
	}
}
