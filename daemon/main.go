package daemon

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"jarvis/core/llm/local"
	"jarvis/daemon/api"
	"jarvis/daemon/offline"
)

// lockWait is how long a daemon that was started in the background waits for one that is ending.
const lockWait = 20 * time.Second

// Main is jarvisd.
func Main() int {
	return offline.Main(offline.Deps{
		Version: api.Version(), Run: run, Models: setupModels, Test: setupTest, Look: lookAtStore, Index: lookAtIndex, Request: doctorRequest, ImportModel: importModel,
		Audit:   auditDeps(),
		Backups: offline.BackupDeps{Verify: verifyBackup, Restore: restoreBackup},
	})
}

// run is `jarvis daemon run`.
func run(ctx context.Context, o offline.RunOptions) error {
	closeForeign()
	prepare()
	debug.SetGCPercent(gcPercent)
	opts := Options{Home: o.Home, Env: o.Env, NewStore: o.NewStore, Foreground: !o.Detached}
	if o.Detached {
		opts.LockWait = lockWait
	} else {
		opts.Stderr = os.Stderr
	}
	hurry := make(chan struct{})
	opts.Hurry = hurry
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		<-ctx.Done() // the first signal, which came to both
		for first := true; ; first = false {
			<-signals
			if !first {
				close(hurry)
				return
			}
		}
	}()
	return Run(ctx, opts)
}

func importModel(ctx context.Context, o offline.ImportOptions, progress func(file string, done, total int64)) error {
	return local.Import(ctx, o.Home.Models, o.Weights, o.Libs, progress)
}
