package daemon

import (
	"context"
	"iter"
	"time"

	"jarvis/core"
	"jarvis/daemon/home"
	"jarvis/daemon/offline"
	"jarvis/store/audit"
)

// record writes down what the daemon does by itself. It cannot be refused, so that a full disk does not keep people from what
// they have; the log and the status say what is missing.
func (d *daemon) record(ctx context.Context, a core.Audit) {
	a.User, a.Via = core.Owner, "daemon"
	if err := d.audit.Write(context.WithoutCancel(ctx), a); err != nil {
		d.log.Error("Not written into the audit file", "action", a.Action, "error", err)
		d.status.warn(withHint(err))
	}
}

// recordOffline writes a line for a command that needs no daemon; one that runs may be writing too.
func recordOffline(ctx context.Context, h home.Home, a core.Audit) error {
	a.User, a.Via = core.Owner, "cli"
	l := audit.Open(audit.Options{Path: h.Audit(), MaxFile: -1})
	err := l.Write(ctx, a)
	if cerr := l.Close(); err == nil {
		err = cerr
	}
	return err
}

// auditDeps are jarvisd's doors to the audit file.
func auditDeps() offline.AuditDeps {
	line := func(l audit.Line) offline.AuditLine {
		return offline.AuditLine{File: l.File, N: l.N, Raw: l.Raw, Audit: l.Audit, Bad: l.Err != nil}
	}
	return offline.AuditDeps{
		Record: recordOffline,
		Verify: func(ctx context.Context, h home.Home) (offline.AuditReport, error) {
			r, err := audit.Verify(ctx, h.Audit())
			found := func(list []audit.Finding) []offline.AuditFinding {
				out := []offline.AuditFinding{}
				for _, f := range list {
					out = append(out, offline.AuditFinding(f))
				}
				return out
			}
			return offline.AuditReport{
				OK: len(r.Problems) == 0, Files: r.Files, Lines: r.Lines, First: r.First, Last: r.Last, Hash: r.Hash,
				Problems: found(r.Problems), Notes: found(r.Notes),
			}, err
		},
		Lines: func(ctx context.Context, h home.Home) iter.Seq2[offline.AuditLine, error] {
			return auditSeq(audit.Lines(ctx, h.Audit()), line)
		},
		Last: func(ctx context.Context, h home.Home, n int) ([]offline.AuditLine, error) {
			list, err := audit.Last(ctx, h.Audit(), n)
			out := []offline.AuditLine{}
			for _, l := range list {
				out = append(out, line(l))
			}
			return out, err
		},
		Follow: func(ctx context.Context, h home.Home, n int) iter.Seq2[offline.AuditLine, error] {
			return auditSeq(audit.Follow(ctx, h.Audit(), n, 250*time.Millisecond), line)
		},
	}
}

func auditSeq(in iter.Seq2[audit.Line, error], line func(audit.Line) offline.AuditLine) iter.Seq2[offline.AuditLine, error] {
	return func(yield func(offline.AuditLine, error) bool) {
		for l, err := range in {
			if !yield(line(l), err) {
				return
			}
		}
	}
}

// expired writes down how many sessions a sweep has erased; how many there would be is not known before.
func (d *daemon) expired(ctx context.Context, n int, err error) {
	d.record(ctx, core.Audit{Action: "session.expire", OK: err == nil, Details: map[string]any{"count": n}})
}
