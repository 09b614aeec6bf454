# The image is one static binary, which brings its certificate roots and time
# zones along, and nothing else. scripts/image builds the binary and then this.
FROM scratch
ARG VERSION=dev
LABEL org.opencontainers.image.title="pod-reclaimer" \
      org.opencontainers.image.description="Archives terminated Kubernetes pods to S3-compatible storage, and deletes them once that is proven" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION"
COPY pod-reclaimer /pod-reclaimer
USER 65532:65532
ENTRYPOINT ["/pod-reclaimer"]
