package api

// RouteBackup makes a backup; its body is BackupCreate and its answer the archive. An answer that is cut off is none.
const RouteBackup = "POST /api/backup"

// RouteCompact writes the store anew without its free pages; its answer is Compacted.
const RouteCompact = "POST /api/backup/compact"

// Compacted says what compacting the store did.
type Compacted struct {
	Before  int64 `json:"before"`   // bytes of the store's file
	After   int64 `json:"after"`    // bytes
	PauseMS int64 `json:"pause_ms"` // how long writes waited
}

// BackupType is the content type of the answer.
const BackupType = "application/x-tar"

// BackupCreate says what goes into a backup.
type BackupCreate struct {
	NoSecrets bool `json:"no_secrets,omitempty"` // leave keys out
}
