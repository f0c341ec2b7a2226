package offline

import "context"

// checkAudit holds every line of the audit file against the one before.
func (d *doctor) checkAudit(ctx context.Context) {
	if d.Audit.Verify == nil {
		d.because("audit", stateSkipped, d.missing())
		return
	}
	r, err := d.Audit.Verify(ctx, d.h)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		d.fail("audit", d.auditFailed(d.h, err))
	case !r.OK:
		f := r.Problems[0]
		d.problem("audit", d.tf("%d lines in %d files, problems: %d", r.Lines, r.Files, len(r.Problems))+"; "+f.File+": "+d.auditWhat(f), "jarvis audit verify")
	case r.Lines == 0:
		d.skipped("audit", d.t("Nothing has been written down yet."), "")
	default:
		d.ok("audit", d.tf("%d lines in %d files are whole; the last one is %d, %s", r.Lines, r.Files, r.Last, r.Hash))
	}
}
