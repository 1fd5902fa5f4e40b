import { Counter, Gauge, type Registry } from 'prom-client';
import { createProviderLabels } from './provider-labels.ts';

/** Metrics of received webhooks, in the given registry. */
export function createWebhookMetrics(registry: Registry) {
  const received = new Counter({
    name: 'gateway_webhooks_total',
    help: 'Requests of providers by outcome: stored, handshake, signature_invalid, malformed, failed.',
    labelNames: ['provider', 'outcome'] as const,
    registers: [registry],
  });
  const labelOf = createProviderLabels();
  let readBacklog = async () => ({ waiting: 0, oldestAt: null as Date | null });
  const oldest = new Gauge({
    name: 'gateway_webhook_split_oldest_seconds',
    help: 'Age of the oldest webhook that waits to be split into events; 0 where none does.',
    registers: [registry],
  });
  new Gauge({
    name: 'gateway_webhooks_to_split',
    help: 'Webhooks that wait to be split into events, counted up to ten thousand.',
    registers: [registry],
    async collect() {
      // While the store is away, the last numbers stay.
      const backlog = await readBacklog().catch(() => undefined);
      if (backlog === undefined) return;
      this.set(backlog.waiting);
      oldest.set(backlog.oldestAt === null ? 0 : Math.max(0, Date.now() - backlog.oldestAt.getTime()) / 1000);
    },
  });
  return {
    countWebhook(provider: string, outcome: string): void {
      received.labels(labelOf(provider), outcome).inc();
    },
    /** Reads the backlog whenever the metrics are read. */
    watchWebhookBacklog(read: () => Promise<{ waiting: number; oldestAt: Date | null }>): void {
      readBacklog = read;
    },
  };
}
