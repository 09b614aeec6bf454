# The image is one static binary, which brings its certificate roots and time
# zones along, and nothing else. scripts/image builds the binary and then this;
# with the binaries of a release it is
#   docker buildx build --platform linux/amd64,linux/arm64 --file Dockerfile dist
FROM scratch
ARG TARGETARCH
ARG VERSION=dev
ARG COMMIT
ARG DATE
LABEL org.opencontainers.image.title="pod-reclaimer" \
      org.opencontainers.image.description="Archives terminated Kubernetes pods to S3-compatible storage, and deletes them once that is proven" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$COMMIT" \
      org.opencontainers.image.created="$DATE"
COPY pod-reclaimer-linux-$TARGETARCH /pod-reclaimer
USER 65532:65532
ENTRYPOINT ["/pod-reclaimer"]
