# syntax=docker/dockerfile:1

# A small image with git in it: sayso asks git for everything that git knows best.
# The program is static, so that the two stages need not agree on a C library.
FROM --platform=$BUILDPLATFORM golang:1.26-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS TARGETARCH VERSION=dev
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -ldflags="-s -w -X main.version=$VERSION" -o /out/sayso ./cmd/sayso

FROM alpine:3.22
RUN apk add --no-cache git
COPY --from=build /out/sayso /usr/local/bin/
COPY LICENSE /usr/share/licenses/sayso/LICENSE
# No USER: GitHub gives the workspace to another user than the image's, and
# pre-commit passes the right one itself.
WORKDIR /src
ENTRYPOINT ["sayso"]
CMD ["check"]
