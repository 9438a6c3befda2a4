// Package shop stands for the application in these examples: a file of unlocked products, a line for
// each order, and how the examples end.
package shop

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"payqueued"
)

// ErrNotBought: the purchase failed, or was refunded meanwhile.
var ErrNotBought = errors.New("nothing was bought")

// Kept is the path of a file that outlives the program: what a variable names, or one in the user's state
// directory, never in the directory that the program is started from.
func Kept(variable, name string) (string, error) {
	if named := os.Getenv(variable); named != "" {
		return named, nil
	}
	state := os.Getenv("XDG_STATE_HOME")
	if state == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		state = filepath.Join(home, ".local", "state")
	}
	folder := filepath.Join(state, "payqueued-examples")
	return filepath.Join(folder, name), os.MkdirAll(folder, 0o700)
}

// Settle unlocks what may be unlocked and takes back what was refunded. It is on disk before this
// returns, because the finish comes next. Two transactions of one order are unlocked once.
func Settle(transaction payqueued.Transaction) error {
	order := transaction.TransactionIdentifier
	switch {
	case transaction.MayUnlock():
		return write(order, transaction.Payment.Product.ProductIdentifier)
	case transaction.Revocation != nil:
		return write(order, "")
	}
	return nil
}

// Hear takes back what was refunded after it was finished.
func Hear(found payqueued.Notification) error {
	if found.Event == nil || found.Event.Kind != payqueued.EventKindEntitlementsRevoked {
		return nil
	}
	for _, order := range found.Event.Orders {
		if err := write(order, ""); err != nil {
			return err
		}
	}
	return nil
}

// write makes a product that of an order; none removes it. Programs take turns.
func write(order, product string) error {
	path, err := Kept("GOODS", "goods.txt")
	if err != nil {
		return err
	}
	unlock, err := payqueued.LockFile(path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	var lines []string
	for _, line := range strings.Split(string(text), "\n") {
		if line != "" && !strings.HasPrefix(line, order+" ") {
			lines = append(lines, line)
		}
	}
	if product != "" {
		lines = append(lines, order+" "+product)
	}
	changed := strings.Join(append(lines, ""), "\n")
	if changed == string(text) {
		return nil
	}
	return payqueued.ReplaceFile(path, []byte(changed), true)
}

// Describe is a transaction in a few words: what was bought, for whom or by whom, and where it stands.
func Describe(transaction payqueued.Transaction) string {
	words := []string{
		transaction.Payment.Product.ProductIdentifier, string(transaction.TransactionState),
	}
	if token := transaction.Payment.AppAccountToken; token != "" {
		words = append(words, "for "+token)
	} else if transaction.By != nil && transaction.By.Client != "" {
		words = append(words, "by "+transaction.By.Client)
	}
	if transaction.WaitingFor != "" {
		words = append(words, "waits for "+string(transaction.WaitingFor))
	}
	if transaction.Offer != "" {
		words = append(words, string(transaction.Offer))
	}
	if transaction.Revocation != nil {
		words = append(words, "refunded")
	}
	if transaction.FailureReason != "" {
		words = append(words, transaction.FailureReason)
	}
	return strings.Join(words, " ")
}

// Usage ends the program because it was not called like this.
func Usage(words string) {
	fmt.Fprintln(os.Stderr, "usage:", words)
	os.Exit(3)
}

// End ends the program: 0 done, 1 refused by the daemon, 2 no answer, 4 still waiting.
func End(err error) {
	var refused *payqueued.ServerError
	var gone *payqueued.LeftTheQueue
	var waiting *payqueued.StillWaiting
	if err == nil {
		os.Exit(0)
	}
	fmt.Fprintln(os.Stderr, err)
	switch {
	case errors.As(err, &gone) && gone.Reason == payqueued.RemovalReasonFinished:
		os.Exit(0)
	case errors.As(err, &waiting):
		os.Exit(4)
	case errors.As(err, &refused), errors.As(err, &gone), errors.Is(err, ErrNotBought):
		os.Exit(1)
	}
	os.Exit(2)
}
