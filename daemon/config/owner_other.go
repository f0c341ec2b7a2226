//go:build !unix

package config

import "os"

// likeOld has nothing to set: the folder's rights decide on this system.
func likeOld(*os.File, string) error { return nil }
