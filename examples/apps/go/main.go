// Users connect a CRM account and see their contacts. Nothing but the standard library.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
)

var (
	appURL     = os.Getenv("APP_URL")
	gatewayURL = os.Getenv("GATEWAY_URL")
	projectID  = os.Getenv("PROJECT_ID")
	// Stands for the users of your own database.
	users  = map[string]string{"user-ada": "Ada", "user-ben": "Ben"}
	policy = fmt.Sprintf("default-src 'self'; script-src 'self' %[1]s; connect-src 'self' %[1]s; img-src data:; "+
		"frame-ancestors 'none'; base-uri 'none'", gatewayURL)
)

func main() {
	// An empty key signs as well, so that any caller could write sessions and events.
	for _, name := range []string{"SESSION_SECRET", "EVENT_SECRET"} {
		if os.Getenv(name) == "" {
			log.Fatal(name, " is not set; see .env.example")
		}
	}
	signer, err := readSigner(os.Getenv("SIGNING_KEY_FILE"), os.Getenv("SIGNING_KEY_ID"))
	if err != nil {
		log.Fatal(err)
	}
	inbox, err := newInbox(os.Getenv("EVENT_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	sessions := sessions{key: []byte(os.Getenv("SESSION_SECRET"))}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir("public")))
	mux.HandleFunc("/sign-in", post(func(w http.ResponseWriter, r *http.Request) {
		if id := r.PostFormValue("user"); users[id] != "" {
			http.SetCookie(w, sessions.cookie(id))
		}
		http.Redirect(w, r, "/", http.StatusSeeOther)
	}))
	mux.HandleFunc("/sign-out", post(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: cookieName, Path: "/", MaxAge: -1})
		http.Redirect(w, r, "/", http.StatusSeeOther)
	}))
	mux.HandleFunc("/session", func(w http.ResponseWriter, r *http.Request) {
		answer := map[string]any{
			"user": nil, "gatewayUrl": gatewayURL, "projectId": projectID, "provider": os.Getenv("PROVIDER"),
		}
		if id := sessions.user(r); id != "" {
			answer["user"] = map[string]string{"id": id, "name": users[id]}
		}
		writeJSON(w, answer)
	})
	// For the user who is signed in, never for one whom the request names. Short-lived: the page asks again.
	mux.HandleFunc("/token", post(sessions.required(func(w http.ResponseWriter, _ *http.Request, id string) {
		token, err := signer.userToken(projectID, id)
		if err != nil {
			http.Error(w, "no token", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		fmt.Fprint(w, token)
	})))
	mux.HandleFunc("/received", sessions.required(func(w http.ResponseWriter, _ *http.Request, id string) {
		writeJSON(w, inbox.of(id))
	}))
	mux.HandleFunc("/events", inbox.receive)
	fmt.Println("Open", appURL)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), withPolicy(mux)))
}

func withPolicy(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		next.ServeHTTP(w, r)
	})
}

// post guards against cross-site request forgery: browsers say which page sends a POST.
func post(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.Header.Get("Origin") != strings.TrimSuffix(appURL, "/") {
			http.Error(w, "another site", http.StatusForbidden)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, 4096)
		next(w, r)
	}
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		log.Print(err)
	}
}
