# The image of Bucketry, for amd64 and arm64. docs/decisions/0024-container-image.md has the reasons.
#
#   docker build --tag bucketry .

ARG NODE_IMAGE=node:24-trixie-slim
ARG BASE_IMAGE=gcr.io/distroless/cc-debian13
ARG SHELL_IMAGE=busybox:1.37-musl

# JavaScript is the same for every platform, so it is built once, on the platform of the builder.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /source
COPY package.json package-lock.json ./
COPY scripts/node scripts/node
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# Below /image is what the last stage adds: the files of the npm package with its runtime dependencies,
# the commands, and the folder of the volume, which every user may write to.
RUN npm run build \
 && mkdir -p /image/app /image/data /image/usr/local/bin \
 && tar -xzf "$(npm pack --ignore-scripts --silent)" -C /image/app --strip-components 1 \
 && cp package-lock.json /image/app/ \
 && npm ci --prefix /image/app --omit=dev --ignore-scripts --no-audit --no-fund \
 && node deploy/docker/write-commands.cjs /image \
 && chmod 1777 /image/data

# The Node of the target platform.
FROM ${NODE_IMAGE} AS node

# One static program, for health checks and commands that need a shell or wget.
FROM ${SHELL_IMAGE} AS shell

FROM ${BASE_IMAGE}
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Bucketry" \
      org.opencontainers.image.description="An S3 endpoint for the file drive you already have" \
      org.opencontainers.image.url="https://github.com/bucketry/bucketry" \
      org.opencontainers.image.source="https://github.com/bucketry/bucketry" \
      org.opencontainers.image.documentation="https://github.com/bucketry/bucketry/blob/main/docs/install.md" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=node /usr/local/bin/node /usr/local/bin/node
# DURABILITY=relaxed needs one that reports that the disk failed, unlike that of busybox.
COPY --from=node /usr/bin/sync /usr/bin/sync
COPY --from=shell /bin/busybox /usr/bin/busybox
COPY --from=build /image/ /
ENV PATH=/usr/local/bin:/usr/bin:/bin \
    DATA_DIR=/data \
    DRIVE=file:/data/drive \
    HOST=0.0.0.0 \
    PORT=9000
USER 10001:10001
VOLUME /data
EXPOSE 9000
# The first start on a drive that another gateway used can take 104 seconds.
HEALTHCHECK --interval=30s --timeout=10s --start-period=120s --retries=3 \
  CMD ["/usr/local/bin/bucketry", "health"]
ENTRYPOINT ["/usr/local/bin/bucketry"]
