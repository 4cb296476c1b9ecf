# The broker for the tests of the AMQP transport (internal/clearing/amqp). The Makefile includes this file. Without RabbitMQ those tests are
# skipped; with COUNTERSIGN_RABBITMQ=1 a missing broker is a failure. The tests start a node of their own.

.PHONY: rabbitmq

rabbitmq: ## install RabbitMQ for the tests of the AMQP transport (system package); its service is not started
	@SERVICES="rabbitmq-server.service epmd.socket epmd.service" tools/install.sh rabbitmq-server "the tests of the AMQP transport" rabbitmq-server
