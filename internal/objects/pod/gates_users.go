// kubernetes/kubernetes:pkg/api/pod/util.go

package pod

import corev1 "k8s.io/api/core/v1"

// eachFileUser calls yield with every place where the volumes of a spec say which user owns their files, until it returns
// false. Of a volume or projection with several sources, which is invalid, only the first one counts, as for the server.
func eachFileUser(s *corev1.PodSpec, yield func(user **int64) bool) {
	for _, v := range s.Volumes {
		var more bool
		switch {
		case v.Secret != nil:
			more = yield(&v.Secret.DefaultUser) && eachKeyUser(v.Secret.Items, yield)
		case v.ConfigMap != nil:
			more = yield(&v.ConfigMap.DefaultUser) && eachKeyUser(v.ConfigMap.Items, yield)
		case v.DownwardAPI != nil:
			more = yield(&v.DownwardAPI.DefaultUser) && eachPodFileUser(v.DownwardAPI.Items, yield)
		case v.Projected != nil:
			more = yield(&v.Projected.DefaultUser) && eachProjectedUser(v.Projected.Sources, yield)
		default:
			continue
		}
		if !more {
			return
		}
	}
}

func eachProjectedUser(sources []corev1.VolumeProjection, yield func(user **int64) bool) bool {
	for i := range sources {
		more := true
		switch p := &sources[i]; {
		case p.Secret != nil:
			more = eachKeyUser(p.Secret.Items, yield)
		case p.DownwardAPI != nil:
			more = eachPodFileUser(p.DownwardAPI.Items, yield)
		case p.ConfigMap != nil:
			more = eachKeyUser(p.ConfigMap.Items, yield)
		case p.ServiceAccountToken != nil:
			more = yield(&p.ServiceAccountToken.User)
		case p.ClusterTrustBundle != nil:
			more = yield(&p.ClusterTrustBundle.User)
		case p.PodCertificate != nil:
			more = yield(&p.PodCertificate.User)
		}
		if !more {
			return false
		}
	}
	return true
}

func eachKeyUser(items []corev1.KeyToPath, yield func(user **int64) bool) bool {
	for i := range items {
		if !yield(&items[i].User) {
			return false
		}
	}
	return true
}

func eachPodFileUser(items []corev1.DownwardAPIVolumeFile, yield func(user **int64) bool) bool {
	for i := range items {
		if !yield(&items[i].User) {
			return false
		}
	}
	return true
}

func hasFileUser(s *corev1.PodSpec) (found bool) {
	eachFileUser(s, func(user **int64) bool {
		found = *user != nil
		return !found
	})
	return found
}

func dropFileUsers(s *corev1.PodSpec) {
	eachFileUser(s, func(user **int64) bool {
		*user = nil
		return true
	})
}
