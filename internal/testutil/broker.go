package testutil

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
)

// Broker is a RabbitMQ node of one test: its own name, folders, ports on loopback and port mapper (epmd).
type Broker struct {
	program string
	home    string
	env     []string
	port    int
	secured int                 // the port with TLS; 0 for none
	files   map[string][]byte   // of TLS, by name in its folder
	owner   *syscall.Credential // nil: as we are
	queues  []string
	end     func() // the node, at once
	output  Log
}

// NewBroker starts a node with these queues, each with a dead-letter queue of the same name and ".rejected". It is for tests of the
// long tier, where a missing broker is a failure.
func NewBroker(t *testing.T, queues ...string) *Broker {
	t.Helper()
	return newBroker(t, nil, queues)
}

// NewSecuredBroker is NewBroker, which also listens with TLS under a certificate (PEM, like the others). There it asks for a certificate
// of the authority, and takes its common name for that of the user (SASL EXTERNAL).
func NewSecuredBroker(t *testing.T, authority, certificate, key []byte, queues ...string) *Broker {
	t.Helper()
	return newBroker(t, map[string][]byte{"authority.pem": authority, "certificate.pem": certificate, "key.pem": key}, queues)
}

func newBroker(t *testing.T, files map[string][]byte, queues []string) *Broker {
	t.Helper()
	Long(t)
	program, err := brokerProgram()
	if err != nil {
		t.Fatal(err)
	}
	b := &Broker{program: program, home: t.TempDir(), queues: queues, files: files}
	b.prepare(t)
	t.Cleanup(b.started(t, "epmd")) // reads its address and port from the environment
	b.Start(t)
	t.Cleanup(func() {
		b.Kill()
		if t.Failed() {
			t.Logf("the broker wrote:\n%s", b.output.String())
		}
	})
	return b
}

// brokerProgram finds the server's own script. Debian puts a wrapper into the PATH that insists on the service's user and folders.
func brokerProgram() (string, error) {
	const debian = "/usr/lib/rabbitmq/bin/rabbitmq-server"
	_, err := os.Stat(debian)
	if err == nil {
		return debian, nil
	}
	program, err := exec.LookPath("rabbitmq-server")
	if err != nil {
		return "", errors.New("RabbitMQ is not installed: make rabbitmq (Debian: rabbitmq-server)")
	}
	return program, nil
}

// prepare writes the node's configuration and gives its folder to the user it runs as.
func (b *Broker) prepare(t *testing.T) {
	t.Helper()
	ports := freePorts(t, 4)
	b.port = ports[0]
	in := func(name string) string { return filepath.Join(b.home, name) }
	b.env = append(
		os.Environ(), "HOME="+b.home, "RABBITMQ_NODENAME=countersign-"+strconv.Itoa(b.port)+"@localhost",
		"RABBITMQ_NODE_IP_ADDRESS=127.0.0.1", "RABBITMQ_NODE_PORT="+strconv.Itoa(b.port), "RABBITMQ_DIST_PORT="+strconv.Itoa(ports[1]),
		"ERL_EPMD_ADDRESS=127.0.0.1", "ERL_EPMD_PORT="+strconv.Itoa(ports[2]),
		"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1} -start_epmd false",
		"RABBITMQ_MNESIA_BASE="+in("data"), "RABBITMQ_LOG_BASE="+in("log"), "RABBITMQ_GENERATED_CONFIG_DIR="+in("generated"),
		"RABBITMQ_ENABLED_PLUGINS_FILE="+in("plugins"), "RABBITMQ_CONFIG_FILE="+in("rabbitmq.conf"),
		"RABBITMQ_ADVANCED_CONFIG_FILE="+in("advanced.config"), "RABBITMQ_CONF_ENV_FILE=/dev/null",
		"RUNNING_UNDER_SYSTEMD=true", // the script becomes the node instead of staying before it: one process to end
	)
	plugins, configuration := "[rabbitmq_amqp1_0].\n", "load_definitions = "+in("definitions.json")+
		"\nlog.file.level = warning\nvm_memory_high_watermark.absolute = 1GB\ndisk_free_limit.absolute = 10MB\n"
	if b.files != nil {
		b.secured = ports[3]
		plugins = "[rabbitmq_amqp1_0,rabbitmq_auth_mechanism_ssl].\n"
		configuration += "auth_mechanisms.1 = EXTERNAL\nauth_mechanisms.2 = PLAIN\nssl_cert_login_from = common_name\n" +
			"listeners.ssl.1 = 127.0.0.1:" + strconv.Itoa(b.secured) + "\nssl_options.verify = verify_peer\n" +
			"ssl_options.fail_if_no_peer_cert = true\nssl_options.cacertfile = " + in("authority.pem") +
			"\nssl_options.certfile = " + in("certificate.pem") + "\nssl_options.keyfile = " + in("key.pem") + "\n"
	}
	written := map[string][]byte{
		"plugins": []byte(plugins), "definitions.json": []byte(definitions(t, b.queues)), "rabbitmq.conf": []byte(configuration),
	}
	maps.Copy(written, b.files)
	for name, content := range written {
		err := os.WriteFile(in(name), content, 0o600)
		if err != nil {
			t.Fatal(err)
		}
	}
	if os.Getuid() == 0 {
		b.giveAway(t)
	}
}

