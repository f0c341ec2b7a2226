package llama

import "unsafe"

// maxCString bounds what is copied of a string that C owns.
const maxCString = 500

func cString(p *byte) string {
	n := 0
	for n < maxCString && *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
