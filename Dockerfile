# docker build -t ghcr.io/admsim/admsim .
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /admsim ./cmd/admsim

FROM gcr.io/distroless/static:nonroot
COPY --from=build /admsim /usr/local/bin/admsim
ENTRYPOINT ["admsim"]
