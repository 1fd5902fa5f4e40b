package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tolerance    = 5 * time.Minute
	bodyBytesMax = 8 << 20
	eventsMax    = 20
)

// inbox holds the latest events of each user. Keep yours in a database.
type inbox struct {
	key    []byte
	mutex  sync.Mutex
	events map[string][]event
}

type event struct {
	ID     string          `json:"id"`
	Type   string          `json:"type"`
	UserID string          `json:"userId"`
	Object json.RawMessage `json:"object"`
}

func newInbox(secret string) (*inbox, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	return &inbox{key: key, events: map[string][]event{}}, err
}

func (i *inbox) of(userID string) []event {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return append([]event{}, i.events[userID]...)
}

// receive takes what the gateway sends: an answer of 2xx means that the event is safe here.
func (i *inbox) receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyBytesMax))
	var received event
	if err != nil || !i.isSigned(r.Header, body) || json.Unmarshal(body, &received) != nil {
		http.Error(w, "not signed for us", http.StatusBadRequest)
		return
	}
	i.keep(received)
	w.WriteHeader(http.StatusNoContent)
}

// keep drops what it has: each event comes at least once, always under the same id.
func (i *inbox) keep(received event) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	known := i.events[received.UserID]
	for _, one := range known {
		if one.ID == received.ID {
			return
		}
	}
	known = append([]event{received}, known...)
	if len(known) > eventsMax {
		known = known[:eventsMax]
	}
	i.events[received.UserID] = known
}

// isSigned checks the signature over the raw body, as Standard Webhooks says.
func (i *inbox) isSigned(header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if id == "" || err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, i.key)
	fmt.Fprintf(mac, "%s.%s.", id, timestamp)
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(given), []byte(expected)) {
			return true
		}
	}
	return false
}
