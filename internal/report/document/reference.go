package document

// A Reference is what is said of plugins or of releases.
type Reference interface{ reference() }

func (PluginList) reference() {}

func (PluginDocument) reference() {}

func (VersionList) reference() {}

func (VersionDocument) reference() {}
