# syntax=docker/dockerfile:1
# An image of Tablewright with a PostgreSQL for its home database. scripts/image-check carries these
# steps out in a plain folder where there is no container engine.
#
#   docker build --build-arg VERSION="$(git describe --tags --always)" -t tablewright .
#   docker run --stop-timeout 60 -e TABLEWRIGHT_INSECURE=true \
#     -p 127.0.0.1:7432:7432 -p 127.0.0.1:7480:7480 -v tablewright:/var/lib/tablewright tablewright
#
# TABLEWRIGHT_INSECURE: inside the container the gateway must listen on every address, or no published port
# would reach it, and without certificates and rules (docs/operations.md) clients are neither authenticated nor
# encrypted. The image does not set the variable: without either the gateway refuses to start. Set it only when the
# ports are published to the loopback address of the own host, as above.

FROM golang:1.26-bookworm AS build
ARG VERSION=unknown
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY cmd cmd
COPY ddl ddl
COPY deploy deploy
COPY home home
COPY k8s k8s
COPY limits limits
COPY provision provision
COPY server server
COPY session session
COPY socket socket
# The parser of PostgreSQL and SQLite are C code: cgo, and the same Debian as below.
RUN CGO_ENABLED=1 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /out/tablewright ./cmd/tablewright

FROM debian:bookworm-slim
# postgresql-15: the server's programs. Its package makes a cluster unless told not to; the gateway makes
#   its own in the data folder.
# tini: process 1. Backends of a PostgreSQL that died become its children, and it must reap them.
# ca-certificates: for catalogs with sslrootcert = system.
RUN mkdir -p /etc/postgresql-common \
    && printf 'create_main_cluster = false\nstart_conf = manual\n' >/etc/postgresql-common/createcluster.conf \
    && apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates \
        postgresql-15 \
        tini \
    && rm -rf /var/lib/apt/lists/* \
    && test ! -e /var/lib/postgresql/15/main
# The home PostgreSQL runs as the same user: neither it nor the gateway is ever root here.
RUN useradd --system --uid 10001 --user-group --home-dir /var/lib/tablewright --no-create-home --shell /usr/sbin/nologin tablewright \
    && install -d -o tablewright -g tablewright -m 0700 /var/lib/tablewright
COPY --from=build /out/tablewright /usr/local/bin/tablewright
COPY LICENSE /usr/share/doc/tablewright/LICENSE
COPY configs /usr/share/doc/tablewright/configs

ENV TABLEWRIGHT_DATA_DIR=/var/lib/tablewright \
    TABLEWRIGHT_LISTEN=0.0.0.0:7432 \
    TABLEWRIGHT_HTTP_LISTEN=0.0.0.0:7480 \
    TABLEWRIGHT_LOG_FORMAT=json
USER tablewright
WORKDIR /var/lib/tablewright
VOLUME /var/lib/tablewright
EXPOSE 7432 7480
# Busy sessions may go on for 30 s (TABLEWRIGHT_DRAIN_TIMEOUT) and have 10 s more to end when they are
# cancelled. Engines kill after 10 s by default; hence --stop-timeout 60 above.
STOPSIGNAL SIGTERM
# bash opens the connection itself, so that no HTTP client has to be installed.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/${TABLEWRIGHT_HTTP_LISTEN##*:} && printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ code _ <&3 && test \"$code\" = 200"]
ENTRYPOINT ["/usr/bin/tini", "--", "/usr/local/bin/tablewright", "serve"]
