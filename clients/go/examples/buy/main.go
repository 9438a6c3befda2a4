// Command buy buys a product once, whatever crashes in between: buy ORDER PRODUCT [TOKEN]. Run it again
// with the same ORDER: nothing is paid twice.
package main

import (
	"context"
	"fmt"
	"os"

	"payqueued"
	"payqueued/examples/internal/shop"
)

func main() {
	if len(os.Args) < 3 || len(os.Args) > 4 {
		shop.Usage("buy ORDER PRODUCT [TOKEN]")
	}
	token := ""
	if len(os.Args) == 4 {
		token = os.Args[3]
	}
	shop.End(buy(os.Args[1], os.Args[2], token))
}

func buy(order, product, token string) error {
	path, err := shop.Kept("KEYS", "keys.json")
	if err != nil {
		return err
	}
	client := payqueued.New(payqueued.Options{Name: "buy"})
	defer client.Close()
	ctx := context.Background()
	bought, err := client.BuyOnce(ctx, payqueued.KeyFile{Path: path}, order, product, token)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %s\n", order, shop.Describe(*bought))
	if err := shop.Settle(*bought); err != nil {
		return err
	}
	finished, err := client.Finish(ctx, payqueued.FinishParams{Transaction: bought.ID})
	if err != nil {
		return err
	}
	fmt.Println("finish:", finished.Disposition)
	if bought.TransactionState != payqueued.TransactionStatePurchased || bought.Revocation != nil {
		return shop.ErrNotBought
	}
	return nil
}
