//go:build !unix

package home

func withUmask(_ int, fn func()) { fn() }
