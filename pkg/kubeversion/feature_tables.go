package kubeversion

// What the cells of tables say. The columns of each release are in internal/table/columns.txt. All of this is in
// pkg/printers/internalversion/printers.go of kubernetes/kubernetes, unless another file is named.
var (
	// TableAgesExact: an age has a second unit where it matters, 2d5h (kubernetes/apimachinery:pkg/util/duration/duration.go).
	TableAgesExact = Feature{since: 12}
	// TableAgesWholeYears: an age of some years and no days is 2y, not 2y0d (the same file).
	TableAgesWholeYears = Feature{since: 27}
	// TableArchitectures: the kernel of a node is shown with the node's architecture.
	TableArchitectures = Feature{since: 36}
	// TableBinaryData: binaryData counts as data of a ConfigMap.
	TableBinaryData = Feature{since: 16}
	// TableCompletedNotReady: a pod of which one container has completed and one runs is NotReady, unless it is ready.
	TableCompletedNotReady = Feature{since: 18}
	// TableCompletedRunning: such a pod is Running.
	TableCompletedRunning = Feature{since: 11}
	// TableCustomColumns: custom resources have the columns of their definition
	// (kubernetes/apiextensions-apiserver:pkg/registry/customresource/tableconvertor/tableconvertor.go).
	TableCustomColumns = Feature{since: 11}
	// TableDefaultIngressClasses: the default among IngressClasses is marked.
	TableDefaultIngressClasses = Feature{since: 36}
	// TableEffectiveDefaultClass: only the newest default among the StorageClasses of a list is marked.
	TableEffectiveDefaultClass = Feature{since: 37}
	// TableEventSeries: an event counts as one if it has no count, and shows its series and who reported it.
	TableEventSeries = Feature{since: 19}
	// TableEventSeriesExact: the count of a series is shown as it is, not with one added.
	TableEventSeriesExact = Feature{since: 23}
	// TableEventTimes: an event without the old times shows its eventTime.
	TableEventTimes = Feature{since: 16}
	// TableEventTrimmed: the message of an event is shown without spaces around it.
	TableEventTrimmed = Feature{since: 12}
	// TableFailedContainers: a pod of which a container has failed shows why, even if the first one has completed.
	TableFailedContainers = Feature{since: 35}
	// TableFinishedPods: a pod that is deleted after its end shows its end, not Terminating.
	TableFinishedPods = Feature{since: 31}
	// TableMetricNames: the targets of an autoscaler name the resource.
	TableMetricNames = Feature{since: 30}
	// TableNoDefaultAttributesClass: no VolumeAttributesClass is marked as the default.
	TableNoDefaultAttributesClass = Feature{since: 34}
	// TableNominatedNodes: the nominated node of a pod has a column. Before, it was a cell without one.
	TableNominatedNodes = Feature{since: 11}
	// TableObjectAverages: an autoscaler shows the average of a metric of an object.
	TableObjectAverages = Feature{since: 19}
	// TableParamRefs: the parameters of a policy binding are shown with a namespace, or * for none, or by their selector.
	TableParamRefs = Feature{since: 28}
	// TablePortlessEndpoints: addresses without ports are among the endpoints.
	TablePortlessEndpoints = Feature{since: 11}
	// TableRestartTimes: a pod shows when it was last restarted.
	TableRestartTimes = Feature{since: 22}
	// TableSchedulingGates: a pod that waits for scheduling gates is SchedulingGated.
	TableSchedulingGates = Feature{since: 26}
	// TableSidecars: init containers that keep running count as containers of a pod.
	TableSidecars = Feature{since: 28}
	// TableSubresources: subresources of built-in kinds are shown as tables, and the scale of a custom resource has columns of
	// its own (pkg/registry/apps/deployment/storage/storage.go).
	TableSubresources = Feature{since: 24}
	// TableSuccessCriteria: a job can have the status SuccessCriteriaMet.
	TableSuccessCriteria = Feature{since: 34}
)
