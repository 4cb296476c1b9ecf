package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// tokens signs in and keeps the access token fresh.
type tokens struct {
	config Config

	mutex   sync.Mutex
	access  string
	refresh string
	ends    time.Time // of the access token
}

// leeway is the life that a token must have left for a request.
const leeway = 10 * time.Second

// answerLimit is the largest answer of a token call, in bytes.
const answerLimit = 1 << 20

// authorization returns the header for a request. It signs in or refreshes at need; requests that come meanwhile wait.
func (t *tokens) authorization(ctx context.Context) (string, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.access != "" && time.Now().Before(t.ends) {
		return "Bearer " + t.access, nil
	}
	if t.refresh != "" {
		form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {t.refresh}}
		t.refresh = ""
		err := t.ask(ctx, form)
		if err == nil {
			return "Bearer " + t.access, nil
		}
	}
	form := url.Values{"grant_type": {"password"}, "username": {t.config.Username}, "password": {t.config.Password}}
	if t.config.Username == "" {
		form = url.Values{"grant_type": {"client_credentials"}}
	}
	err := t.ask(ctx, form)
	if err != nil {
		return "", err
	}
	return "Bearer " + t.access, nil
}

// forget drops the access token of a header that the gateway refused.
func (t *tokens) forget(authorization string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if authorization == "Bearer "+t.access {
		t.access = ""
	}
}

// ask makes a token call. It fails with an *Error when the gateway refuses.
func (t *tokens) ask(ctx context.Context, form url.Values) error {
	address := t.config.URL + "/api/auth/v1/realms/" + url.PathEscape(t.config.Realm) + "/token"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return fmt.Errorf("sign in: %w", err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(url.QueryEscape(t.config.ClientID), url.QueryEscape(t.config.ClientSecret))
	answer, err := t.config.HTTP.Do(request)
	if err != nil {
		return fmt.Errorf("sign in: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, answerLimit))
	if err != nil {
		return fmt.Errorf("sign in: %w", err)
	}
	var set struct {
		Access    string `json:"access_token"`
		Refresh   string `json:"refresh_token"`
		ExpiresIn int    `json:"expires_in"`
		ErrorCode string `json:"errorCode"`
		Message   string `json:"message"`
	}
	err = json.Unmarshal(body, &set)
	if answer.StatusCode != http.StatusOK {
		return &Error{Status: answer.StatusCode, Code: set.ErrorCode, Message: set.Message}
	}
	if err != nil {
		return fmt.Errorf("sign in: %w", err)
	}
	t.access, t.refresh = set.Access, set.Refresh
	t.ends = time.Now().Add(time.Duration(set.ExpiresIn)*time.Second - leeway)
	return nil
}
