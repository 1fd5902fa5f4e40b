# syntax=docker/dockerfile:1
FROM node:24-trixie-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No dev dependencies, and no embedded Postgres: a container gets its database by DATABASE_URL.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24-trixie-slim AS dashboard
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The build tools are development dependencies, some of them with a native part that npm counts as optional.
RUN npm ci --ignore-scripts
COPY scripts/build-dashboard.ts scripts/
COPY src/web ./src/web
COPY locales ./locales
RUN node scripts/build-dashboard.ts

FROM dashboard AS documents
WORKDIR /app
COPY site ./site
COPY docs ./docs
COPY scripts ./scripts
COPY src ./src
COPY CONTRIBUTING.md CHANGELOG.md SECURITY.md ./
RUN node scripts/build-docs.ts

FROM node:24-trixie-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY migrations ./migrations
COPY packages ./packages
COPY src ./src
COPY --from=dashboard /app/src/web/dashboard/dist ./src/web/dashboard/dist
COPY --from=documents /app/site/dist ./site/dist
USER node
EXPOSE 3000
# Readiness, not liveness: a gateway that cannot reach its database should get no traffic.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Exec form: SIGTERM reaches node itself, which drains and then ends.
CMD ["node", "--min-semi-space-size=16", "--max-semi-space-size=16", "--no-allocation-site-pretenuring", "--max-valid-polymorphic-map-count=8", "src/main.ts"]
