package workload

import "testing"

// The hash of the Deployment in Kubernetes' documentation, with its defaults. With the types of 1.28, the same code
// returns 86dcfdf4c6, with those of 1.22 66b6c48dd5, as the documentation of these releases shows. The hash changes
// whenever a field is added to pods: a new version of k8s.io/api changes this test.
func TestHashOf(t *testing.T) {
	template := mapIn(read(t, `
template:
  metadata: {labels: {app: nginx}}
  spec:
    containers:
    - name: nginx
      image: nginx:1.14.2
      ports: [{containerPort: 80, protocol: TCP}]
      resources: {}
      terminationMessagePath: /dev/termination-log
      terminationMessagePolicy: File
      imagePullPolicy: IfNotPresent
    volumes: []
    restartPolicy: Always
    terminationGracePeriodSeconds: 30
    dnsPolicy: ClusterFirst
    securityContext: {}
    schedulerName: default-scheduler
`), "template")
	if got, want := hashOf(template), "54fd4d6d4c"; got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
	before := revisionHashOf(template)
	mapIn(mapIn(template, "metadata"), "labels")["app"] = "web"
	if after := revisionHashOf(template); after == before || after == hashOf(template) {
		t.Errorf("the revision of another template is %s, before %s", after, before)
	}
}
