// The gateway that a scenario talks to, and what all scenarios compare.
package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
)

const region = "us-east-1"

var (
	endpoint  = os.Getenv("ENDPOINT")
	accessKey = os.Getenv("ACCESS_KEY")
	secretKey = os.Getenv("SECRET_KEY")
	bucket    = os.Getenv("BUCKET")
	small     = randomBytes(70_000)
	// More than the part size of each of the clients.
	large = randomBytes(26<<20 + 5)
)

func randomBytes(size int) []byte {
	bytes := make([]byte, size)
	rand.Read(bytes)
	return bytes
}

// check ends the scenario if something went wrong.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// must returns the value of a call that did not fail.
func must[Value any](value Value, err error) Value {
	check(err)
	return value
}

// contentOf reads to the end.
func contentOf(source io.Reader) []byte {
	return must(io.ReadAll(source))
}

// same compares bytes by their hash, so that a failure does not print them.
func same(got, expected []byte) {
	if sha256.Sum256(got) != sha256.Sum256(expected) {
		panic(fmt.Sprintf("got %d other bytes than the %d expected", len(got), len(expected)))
	}
}

// sameKeys compares a listing with the keys that it must have.
func sameKeys(got []string, expected ...string) {
	if !slices.Equal(got, expected) {
		panic(fmt.Sprintf("got the keys %q, expected %q", got, expected))
	}
}

// send sends a request as a browser does with a presigned URL.
func send(method, url string, body []byte) []byte {
	request := must(http.NewRequest(method, url, bytes.NewReader(body)))
	reply := must(http.DefaultClient.Do(request))
	defer reply.Body.Close()
	content := contentOf(reply.Body)
	if reply.StatusCode != http.StatusOK {
		panic(fmt.Sprintf("%s: %s", reply.Status, content))
	}
	return content
}
