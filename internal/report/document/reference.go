package document

// A Reference is what is said of plugins, of releases or of admsim itself.
type Reference interface{ reference() }

func (PluginList) reference() {}

func (PluginDocument) reference() {}

func (VersionList) reference() {}

func (VersionDocument) reference() {}

func (Build) reference() {}
