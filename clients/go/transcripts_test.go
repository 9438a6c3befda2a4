package payqueued

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// results has a value of the type of each result that the golden conversations show.
var results = map[string]func() any{
	"add": func() any { return new(AddResult) }, "check": func() any { return new(CheckResult) },
	"events": func() any { return new(EventsResult) }, "finish": func() any { return new(FinishResult) },
	"hello": func() any { return new(HelloResult) }, "help": func() any { return new(HelpResult) },
	"keys": func() any { return new(KeysResult) }, "login": func() any { return new(LoginResult) },
	"logout": func() any { return new(LogoutResult) }, "ping": func() any { return new(PingResult) },
	"observers":     func() any { return new(ObserversResult) },
	"products":      func() any { return new(ProductsResult) },
	"signedHistory": func() any { return new(SignedHistoryResult) },
	"storefront":    func() any { return new(StorefrontResult) },
	"subscribe":     func() any { return new(SubscribeResult) },
	"test.get":      func() any { return new(TestSettings) },
	"test.orders":   func() any { return new(TestOrdersResult) },
	"test.set":      func() any { return new(TestSettings) },
	"transactions":  func() any { return new(TransactionsResult) },
	"unsubscribe":   func() any { return new(UnsubscribeResult) },
	"wait":          func() any { return new(WaitResult) },
}

// strictly decodes and finds members that the type does not have.
func strictly(text []byte, value any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(value)
}

func TestWhatADaemonSendsFitsTheTypes(t *testing.T) {
	files, _ := filepath.Glob("../transcripts/*.jsonl")
	if len(files) == 0 {
		t.Skip("the golden conversations are not here")
	}
	number := regexp.MustCompile(`"\$(n|uid|gid)\d+"`)
	checked := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		methods := map[string]string{}
		for _, line := range strings.Split(number.ReplaceAllString(string(text), "7"), "\n") {
			var step struct {
				Asked json.RawMessage `json:">"`
				Came  json.RawMessage `json:"<"`
			}
			_ = json.Unmarshal([]byte(line), &step)
			var asked, came message
			if json.Unmarshal(step.Asked, &asked) == nil && asked.Method != "" {
				methods[string(asked.ID)] = asked.Method
			}
			if json.Unmarshal(step.Came, &came) != nil {
				continue // a batch, or a remark
			}
			method := methods[string(came.ID)]
			switch {
			case came.isNotification():
				found, err := readNotification(came.Method, came.Params)
				if err == nil && found.Event != nil {
					err = strictly(came.Params, new(EventNotice))
				}
				if err != nil {
					t.Errorf("%s: '%s': %v in %s", file, came.Method, err, came.Params)
				}
				checked[came.Method]++
			case came.isReply() && came.Result != nil && results[method] != nil:
				if err := strictly(came.Result, results[method]()); err != nil {
					t.Errorf("%s: '%s': %v in %s", file, method, err, came.Result)
				}
				checked[method]++
			case came.isReply() && came.Result != nil && method != "":
				t.Errorf("%s: '%s' has no type in this test", file, method)
			}
		}
	}
	if checked["event"] < 20 || checked["add"] < 10 || len(checked) < 15 {
		t.Error("too little was checked: ", checked)
	}
}
