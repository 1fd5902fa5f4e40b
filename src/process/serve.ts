import cluster from 'node:cluster';
import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import express from 'express';
import { composeGateway } from '../compose/gateway.ts';
import type { Config } from '../config.ts';
import { createErrorHandler, HttpError } from '../http/errors.ts';
import { createMetricsRouter, type MetricsSource } from '../http/health.router.ts';
import type { Logger } from '../platform/logger.ts';
import { createDatabase } from '../platform/postgres/database.ts';
import { openServer } from '../proxy/server.ts';
import { ConfigurationError } from '../settings/configuration-error.ts';
import { loadTelemetry } from '../telemetry/load-telemetry.ts';
import type { OpenCatalog } from './catalog-in-use.ts';
import { closeServer, shutdownDelayMs, trackSilentSockets } from './drain.ts';
import { openMeetingPlaces } from './meeting-places.ts';
import { openVault, type StoreAccess } from './store.ts';
import { tellPrimary } from './worker-store.ts';

export type Running = { stop(): Promise<void> };

/** What runs beside the requests, its last writes and the pool of connections end within it. */
const STOP_LIMIT_MS = 6_000;
/** What was gathered last is sent within it; a collector that is away must not hold up the end. */
const TELEMETRY_STOP_MS = 2_000;
/** A store that answers lets go of its connections in less. */
const CLOSE_MS_MIN = 500;

/**
 * One process that serves: composes the gateway, listens, and drains when stopped. Throws ConfigurationError when a
 * port cannot be had.
 */
export async function serve(
  config: Config,
  log: Logger,
  store: StoreAccess,
  catalog: OpenCatalog,
): Promise<Running> {
  const drain = { isDraining: false };
  const telemetry = await loadTelemetry(config.telemetry, log);
  const database = createDatabase({
    url: store.databaseUrl,
    applicationName: 'gateway',
    poolMax: config.databasePoolMax,
    isPooled: store.isPooled,
    patience: store.patience,
    log,
  });
  const places = await openMeetingPlaces(config, store.directUrl);
  const gateway = composeGateway({
    config,
    places,
    database,
    directUrl: store.directUrl,
    vault: openVault(store.encryptionKeys),
    onNewKeys: tellPrimary,
    ...catalog,
    log,
    telemetry,
    isDraining: () => drain.isDraining,
  });
  if (cluster.worker) gateway.metrics.nameWorker(cluster.worker.id);
  await gateway.start();
  const server = openServer(gateway.listener, { publicUrl: config.publicUrl });
  const silent = trackSilentSockets(server);
  await listen(server, 'PORT', config.port, config.host);
  const metricsServer = await serveMetrics(config, gateway.metrics, log);
  log.info({ url: config.publicUrl, host: config.host, port: config.port }, 'listening');
  return {
    async stop() {
      drain.isDraining = true;
      // Kept connections end with their next answer.
      server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
      await delay(
        shutdownDelayMs({
          configuredMs: config.shutdownDelayMs,
          isWorker: cluster.isWorker,
          lastProbeAgoMs: Date.now() - gateway.lastProbedAtMs(),
        }),
      );
      const deadlineMs = performance.now() + config.shutdownTimeoutMs;
      await closeServer(server, silent, config.shutdownTimeoutMs);
      await gateway.drain(Math.max(0, deadlineMs - performance.now()));
      metricsServer?.close();
      const stoppedByMs = performance.now() + STOP_LIMIT_MS;
      await gateway.stop();
      await places.stop();
      await telemetry.stop(TELEMETRY_STOP_MS);
      // A store that has not answered the last writes is not waited for once more.
      await database.close(Math.max(CLOSE_MS_MIN, stoppedByMs - performance.now()));
    },
  };
}

function listen(server: Server, variable: string, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenFault(error, variable, port, host)));
    server.listen(port, host, () => resolve());
  });
}

function listenFault(error: Error, variable: string, port: number, host: string): Error {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return new ConfigurationError(`${variable}: ${port} is in use at ${host}; choose another`);
  if (code === 'EACCES') return new ConfigurationError(`${variable}: this user may not listen on ${port}`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new ConfigurationError(`HOST: ${host} is no address of this machine`);
  return error;
}

async function serveMetrics(
  config: Config,
  metrics: MetricsSource,
  log: Logger,
): Promise<Server | undefined> {
  if (config.metricsPort === undefined) return undefined;
  const app = express();
  app.disable('x-powered-by');
  app.use(createMetricsRouter(metrics));
  app.use(() => {
    throw new HttpError('not_found');
  });
  app.use(createErrorHandler({ publicUrl: config.publicUrl, log }));
  const server = createServer(app);
  await listen(server, 'METRICS_PORT', config.metricsPort, config.host);
  return server;
}
