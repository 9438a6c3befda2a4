package payqueued

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// request is what a client sent.
type request struct {
	ID     any            `json:"id"`
	Method string         `json:"method"`
	Params map[string]any `json:"params"`
}

// connection is a client's connection to a daemon that says what a test wants.
type connection struct {
	net.Conn
	t *testing.T
}

func (c connection) say(message map[string]any) {
	message["jsonrpc"] = "2.0"
	line, err := json.Marshal(message)
	if err != nil {
		c.t.Error(err)
	}
	_, _ = c.Write(append(line, '\n'))
}

func (c connection) reply(asked request, result any) {
	c.say(map[string]any{"id": asked.ID, "result": result})
}

func (c connection) notify(method string, params map[string]any) {
	c.say(map[string]any{"method": method, "params": params})
}

// serve answers each request but `hello` on a socket of its own, whose path it returns.
func serve(t *testing.T, answer func(connection, request)) string {
	path := filepath.Join(t.TempDir(), "pay.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			accepted, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				lines := bufio.NewScanner(accepted)
				for lines.Scan() {
					var asked request
					_ = json.Unmarshal(lines.Bytes(), &asked)
					if asked.Method != "hello" {
						answer(connection{accepted, t}, asked)
					}
				}
			}()
		}
	}()
	return path
}

func newClient(t *testing.T, path string) *Client {
	client := New(Options{Socket: path, Timeout: 10 * time.Second})
	t.Cleanup(client.Close)
	return client
}

func bought(id string, more map[string]any) map[string]any {
	found := map[string]any{
		"id": id, "transactionState": "purchased", "transactionIdentifier": "order-" + id,
		"revision": 1, "payment": map[string]any{"product": map[string]any{"productIdentifier": "coins.100"}},
	}
	for name, value := range more {
		found[name] = value
	}
	return found
}

func TestALostAnswerIsAskedForAgainWithTheSameKey(t *testing.T) {
	asked := make(chan request, 2)
	client := newClient(t, serve(t, func(c connection, found request) {
		asked <- found
		if len(asked) == 1 {
			c.Close()
			return
		}
		c.reply(found, map[string]any{"transaction": "t", "state": "purchasing", "new": "of later"})
	}))
	added, err := client.Add(context.Background(), AddParams{Product: "coins.100"})
	if err != nil || added.Transaction != "t" {
		t.Fatal(added, err)
	}
	first, second := <-asked, <-asked
	if first.Params["key"] == nil || !reflect.DeepEqual(first.Params, second.Params) {
		t.Error(first, second)
	}
}

func TestWhatMayNotBeRepeatedIsNot(t *testing.T) {
	asked := make(chan request, 2)
	client := newClient(t, serve(t, func(c connection, found request) {
		asked <- found
		c.Close()
	}))
	_, err := client.Decide(
		context.Background(), DecideParams{Transaction: "t", Outcome: DecideOutcomeApprove})
	if !errors.Is(err, ErrConnectionLost) || len(asked) != 1 {
		t.Error(err, len(asked))
	}
}

func TestACallEndsInTimeAndTheDaemonIsToldToStopWaiting(t *testing.T) {
	asked := make(chan request, 2)
	client := newClient(t, serve(t, func(_ connection, found request) { asked <- found }))
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := client.Wait(ctx, WaitParams{Transaction: "t"})
	if !errors.Is(err, ErrTimedOut) {
		t.Error(err)
	}
	waited, cancelled := <-asked, <-asked
	if waited.Method != "wait" || cancelled.Method != "cancel" || cancelled.Params["id"] != waited.ID {
		t.Error(waited, cancelled)
	}
}

func TestAnErrorKeepsAllThatCame(t *testing.T) {
	client := newClient(t, serve(t, func(c connection, found request) {
		c.say(map[string]any{"id": found.ID, "error": map[string]any{
			"code": -32006, "message": "The daemon is being stopped", "data": map[string]any{
				"kind": "draining", "retry": "later", "retryAfterMs": 1500, "effect": "none",
			},
		}})
	}))
	_, err := client.Login(context.Background(), LoginParams{Account: "demo"})
	var refused *ServerError
	if !errors.As(err, &refused) || !IsCode(err, CodeDraining) || refused.Retry != "later" ||
		refused.RetryAfter != 1500*time.Millisecond || refused.Effect != "none" {
		t.Errorf("%#v", err)
	}
}

