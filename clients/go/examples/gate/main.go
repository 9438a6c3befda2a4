// Command gate answers the question whether a purchase continues in another country, up to a price:
// gate HIGHEST [--once].
package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"os/signal"
	"regexp"
	"syscall"

	"payqueued"
	"payqueued/examples/internal/shop"
)

func main() {
	if len(os.Args) < 2 || !regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`).MatchString(os.Args[1]) {
		shop.Usage("gate HIGHEST [--once], where HIGHEST is an amount such as 5.00")
	}
	highest, _ := new(big.Rat).SetString(os.Args[1])
	isOnce := len(os.Args) > 2 && os.Args[2] == "--once"
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	client := payqueued.New(payqueued.Options{Name: "gate"})
	defer client.Close()
	err := gate(ctx, client, highest, isOnce)
	if ctx.Err() != nil {
		err = nil
	}
	shop.End(err)
}

// gate sets the policy and answers. The policy is one for the whole queue and outlives this program:
// without a program that answers, each question would wait for its time to run out. So it is put back at
// the end, as far as there is one: a gate that was killed leaves "ask" behind, and so does the last of
// several.
func gate(ctx context.Context, client *payqueued.Client, highest *big.Rat, isOnce bool) error {
	found, err := client.Delegate(ctx, payqueued.DelegateParams{})
	if err != nil {
		return err
	}
	_, err = client.Delegate(ctx, payqueued.DelegateParams{
		Mode: payqueued.DelegateModeAsk, Timeout: payqueued.Some(60.0), Fallback: payqueued.Some(false),
	})
	if err == nil {
		err = answerAll(ctx, client, highest, isOnce)
	}
	_, err2 := client.Delegate(context.Background(), payqueued.DelegateParams{
		Mode: found.Mode, Timeout: &found.Timeout, Fallback: &found.Fallback,
	})
	if err == nil {
		err = err2
	}
	return err
}

// answerAll answers what is open and what comes; with --once only until the first that came.
func answerAll(ctx context.Context, client *payqueued.Client, highest *big.Rat, isOnce bool) error {
	// Subscribed before the list is asked for, so that none is missed in between.
	opened := client.Subscribe(payqueued.SubscribeParams{
		Kinds: []payqueued.EventKind{payqueued.EventKindQuestionOpened}, After: "now",
	}, nil)
	defer opened.Close()
	if err := opened.Open(ctx); err != nil {
		return err
	}
	waiting, err := client.Questions(ctx)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for _, question := range waiting.Questions {
		err := decide(ctx, client, highest, question.Question, question.Transaction, question.Product)
		if err != nil {
			return err
		}
	}
	for {
		found, err := opened.Next(ctx)
		if err != nil {
			return err
		}
		event := found.Event
		if event == nil || event.Kind != payqueued.EventKindQuestionOpened ||
			event.Type != payqueued.QuestionTypeShouldContinue {
			continue
		}
		err = decide(ctx, client, highest, event.Question, event.Transaction, event.Product)
		if err != nil || isOnce {
			return err
		}
	}
}

// decide answers one question by the price that is asked now.
func decide(
	ctx context.Context, client *payqueued.Client, highest *big.Rat, question, transaction string,
	product *payqueued.Product,
) error {
	if product == nil && transaction != "" {
		page, err := client.Transactions(ctx, payqueued.TransactionsParams{IDs: []string{transaction}})
		if err != nil {
			return err
		}
		product = &page.Transactions[0].Payment.Product
	}
	isLowEnough, amount := false, "an unknown price"
	if product != nil {
		amount = product.Price.Amount
		price, isNumber := new(big.Rat).SetString(amount)
		isLowEnough = isNumber && price.Cmp(highest) <= 0
	}
	_, err := client.Answer(ctx, payqueued.AnswerParams{Question: question, Value: isLowEnough})
	var refused *payqueued.ServerError
	if errors.As(err, &refused) {
		fmt.Println(err)
		return nil
	}
	if err == nil {
		fmt.Println("shouldContinue", amount, isLowEnough)
	}
	return err
}
