//go:build !unix

package offline

import "errors"

func room(string) (free, device uint64, err error) { return 0, 0, errors.ErrUnsupported }
