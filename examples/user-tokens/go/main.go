package main

import (
	"fmt"
	"log"
	"os"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

func userToken(userID string) (string, error) {
	pem, err := os.ReadFile(os.Getenv("SIGNING_KEY_FILE"))
	if err != nil {
		return "", err
	}
	privateKey, err := jwt.ParseECPrivateKeyFromPEM(pem)
	if err != nil {
		return "", err
	}
	now := time.Now()
	token := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.RegisteredClaims{
		Audience:  jwt.ClaimStrings{os.Getenv("PROJECT_ID")},
		Subject:   userID,
		IssuedAt:  jwt.NewNumericDate(now),
		ExpiresAt: jwt.NewNumericDate(now.Add(time.Hour)),
	})
	token.Header["kid"] = os.Getenv("SIGNING_KEY_ID")
	return token.SignedString(privateKey)
}

func main() {
	token, err := userToken(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(token)
}
