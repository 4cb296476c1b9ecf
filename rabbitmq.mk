# The broker for the tests of the AMQP transport (internal/clearing/amqp). The Makefile includes this file. Without RabbitMQ those tests are
# skipped; with COUNTERSIGN_RABBITMQ=1 a missing broker is a failure. The tests start a node of their own: no service is needed, so
# an installation by this target starts none, now or at the next boot. A RabbitMQ that was here before stays as it is.

.PHONY: rabbitmq

POLICY_RC := /usr/sbin/policy-rc.d

rabbitmq: ## install RabbitMQ for the tests of the AMQP transport (system package); its service is not started
	@command -v rabbitmq-server >/dev/null && exit 0; \
	if [ "$$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then \
	  if [ ! -e $(POLICY_RC) ]; then \
	    trap 'rm -f $(POLICY_RC)' EXIT; \
	    printf '#!/bin/sh\nexit 101\n' >$(POLICY_RC); \
	    chmod 755 $(POLICY_RC); \
	  fi; \
	else \
	  echo "The package starts a service, which the tests do not need: afterwards, sudo systemctl disable --now rabbitmq-server"; \
	fi; \
	tools/install.sh rabbitmq-server "the tests of the AMQP transport" rabbitmq-server; \
	if [ -d /run/systemd/system ]; then systemctl --quiet disable --now rabbitmq-server.service epmd.socket epmd.service || true; fi