// giveAway makes the folder the package's user's, as a node should not run as root.
func (b *Broker) giveAway(t *testing.T) {
	t.Helper()
	account, err := user.Lookup("rabbitmq")
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.ParseUint(account.Uid, 10, 32)
	gid, _ := strconv.ParseUint(account.Gid, 10, 32)
	b.owner = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	err = os.Chmod(filepath.Dir(b.home), 0o711) //nolint:gosec // the node passes through
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(b.home, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Chown(path, int(uid), int(gid))) //nolint:gosec // of 32 bits
	})
	if err != nil {
		t.Fatal(err)
	}
}

// definitions are the node's user, rights and queues.
func definitions(t *testing.T, queues []string) string {
	t.Helper()
	salt := []byte("salt")
	digest := sha256.Sum256(append(salt, "gateway"...))
	list := []map[string]any{}
	for _, name := range queues {
		list = append(list,
			map[string]any{"name": name, "vhost": "/", "durable": true, "auto_delete": false, "arguments": map[string]any{
				"x-dead-letter-exchange": "", "x-dead-letter-routing-key": name + ".rejected",
			}},
			map[string]any{"name": name + ".rejected", "vhost": "/", "durable": true, "auto_delete": false, "arguments": map[string]any{}},
		)
	}
	text, err := json.Marshal(map[string]any{
		"users": []map[string]any{{
			"name": "gateway", "password_hash": base64.StdEncoding.EncodeToString(append(salt[:4:4], digest[:]...)),
			"hashing_algorithm": "rabbit_password_hashing_sha256", "tags": []string{},
		}},
		"vhosts":      []map[string]any{{"name": "/"}},
		"permissions": []map[string]any{{"user": "gateway", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"}},
		"queues":      list,
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// started starts a program that does not outlive the test process. end stops it at once, as a power cut would, and waits for it.
func (b *Broker) started(t *testing.T, name string, arguments ...string) (end func()) {
	t.Helper()
	// The shell ends the program when the test's end of the pipe closes, also when the test process dies without a word.
	whole := append([]string{"-c", `"$@" & child=$!; read -r _; kill -9 $child`, "sh", name}, arguments...)
	command := exec.Command("/bin/sh", whole...) //nolint:gosec // a test says which
	command.Env, command.Dir = b.env, b.home
	command.SysProcAttr = &syscall.SysProcAttr{Credential: b.owner, Setpgid: true}
	command.Stdout, command.Stderr = &b.output, &b.output
	life, err := command.StdinPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return sync.OnceFunc(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // its own group: the shell, the program and what that started
		_ = life.Close()
		_ = command.Wait()
	})
}

// Kill ends the node as a power cut does. Start starts it again with its stored messages.
func (b *Broker) Kill() { b.end() }

// Start starts the node and waits until it speaks AMQP 1.0 and knows its queues.
func (b *Broker) Start(t *testing.T) {
	t.Helper()
	b.end = b.started(t, b.program)
	deadline := time.Now().Add(5 * time.Minute) // Erlang takes minutes on a machine that does other things
	for {
		limited, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		conn, err := amqp.Dial(limited, b.URL(), nil)
		cancel()
		if err == nil {
			_ = conn.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the broker does not start: %v\n%s", err, b.output.String())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// URL returns its address, with a user who has all rights.
func (b *Broker) URL() string { return fmt.Sprintf("amqp://gateway:gateway@127.0.0.1:%d", b.port) }

// SecuredAddress returns its address with TLS.
func (b *Broker) SecuredAddress() string { return fmt.Sprintf("127.0.0.1:%d", b.secured) }

func freePorts(t *testing.T, count int) []int {
	t.Helper()
	var ports []int
	for range count {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = listener.Close() }()
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// QueueAddress returns RabbitMQ's address of an existing queue.
func QueueAddress(queue string) string { return "/amq/queue/" + queue }
