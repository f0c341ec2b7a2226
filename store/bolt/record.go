package bolt

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"

	bbolt "go.etcd.io/bbolt"

	"jarvis/core"
)

// The buckets of jarvis.db, one a kind; ENGINE 5 has the keys.
const (
	bMeta    = "jarvis"  // schema, home: our marker, which tells a new database from an emptied one
	bSession = "session" // <sid>
	bUser    = "us"      // <uid>/<view>/<modified desc>/<sid>: the lists, newest first
	bAsk     = "ask"     // <uid>/<cwd>/<modified desc>/<sid>: hidden sessions by folder; cwd "" has them all
	bHidden  = "hidden"  // <modified>/<sid>: hidden sessions of all users, oldest first
	bID      = "id"      // <uid>/p/<digits> and <uid>/s/<digits reversed> -> sid
	bGone    = "gone"    // <sid>: sessions whose rows are still being erased; <>/<cid>: erased chains whose journals may still be there
	bChain   = "chain"   // <cid>; its sequence is the store's clock: every position comes from it
	bOrder   = "order"   // <sid>/<pos> -> cid
	bMessage = "msg"     // <sid>/<pos>/<n>
	bLane    = "lane"    // <lane>/<pos> -> cid: queued chains
	bRunning = "running" // <lane> -> cid
	bOpen    = "open"    // <cid> -> owner and session
	bSeen    = "seen"    // <source>/<key> -> cid
	bSource  = "source"  // <source> -> cursor
	bStep    = "step"    // <cid>/<n>
	bBlobRef = "blobref" // <digest>/<kind>/<id>
	bTodo    = "todo"    // <list>/<n>
	bTodoN   = "todon"   // <list> -> the last number given

	// Since schema 2.
	bSpent = "spent" // <account>/<period>
	bHold  = "hold"  // <owner>/<cid>/<step>: reservations
	bUsage = "usage" // <uid>/<by>/<day>/<name>

	// Since schema 3.
	bSummary  = "summary"  // <sid>/<to>
	bArchive  = "archive"  // <aid>
	bArchives = "archives" // <sid>/<pos> -> aid: a session's archives, oldest first
	bArchived = "archived" // <sid> -> the positions that are in any archive
	bMark     = "mark"     // <sid>/<pos>/<n>: marked messages
	bFeed     = "feed"     // <n>: what a derived index has still to look at
)

var buckets = []string{
	bMeta, bSession, bUser, bAsk, bHidden, bID, bGone, bChain, bOrder, bMessage, bLane, bRunning, bOpen, bSeen, bSource,
	bStep, bBlobRef, bTodo, bTodoN,
	bSpent, bHold, bUsage,
	bSummary,
	bArchive, bArchives, bArchived, bMark,
	bFeed,
}

const sumLen = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal ends a value with the CRC-32C of key and value, so that a byte flipped on the disk is found and not passed on.
func seal(key, value []byte) []byte {
	return binary.BigEndian.AppendUint32(value, crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, value))
}

// unseal checks a record and gives its value, which is valid only inside the transaction.
func unseal(key, record []byte) ([]byte, error) {
	if len(record) < sumLen {
		return nil, errRecord
	}
	value := record[:len(record)-sumLen]
	sum := crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, value)
	if sum != binary.BigEndian.Uint32(record[len(value):]) {
		return nil, errRecord
	}
	return value, nil
}

var errRecord = errors.New("checksum of record does not match")

// tx is a transaction that seals and checks records. A write function touches nothing but its tx, because it may run twice.
type tx struct {
	b       *bbolt.Tx
	dirty   bool   // something was written
	fed     bool   // something went into the feed
	watched bool   // what is written is noted
	spots   []spot // that
	reads   int    // records looked at; tests hold by it that work does not grow with the home
}

func (t *tx) bucket(name string) (*bbolt.Bucket, error) {
	b := t.b.Bucket([]byte(name))
	if b == nil {
		return nil, damaged(fmt.Errorf("bucket %s is missing", name))
	}
	return b, nil
}

// get reads a record into v; false when there is none.
func (t *tx) get(bucket string, k []byte, v any) (bool, error) {
	b, err := t.bucket(bucket)
	if err != nil {
		return false, err
	}
	t.reads++
	rec := b.Get(k)
	if rec == nil {
		return false, nil
	}
	return true, decode(bucket, k, rec, v)
}

// wrote notes that a record is written.
func (t *tx) wrote(bucket string, k []byte) {
	t.dirty = true
	if t.watched {
		t.spots = append(t.spots, spot{bucket, string(k)})
	}
}

func (t *tx) has(bucket string, k []byte) (bool, error) {
	b, err := t.bucket(bucket)
	if err != nil {
		return false, err
	}
	t.reads++
	return b.Get(k) != nil, nil
}

func (t *tx) put(bucket string, k []byte, v any) error {
	value, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", bucket, err)
	}
	b, err := t.bucket(bucket)
	if err != nil {
		return err
	}
	t.wrote(bucket, k)
	if err := b.Put(k, seal(k, value)); err != nil {
		return fmt.Errorf("put %s: %w", bucket, err)
	}
	return nil
}

func (t *tx) del(bucket string, k []byte) error {
	b, err := t.bucket(bucket)
	if err != nil {
		return err
	}
	t.wrote(bucket, k)
	if err := b.Delete(k); err != nil {
		return fmt.Errorf("delete %s: %w", bucket, err)
	}
	return nil
}

// each calls f with the records under prefix, in order, until it returns false. k and v are copies of nothing: valid only
// inside f, and f must not write to the same bucket.
func (t *tx) each(bucket string, prefix []byte, f func(k, rec []byte) (bool, error)) error {
	b, err := t.bucket(bucket)
	if err != nil {
		return err
	}
	c := b.Cursor()
	for k, rec := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, rec = c.Next() {
		t.reads++
		if more, err := f(k, rec); err != nil || !more {
			return err
		}
	}
	return nil
}

// keys copies up to limit keys under prefix.
func (t *tx) keys(bucket string, prefix []byte, limit int) ([][]byte, error) {
	var ks [][]byte
	err := t.each(bucket, prefix, func(k, _ []byte) (bool, error) {
		ks = append(ks, bytes.Clone(k))
		return len(ks) < limit, nil
	})
	return ks, err
}

func decode(bucket string, k, rec []byte, v any) error {
	value, err := unseal(k, rec)
	if err == nil {
		err = json.Unmarshal(value, v)
	}
	if err != nil {
		return damaged(fmt.Errorf("record %s/%x: %w", bucket, k, err))
	}
	return nil
}

// damaged is what reading a broken record gives. The command puts the whole store aside and begins an empty one.
func damaged(cause error) error {
	return core.E(core.StoreDamaged, "a record of the store is damaged", newStore, cause)
}
