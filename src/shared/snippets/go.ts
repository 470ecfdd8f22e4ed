/** The program that verifies a delivery in Go, with what its standard library has. */
import { literal, SECRET_VARIABLE, type SnippetLanguage } from './snippet.ts'

const text = (value: string) => literal(value, (base64) => `string(decode("${base64}"))`)

export const go: SnippetLanguage = {
  id: 'go',
  name: 'Go',
  file: 'verify.go',
  run: 'go run verify.go',
  write: ({ bodyBase64, url, timestamp, signature }) => `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
)

// Verify tells whether a delivery is genuine. body: the raw bytes, before any parser; url: as registered;
// timestamp and signature: the values of their headers.
func Verify(body []byte, url, timestamp, signature, secret string) bool {
	sign := func(parts ...[]byte) []byte {
		mac := hmac.New(sha256.New, []byte(secret))
		for _, part := range parts {
			mac.Write(part)
		}
		return []byte(base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	expected := sign(sign(body, []byte(url), []byte(timestamp)))
	return hmac.Equal(expected, []byte(signature))
}

func decode(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return data
}

// One delivery, to try it on.
func main() {
	secret := os.Getenv("${SECRET_VARIABLE}")
${
  bodyBase64 === null
    ? `	body, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}`
    : `	body := decode("${bodyBase64}")`
}
	url := ${text(url)}
	timestamp := ${text(timestamp)}
	signature := ${text(signature)}
	if !Verify(body, url, timestamp, signature, secret) {
		fmt.Println("not valid")
		os.Exit(1)
	}
	fmt.Println("valid")
}
`,
}
