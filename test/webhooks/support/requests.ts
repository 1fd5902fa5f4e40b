import { describeWebhooks } from '../../../src/webhooks/message/description.ts';
import type { WebhookDescription, WebhookRequest } from '../../../src/webhooks/message/webhook.ts';
import { builtInCatalog } from '../../support/built-in-catalog.ts';

/** Every provider whose webhooks the gateway receives. */
export const DESCRIBED: readonly WebhookDescription[] = builtInCatalog
  .list()
  .flatMap((provider) => describeWebhooks(provider) ?? []);

/** The description of one of them. */
export function describeProvider(id: string): WebhookDescription {
  const found = DESCRIBED.find(({ providerId }) => providerId === id);
  if (found === undefined) throw new Error(`${id} has no webhooks`);
  return found;
}

/** A request as the receiver has it. */
export function buildRequest(given: {
  readonly method?: string;
  readonly url?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
}): WebhookRequest {
  const headers = Object.entries(given.headers ?? {}).map(
    ([name, value]) => [name.toLowerCase(), [value].flat()] as const,
  );
  return {
    method: given.method ?? 'POST',
    url: given.url ?? 'https://gateway.example/webhooks/one',
    query: given.query ?? '',
    headers: new Map(headers),
    body: Buffer.from(given.body ?? ''),
  };
}

/** Tools at one time; there is no key to fetch. */
export function toolsAt(nowMs: number) {
  return {
    now: () => nowMs,
    fetchKey: async (url: string): Promise<string> => {
      throw new Error(`nothing is fetched here: ${url}`);
    },
  };
}
