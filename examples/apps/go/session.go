package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	cookieName = "session"
	lifetime   = 8 * time.Hour
)

// sessions keeps who is signed in in a cookie, which carries an HMAC so that only this server can write one.
type sessions struct{ key []byte }

func (s sessions) sign(value string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(value))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (s sessions) cookie(id string) *http.Cookie {
	value := fmt.Sprintf("%s.%d", id, time.Now().Add(lifetime).Unix())
	return &http.Cookie{
		Name: cookieName, Value: value + "." + s.sign(value), Path: "/", MaxAge: int(lifetime.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(appURL, "https:"),
	}
}

// user gives the id of the user who is signed in, or nothing.
func (s sessions) user(r *http.Request) string {
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return ""
	}
	parts := strings.Split(cookie.Value, ".")
	if len(parts) != 3 || !hmac.Equal([]byte(parts[2]), []byte(s.sign(parts[0]+"."+parts[1]))) {
		return ""
	}
	until, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || time.Now().Unix() > until || users[parts[0]] == "" {
		return ""
	}
	return parts[0]
}

func (s sessions) required(next func(http.ResponseWriter, *http.Request, string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id := s.user(r)
		if id == "" {
			http.Error(w, "not signed in", http.StatusUnauthorized)
			return
		}
		next(w, r, id)
	}
}
