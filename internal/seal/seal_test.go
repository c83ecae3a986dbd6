// SPDX-License-Identifier: Apache-2.0

package seal

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func sealed(t *testing.T, recipient, text string) []byte {
	t.Helper()
	seal, err := For(recipient)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := seal(&out)
	if err != nil {
		t.Fatal(err)
	}
	_, writeErr := io.WriteString(w, text)
	if err := errors.Join(writeErr, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func opened(t *testing.T, identity string, box []byte) (string, error) {
	t.Helper()
	open, err := With(identity)
	if err != nil {
		t.Fatal(err)
	}
	r, err := open(bytes.NewReader(box))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

func newKey(t *testing.T) (identity, recipient string) {
	t.Helper()
	identity, recipient, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return identity, recipient
}

func TestOnlyTheKeysOwnerReadsWhatWasSealed(t *testing.T) {
	identity, recipient := newKey(t)
	stranger, _ := newKey(t)
	for name, text := range map[string]string{"nothing": "", "a line": "password\n", "more than a chunk": strings.Repeat("x", 200_000)} {
		box := sealed(t, recipient, text)
		if got, err := opened(t, identity, box); err != nil || got != text {
			t.Errorf("%s: got %d bytes, %v", name, len(got), err)
		}
		if _, err := opened(t, stranger, box); err == nil {
			t.Errorf("%s: a stranger read it", name)
		}
	}
}

func TestWhatWasChangedIsNotOpened(t *testing.T) {
	identity, recipient := newKey(t)
	box := sealed(t, recipient, "password")
	for i := range box {
		changed := bytes.Clone(box)
		changed[i] ^= 1
		if _, err := opened(t, identity, changed); err == nil {
			t.Errorf("byte %d was changed, and it was opened", i)
		}
		if _, err := opened(t, identity, box[:i]); err == nil {
			t.Errorf("it was cut after %d bytes, and opened", i)
		}
	}
}

func TestWhatIsNoKeyIsRefusedWithoutBeingRepeated(t *testing.T) {
	identity, recipient := newKey(t)
	for name, text := range map[string]string{
		"nothing": "", "the other key of a pair": recipient, "a key with a wrong letter": identity[:30] + "B" + identity[31:],
	} {
		if _, err := With(text); !errors.Is(err, ErrKey) || text != "" && strings.Contains(err.Error(), text[5:]) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"nothing": "", "the other key of a pair": identity, "a line's end": recipient + "\n",
	} {
		if _, err := For(text); !errors.Is(err, ErrKey) || text != "" && strings.Contains(err.Error(), text[5:]) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