func TestAfterCloseNothingConnectsAgain(t *testing.T) {
	asked := make(chan request, 1)
	client := newClient(t, serve(t, func(_ connection, found request) { asked <- found }))
	ended := make(chan error)
	go func() {
		_, err := client.Wait(context.Background(), WaitParams{Transaction: "t"})
		ended <- err
	}()
	<-asked
	client.Close()
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if _, err := client.Ping(context.Background(), PingParams{}); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestASubscriptionGoesOnBehindWhatWasHandled(t *testing.T) {
	asked := make(chan request, 3)
	client := newClient(t, serve(t, func(c connection, found request) {
		asked <- found
		if found.Params["after"] == float64(5) && len(asked) == 2 {
			c.say(map[string]any{"id": found.ID, "error": map[string]any{
				"code": 1302, "data": map[string]any{"kind": "cursorAhead"},
			}})
			return
		}
		c.reply(found, map[string]any{"subscription": "s1", "epoch": "e", "head": 5, "oldest": 1})
		c.notify("perhaps", map[string]any{"seq": 4})
		c.notify("event", map[string]any{
			"subscription": "s1", "seq": 5, "prev": 4, "kind": "somethingLater", "time": "t",
		})
		if len(asked) == 1 {
			c.Close()
		}
	}))
	cursor := CursorFile{Path: filepath.Join(t.TempDir(), "cursor.json")}
	subscription := client.Subscribe(SubscribeParams{}, &cursor)
	var methods []string
	for len(methods) < 8 {
		found, err := subscription.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		methods = append(methods, found.Method)
		if found.Event != nil && len(methods) == 3 {
			continue
		}
		if len(methods) == 6 {
			break
		}
	}
	wanted := []string{"opened", "perhaps", "event", "opened", "gap", "perhaps"}
	if !reflect.DeepEqual(methods, wanted) {
		t.Error(methods)
	}
	if first := (<-asked).Params; first["after"] != nil {
		t.Error(first)
	}
	if second := (<-asked).Params; second["after"] != float64(5) || second["epoch"] != "e" {
		t.Error(second)
	}
	if epoch, seq, err := cursor.Load(); epoch != "e" || seq != 5 || err != nil {
		t.Error(epoch, seq, err)
	}
}

func TestAWorkerUnlocksWhatItMayAndFinishesAll(t *testing.T) {
	finished := make(chan string, 8)
	refund := map[string]any{"at": "2026-01-05T10:00:00.000Z", "reason": "refund"}
	path := serve(t, func(c connection, found request) {
		if found.Method == "finish" {
			id, _ := found.Params["transaction"].(string)
			c.reply(found, map[string]any{"transaction": id, "disposition": "completing", "seq": 9})
			finished <- id
			return
		}
		c.reply(found, map[string]any{"subscription": "s1", "epoch": "e"})
		c.notify("event", map[string]any{
			"seq": 1, "kind": "transactionsUpdated", "redelivery": true, "transactions": []any{
				bought("finished before", nil), bought("of later", map[string]any{"transactionState": "pondered"}),
				bought("paid", map[string]any{"gift": true}),
				bought("refunded", map[string]any{"revocation": refund}),
				bought("begins later", map[string]any{"offer": "scheduled"}),
				bought("failed", map[string]any{"transactionState": "failed"}),
				bought("completing", map[string]any{"completing": true}),
			},
		})
		c.notify("event", map[string]any{"seq": 2, "kind": "ofLater", "novelties": []any{1}})
		c.notify("event", map[string]any{
			"seq": 3, "kind": "transactionsRemoved", "transactions": []any{bought("finished before", nil)},
		})
		c.notify("caughtUp", map[string]any{"subscription": "s1", "seq": 3})
	})
	client := newClient(t, path)
	ctx, stop := context.WithCancel(context.Background())
	var unlocked, refused []string
	ended := make(chan error)
	go func() {
		ended <- client.Work(ctx, Worker{
			Unlock: func(_ context.Context, found Transaction) error {
				unlocked = append(unlocked, found.ID)
				return nil
			},
			Refuse: func(_ context.Context, found Transaction) error {
				refused = append(refused, found.ID)
				return nil
			},
		})
	}()
	var ids []string
	for len(ids) < 4 {
		select {
		case id := <-finished:
			ids = append(ids, id)
		case err := <-ended:
			t.Fatal("it ended: ", err)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if !reflect.DeepEqual(ids, []string{"paid", "refunded", "begins later", "failed"}) {
		t.Error(ids)
	}
	if !reflect.DeepEqual(unlocked, []string{"paid"}) || len(refused) != 3 {
		t.Error(unlocked, refused)
	}
}

func TestAFailedDeliveryIsHandedOutAgainAndNotFinished(t *testing.T) {
	finished := make(chan string, 1)
	path := serve(t, func(c connection, found request) {
		switch found.Method {
		case "subscribe":
			c.reply(found, map[string]any{"subscription": "s1", "epoch": "e"})
			c.notify("event", map[string]any{
				"seq": 1, "kind": "transactionsUpdated", "transactions": []any{bought("t", nil)},
			})
			c.notify("caughtUp", map[string]any{"seq": 1})
		case "transactions":
			c.reply(found, map[string]any{"transactions": []any{bought("t", nil)}, "seq": 1})
		case "finish":
			c.reply(found, map[string]any{"disposition": "completing"})
			finished <- "t"
		}
	})
	tries := 0
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error)
	go func() {
		ended <- newClient(t, path).Work(ctx, Worker{
			RetryEvery: 10 * time.Millisecond,
			Report:     func(error) {},
			Unlock: func(context.Context, Transaction) error {
				if tries++; tries < 3 {
					return errors.New("the shop is closed")
				}
				return nil
			},
		})
	}()
	<-finished
	stop()
	if err := <-ended; err != nil || tries != 3 {
		t.Error(err, tries)
	}
}

func TestAKeyIsKeptAndThoseOfOthersStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	made := make(chan string)
	for i := 0; i < 4; i++ {
		go func() {
			key, err := KeyFile{path}.Key("order-1")
			if err != nil {
				t.Error(err)
			}
			made <- key
		}()
	}
	first := <-made
	for i := 0; i < 3; i++ {
		if key := <-made; key != first {
			t.Error(key, first)
		}
	}
	if err := (KeyFile{path}).Forget("order-1"); err != nil {
		t.Error(err)
	}
	if key, err := (KeyFile{path}).Key("order-1"); err != nil || key == first || key == "" {
		t.Error(key, err)
	}
}
