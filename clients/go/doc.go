// Package payqueued is a client of payqueued, the payment queue daemon. It needs nothing but Go's
// standard library.
//
//	client := payqueued.New(payqueued.Options{Name: "worker"})
//	err := client.Work(ctx, payqueued.Worker{Unlock: deliver})
//
// A Client has one method for each of the daemon, with the types of the contract, and those that keep
// a client honest: BuyOnce, Work and Subscribe. Later daemons may send states, kinds and members that
// this package does not know: members are left out, words come as they are.
package payqueued
