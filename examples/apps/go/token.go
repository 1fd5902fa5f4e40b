package main

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"os"
	"time"
)

const tokenLifetime = 10 * time.Minute

type signer struct {
	key *ecdsa.PrivateKey
	id  string
}

// readSigner reads an EC P-256 key in PKCS #8.
func readSigner(file, id string) (signer, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return signer{}, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return signer{}, errors.New("the signing key is not PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return signer{}, err
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok {
		return signer{}, errors.New("the signing key is not EC")
	}
	return signer{key: key, id: id}, nil
}

// userToken signs a JWT with ES256 (RFC 7515, RFC 7518 section 3.4). github.com/golang-jwt/jwt does the same.
func (s signer) userToken(audience, subject string) (string, error) {
	now := time.Now()
	header, err := json.Marshal(map[string]string{"alg": "ES256", "typ": "JWT", "kid": s.id})
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(map[string]any{
		"aud": audience, "sub": subject, "iat": now.Unix(), "exp": now.Add(tokenLifetime).Unix(),
	})
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString(header) + "." + base64.RawURLEncoding.EncodeToString(claims)
	digest := sha256.Sum256([]byte(text))
	r, sValue, err := ecdsa.Sign(rand.Reader, s.key, digest[:])
	if err != nil {
		return "", err
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	sValue.FillBytes(signature[32:])
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}
