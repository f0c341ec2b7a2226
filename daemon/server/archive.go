package server

import (
	"context"
	"net/http"

	"jarvis/core"
	"jarvis/daemon/api"
)

// Archives takes chains out of sessions and brings them back; another user's are core.NotFound.
type Archives interface {
	Archive(ctx context.Context, user core.UserID, s core.SessionID, pick core.ArchivePick) (core.Archive, error)
	RestoreArchive(ctx context.Context, user core.UserID, id core.ArchiveID) (core.Archive, error)
	Archives(ctx context.Context, s core.SessionID, p core.Page) ([]core.Archive, core.Cursor, error)
	ReadArchive(ctx context.Context, user core.UserID, id core.ArchiveID, p core.Page) (core.Archive, []core.Message, core.Cursor, error)
}

func (s *Server) archiveRoutes() map[string]handler {
	return map[string]handler{
		api.RouteArchive:        s.archive,
		api.RouteArchives:       s.archives,
		api.RouteArchiveRead:    s.readArchive,
		api.RouteArchiveRestore: s.restoreArchive,
	}
}

// archiveBody is api.Archive and the spelling of seed 001.
type archiveBody struct {
	api.Archive
	SessionID core.SessionID `json:"sessionId"`
}

func (s *Server) archive(w http.ResponseWriter, r *http.Request) error {
	var body archiveBody
	if err := decode(w, r, smallBody, &body); err != nil {
		return err
	}
	ways := 0
	for _, said := range []bool{!body.Before.IsZero(), body.Keep != 0, body.All} {
		if said {
			ways++
		}
	}
	if ways > 1 || body.Keep < 0 {
		return core.E(core.BadRequest, "what is to be archived is before, keep (from 1 on) or all", "jarvis session archive --help", nil)
	}
	found, err := s.named(r, string(max(body.Session, body.SessionID)))
	if err != nil {
		return err
	}
	if err := s.audited(w, r, "session.archive", string(found.ID), nil); err != nil {
		return err
	}
	a, err := s.c.Archives.Archive(r.Context(), user(r), found.ID, core.ArchivePick{Before: body.Before, Keep: body.Keep})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, a)
}

func (s *Server) archives(w http.ResponseWriter, r *http.Request) error {
	p, err := page(r)
	if err != nil {
		return err
	}
	found, err := s.asked(r)
	if err != nil {
		return err
	}
	items, next, err := s.c.Archives.Archives(r.Context(), found.ID, p)
	if err != nil {
		return err
	}
	return list(w, items, next)
}

func (s *Server) readArchive(w http.ResponseWriter, r *http.Request) error {
	p, err := page(r)
	if err != nil {
		return err
	}
	id, err := archiveID(r)
	if err != nil {
		return err
	}
	a, ms, next, err := s.c.Archives.ReadArchive(r.Context(), user(r), id, p)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, api.ArchiveRead{Archive: a, List: messageList(ms, next)})
}

func (s *Server) restoreArchive(w http.ResponseWriter, r *http.Request) error {
	id, err := archiveID(r)
	if err != nil {
		return err
	}
	if err := s.audited(w, r, "archive.restore", string(id), nil); err != nil {
		return err
	}
	a, err := s.c.Archives.RestoreArchive(r.Context(), user(r), id)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, a)
}

func archiveID(r *http.Request) (core.ArchiveID, error) {
	id := r.PathValue("id")
	if !core.ValidUUID(id) {
		return "", core.E(core.NotFound, "there is no archive "+clip(id), "jarvis session archives", nil)
	}
	return core.ArchiveID(id), nil
}
