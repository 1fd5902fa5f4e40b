package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	tolerance    = 5 * time.Minute
	bodyBytesMax = 8 << 20
)

type receiver struct {
	keys  [][]byte // the newest first; two while you rotate
	inbox string   // a folder
}

func (r receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, bodyBytesMax))
	if err != nil || !r.isSigned(request.Header, body) {
		http.Error(w, "not signed for us", http.StatusBadRequest)
		return
	}
	id := request.Header.Get("webhook-id")
	isNew, err := r.store(id, body)
	if err != nil {
		log.Print(err)
		http.Error(w, "not stored", http.StatusInternalServerError) // the gateway sends the event again
		return
	}
	w.WriteHeader(http.StatusNoContent)
	if isNew {
		fmt.Println("stored", id)
	}
}

func (r receiver) isSigned(header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if id == "" || err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	for _, key := range r.keys {
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.", id, timestamp)
		mac.Write(body)
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, given := range strings.Fields(header.Get("webhook-signature")) {
			if hmac.Equal([]byte(given), []byte(expected)) {
				return true
			}
		}
	}
	return false
}

// store keeps the event on disk and tells whether it is new. In a database that is
// INSERT INTO inbox (id, body) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING.
func (r receiver) store(id string, body []byte) (bool, error) {
	file, err := os.CreateTemp(r.inbox, "*.part")
	if err != nil {
		return false, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if _, err = file.Write(body); err != nil {
		return false, err
	}
	if err = file.Sync(); err != nil {
		return false, err
	}
	err = os.Link(file.Name(), filepath.Join(r.inbox, filepath.Base(id)+".json"))
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

func main() {
	r := receiver{inbox: os.Getenv("INBOX_FOLDER")}
	for _, secret := range strings.Fields(os.Getenv("EVENT_SECRETS")) {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			log.Fatal(err)
		}
		r.keys = append(r.keys, key)
	}
	http.Handle("/events", r)
	log.Fatal(http.ListenAndServe(":"+os.Getenv("PORT"), nil))
}
