package session

import (
	"context"
	"time"

	"jarvis/core"
)

// Archiver keeps archives. Another user's is core.NotFound.
type Archiver interface {
	// Archive takes the chains that pick names out of a session's view and prompt, under a new id; core.Conflict when there are
	// none, or one of them is open.
	Archive(ctx context.Context, user core.UserID, s core.SessionID, pick core.ArchivePick, id core.ArchiveID, at time.Time) (core.Archive, error)
	// RestoreArchive brings an archive's chains back and forgets the archive.
	RestoreArchive(ctx context.Context, user core.UserID, id core.ArchiveID) (core.Archive, error)
	ArchiveByID(ctx context.Context, user core.UserID, id core.ArchiveID) (core.Archive, error)
	// Archives pages through a session's archives, oldest first.
	Archives(ctx context.Context, s core.SessionID, p core.Page) ([]core.Archive, core.Cursor, error)
	// ArchiveMessages pages through an archive's messages in order.
	ArchiveMessages(ctx context.Context, a core.Archive, p core.Page) ([]core.Message, core.Cursor, error)
}

// Archive takes chains out of a session's view and out of what models are sent. They stay readable and searchable.
func (s *Service) Archive(ctx context.Context, user core.UserID, id core.SessionID, pick core.ArchivePick) (core.Archive, error) {
	if pick.Keep < 0 {
		return core.Archive{}, core.E(core.BadRequest, "how many to keep is a number from 1 on", "jarvis session archive --help", nil)
	}
	return s.d.Archiver.Archive(ctx, user, id, pick, core.ArchiveID(s.d.NewID()), s.d.Now())
}

// RestoreArchive brings an archive's chains back into view and prompt.
func (s *Service) RestoreArchive(ctx context.Context, user core.UserID, id core.ArchiveID) (core.Archive, error) {
	return s.d.Archiver.RestoreArchive(ctx, user, id)
}

// Archives pages through a session's archives, oldest first. The caller has found the session for its user.
func (s *Service) Archives(ctx context.Context, id core.SessionID, p core.Page) ([]core.Archive, core.Cursor, error) {
	return s.d.Archiver.Archives(ctx, id, p)
}

// ReadArchive gives an archive with a page of its messages.
func (s *Service) ReadArchive(
	ctx context.Context, user core.UserID, id core.ArchiveID, p core.Page,
) (core.Archive, []core.Message, core.Cursor, error) {
	a, err := s.d.Archiver.ArchiveByID(ctx, user, id)
	if err != nil {
		return core.Archive{}, nil, "", err
	}
	ms, next, err := s.d.Archiver.ArchiveMessages(ctx, a, p)
	return a, ms, next, err
}
