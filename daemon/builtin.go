package daemon

import "jarvis/core/llm"

// offlineModel puts builtin/offline behind everything else.
func offlineModel(*llm.RouterOptions) {}
