package llm

import "net/http"

// redirected is the answer of an address that sends requests elsewhere. Keys and prompts do not follow it.
type redirected struct {
	status int
	host   string // where to, "" = it did not say
}

func (r *redirected) Error() string {
	if r.host == "" {
		return "its address does not answer itself: it redirects, but not to where"
	}
	return "its address redirects to " + r.host + ", where keys and prompts are not sent unasked"
}

// noRedirect refuses every redirect but one that leaves server and request as they are: another host would get the key and
// the prompt, and so would everybody without TLS; and a POST that becomes a GET has lost its prompt.
func noRedirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	host, scheme := req.URL.Host == first.URL.Host, req.URL.Scheme == first.URL.Scheme || req.URL.Scheme == "https"
	if host && scheme && req.Method == first.Method && len(via) < 3 {
		return nil
	}
	status := 0
	if req.Response != nil {
		status = req.Response.StatusCode
	}
	return &redirected{status: status, host: OneLine(req.URL.Scheme + "://" + req.URL.Host)} // no path: it may hold a secret
}

// aimless refuses what is a redirect by its status but leads nowhere; net/http would pass it on as an answer.
func aimless(res *http.Response) error {
	switch res.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		if res.Header.Get("Location") != "" {
			return nil
		}
	default:
		if res.StatusCode < 300 || res.StatusCode >= 400 {
			return nil
		}
	}
	return &redirected{status: res.StatusCode}
}

// elsewhere is the error of a redirect. It is not repeated: the next answer is the same.
func (s Source) elsewhere(r *redirected) *Error {
	e := s.Error(KindUnavailable, r.Error(), r)
	e.Status = r.status
	if !service(s.Provider) {
		e.Hint = "jarvis config get providers." + s.Provider + ".base_url"
	}
	return e
}
