package bolt

// Unsynced is for tests that are not about durability.
func Unsynced(o Options) Options {
	o.noSync = true
	return o
}
