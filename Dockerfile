# syntax=docker/dockerfile:1
# `npm run pin:images` writes the digests behind these tags; a release refuses to build without them (docs/releasing.md).
ARG NODE_IMAGE=node:24-trixie-slim
ARG RUNTIME_IMAGE=gcr.io/distroless/cc-debian13:nonroot

# Everything that is made here is JavaScript, the same for each platform: it is built once, on the builder's own.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/remove-unused-files.mjs scripts/
# No dev dependencies, and no embedded Postgres: a container gets its database by DATABASE_URL.
RUN npm ci --omit=dev --omit=optional --ignore-scripts
RUN node scripts/remove-unused-files.mjs

FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS dashboard
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The build tools are development dependencies, some of them with a native part that npm counts as optional.
RUN npm ci --ignore-scripts
COPY scripts ./scripts
COPY src ./src
COPY docs ./docs
COPY locales ./locales
RUN node scripts/build-dashboard.ts

FROM dashboard AS documents
WORKDIR /app
COPY site ./site
COPY CONTRIBUTING.md CHANGELOG.md SECURITY.md ./
RUN node scripts/build-docs.ts

# Node for the platform of the image.
FROM ${NODE_IMAGE} AS node

# No shell, no package manager: glibc, libstdc++, certificates and time zones.
FROM ${RUNTIME_IMAGE}
ARG VERSION=unreleased
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Integration Gateway" \
      org.opencontainers.image.description="Connect your users' third-party accounts and call the providers' own APIs through one proxy." \
      org.opencontainers.image.source="https://github.com/integration-gateway/integration-gateway" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY migrations ./migrations
COPY packages/embedded-postgres/src ./packages/embedded-postgres/src
COPY src ./src
COPY --from=dashboard /app/src/web/dashboard/dist ./src/web/dashboard/dist
COPY --from=documents /app/site/dist ./site/dist
# By number, so that a cluster can see that it is not root.
USER 65532:65532
EXPOSE 3000
# Readiness, not liveness: a gateway that cannot reach its database should get no traffic.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Exec form: SIGTERM reaches node itself, which drains and then ends.
CMD ["node", "--min-semi-space-size=16", "--max-semi-space-size=16", "--no-allocation-site-pretenuring", "--max-valid-polymorphic-map-count=8", "--expose-gc", "--no-concurrent-array-buffer-sweeping", "--v8-pool-size=1", "src/main.ts"]
