package selectors

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/sharding"
	apisharding "k8s.io/apiserver/pkg/sharding"
)

// InShards restricts a selection to the objects of the shards that its options name. Releases without shards ignore
// them: kubernetes/apiserver:pkg/registry/generic/registry/store.go, ListPredicate and Watch.
func (s Selection) InShards() (Selection, error) {
	if s.Options.Shards == "" || !s.release.GateOn("ShardedListAndWatch") {
		return s, nil
	}
	shards, err := apisharding.Parse(s.Options.Shards)
	if err != nil {
		return s, fmt.Errorf("invalid shard selector: %w", err)
	}
	s.shards = shards
	return s, nil
}

// inShards returns the selector of shards, which everything matches if there is none.
func (s Selection) inShards() sharding.Selector {
	if s.shards == nil {
		return sharding.Everything()
	}
	return s.shards
}

// shardInfo returns what a list says about its shards. Lists of custom resources say nothing, since they have no field
// for it.
func (s Selection) shardInfo() *metav1.ShardInfo {
	if s.shards == nil || s.resource.CRD != nil {
		return nil
	}
	return &metav1.ShardInfo{Selector: s.shards.String()}
}
