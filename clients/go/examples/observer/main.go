// Command observer unlocks what was bought and finishes it, until Ctrl-C.
package main

import (
	"context"
	"fmt"
	"os/signal"
	"syscall"

	"payqueued"
	"payqueued/examples/internal/shop"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	client := payqueued.New(payqueued.Options{Name: "observer"})
	settle := func(word string) func(context.Context, payqueued.Transaction) error {
		return func(_ context.Context, transaction payqueued.Transaction) error {
			if err := shop.Settle(transaction); err != nil {
				return err
			}
			fmt.Println(word, shop.Describe(transaction))
			return nil
		}
	}
	shop.End(client.Work(ctx, payqueued.Worker{
		Unlock: settle("unlocked"),
		Refuse: settle("refused"),
		Notify: func(found payqueued.Notification) {
			if err := shop.Hear(found); err != nil {
				fmt.Println("cannot take back what was refunded:", err)
			}
			if found.CaughtUp != nil {
				fmt.Println("ready")
			}
		},
	}))
}
