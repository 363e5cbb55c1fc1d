package document

// A Reference is a document about plugins, releases or admsim itself.
type Reference interface{ reference() }

func (PluginList) reference() {}

func (PluginDocument) reference() {}

func (VersionList) reference() {}

func (VersionDocument) reference() {}

func (Build) reference() {}
