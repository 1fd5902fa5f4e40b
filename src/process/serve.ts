import cluster from 'node:cluster';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import express from 'express';
import { type Catalog, loadCatalog } from '../catalog/catalog.ts';
import { composeGateway } from '../compose/gateway.ts';
import { type Config, ConfigurationError } from '../config.ts';
import { createErrorHandler, HttpError } from '../http/errors.ts';
import { createMetricsRouter, type MetricsSource } from '../http/health.router.ts';
import type { Logger } from '../platform/logger.ts';
import { createDatabase } from '../platform/postgres/database.ts';
import { hardenServer, serverOptions } from '../proxy/server.ts';
import { openVault, type StoreAccess } from './store.ts';

const IDLE_SWEEP_MS = 50;

export type Running = { stop(): Promise<void> };

/**
 * One process that serves: composes the gateway, listens, and drains when stopped. Throws ConfigurationError when a
 * port cannot be had.
 */
export async function serve(
  config: Config,
  log: Logger,
  store: StoreAccess,
  catalog: Catalog,
): Promise<Running> {
  const drain = { isDraining: false };
  const database = createDatabase({
    url: store.databaseUrl,
    applicationName: 'gateway',
    poolMax: config.databasePoolMax,
    isPooled: store.isPooled,
    log,
  });
  const gateway = composeGateway({
    config,
    database,
    directUrl: store.directUrl,
    vault: openVault(store.encryptionKeys),
    catalog,
    log,
    isDraining: () => drain.isDraining,
  });
  if (cluster.worker) gateway.metrics.nameWorker(cluster.worker.id);
  await gateway.start();
  const server = createServer(serverOptions, gateway.listener);
  hardenServer(server, { publicUrl: config.publicUrl });
  const silent = trackSilentSockets(server);
  await listen(server, 'PORT', config.port, config.host);
  const metricsServer = await serveMetrics(config, gateway.metrics, log);
  log.info({ url: config.publicUrl, host: config.host, port: config.port }, 'listening');
  return {
    async stop() {
      drain.isDraining = true;
      await Promise.all([drained(server, silent, config), gateway.drain(config.shutdownTimeoutMs)]);
      metricsServer?.close();
      await gateway.stop();
      await database.close();
    },
  };
}

export function openCatalog(config: Config): Catalog {
  return loadCatalog({
    extraDirectory: config.catalogDir,
    allowPrivateNetworks: config.allowPrivateNetworks,
  });
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

/**
 * The connections that have never brought a whole request: a browser's connection in advance, a probe that only
 * connects. Node does not count them as idle, and would wait for them.
 */
function trackSilentSockets(server: Server): ReadonlySet<Socket> {
  const silent = new Set<Socket>();
  server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.on('request', ({ socket }) => silent.delete(socket));
  return silent;
}

/**
 * Lets balancers notice (SHUTDOWN_DELAY_MS), stops accepting, tells kept connections to close with their next answer,
 * and waits for calls in flight; what is left after SHUTDOWN_TIMEOUT_MS is cut.
 */
async function drained(
  server: Server,
  silent: ReadonlySet<Socket>,
  { shutdownDelayMs, shutdownTimeoutMs }: Config,
): Promise<void> {
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
  if (shutdownDelayMs > 0) await new Promise((resolve) => setTimeout(resolve, shutdownDelayMs));
  const cut = setTimeout(() => server.closeAllConnections(), shutdownTimeoutMs);
  // close() ends what is idle now; a connection whose answer began before would be kept open after it.
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    for (const socket of silent) socket.destroy();
  }, IDLE_SWEEP_MS);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(cut);
  clearInterval(sweep);
}
