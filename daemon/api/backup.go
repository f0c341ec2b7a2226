package api

// RouteBackup makes a backup; its body is BackupCreate and its answer the archive. An answer that is cut off is none.
const RouteBackup = "POST /api/backup"

// BackupType is the content type of the answer.
const BackupType = "application/x-tar"

// BackupCreate says what goes into a backup.
type BackupCreate struct {
	NoSecrets bool `json:"no_secrets,omitempty"` // leave keys out
}
