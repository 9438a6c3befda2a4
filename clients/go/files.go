package payqueued

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// FreshKey is an idempotency key that no other program has.
func FreshKey() string {
	bytes := make([]byte, 16)
	if _, err := rand.Read(bytes); err != nil {
		panic("the system gives no random numbers: " + err.Error())
	}
	return hex.EncodeToString(bytes)
}

// KeyFile keeps idempotency keys by intent, on disk before they are used. An intent is your own name for
// one wish to buy, such as the number of an order: as long as the file is there, the same intent has the
// same key and is never paid twice. Goroutines and processes may share it; a file `.lock` beside it sees
// to that.
type KeyFile struct{ Path string }

// Key is the key of an intent; a new one is on stable storage before this returns.
func (f KeyFile) Key(intent string) (key string, err error) {
	err = f.change(func(keys map[string]string) bool {
		if key = keys[intent]; key != "" {
			return false
		}
		key = FreshKey()
		keys[intent] = key
		return true
	})
	return key, err
}

// Forget drops an intent whose goods are delivered; the same name may buy again.
func (f KeyFile) Forget(intent string) error {
	return f.change(func(keys map[string]string) bool {
		_, isKnown := keys[intent]
		delete(keys, intent)
		return isKnown
	})
}

func (f KeyFile) change(change func(map[string]string) bool) error {
	unlock, err := LockFile(f.Path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	keys := map[string]string{}
	if err := readFile(f.Path, &keys); err != nil {
		return err
	}
	if !change(keys) {
		return nil
	}
	return writeJSON(f.Path, keys, true)
}

// CursorFile keeps on disk how far a reader of the log has come.
type CursorFile struct{ Path string }

type cursor struct {
	Epoch string `json:"epoch"`
	Seq   int64  `json:"seq"`
}

// Load is the epoch and the position; no epoch if none was stored.
func (f CursorFile) Load() (epoch string, seq int64, err error) {
	var found cursor
	err = readFile(f.Path, &found)
	return found.Epoch, found.Seq, err
}

// Store remembers a position. What a crash of the machine forgets comes again.
func (f CursorFile) Store(epoch string, seq int64) error {
	return writeJSON(f.Path, cursor{epoch, seq}, false)
}

// LockFile keeps all others away until what it returns is called; the system gives the lock of a killed
// program back.
func LockFile(path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("cannot lock '%s': %w", path, err)
	}
	return func() { file.Close() }, nil
}

func writeJSON(path string, value any, durable bool) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return ReplaceFile(path, append(text, '\n'), durable)
}

// ReplaceFile replaces a file as a whole, so that it is never seen half written; durable if it has to
// survive a crash of the machine.
func ReplaceFile(path string, text []byte, durable bool) error {
	folder := filepath.Dir(path)
	file, err := os.CreateTemp(folder, filepath.Base(path)+".*.new")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil && durable {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		os.Remove(file.Name())
		return err
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return err
	}
	if !durable {
		return nil
	}
	directory, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer directory.Close()
	return directory.Sync()
}

func readFile(path string, value any) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, value); err != nil {
		return fmt.Errorf("'%s' cannot be read: %w", path, err)
	}
	return nil
}
