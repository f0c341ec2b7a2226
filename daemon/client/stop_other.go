//go:build !unix

package client

import "errors"

func (c *Client) released() bool { return true }

func (c *Client) terminate() error { return errors.New("not supported on this system") }
