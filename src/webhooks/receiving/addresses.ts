import type { Provider } from '../../catalog/schema/provider.schema.ts';
import type { WebhookSecrets } from '../../integrations/secrets/webhook-secrets.store.ts';
import { createAnnouncedCache } from '../../platform/announced-cache.ts';
import type { Notice } from '../../platform/change-notices.ts';
import type { Providers } from '../../providers/custom-providers.ts';
import { chooseScheme, describeWebhooks } from '../message/description.ts';
import type { WebhookDescription } from '../message/webhook.ts';
import type { WebhookAddress } from './addresses.store.ts';
import { chooseSecrets } from './choose-secrets.ts';
import { gatherLookups } from './gather-lookups.ts';

const ENTRIES_MAX = 20_000;
/** Everything stands in one group, since a notice names a project and an address names none. */
const GROUP = 'webhooks';

/** Whose webhook it is, and how to judge it. */
export type WebhookOwner = {
  readonly integrationId: string;
  readonly projectId: string;
  /** Of an address with an unguessable part. */
  readonly address: WebhookAddress | undefined;
  readonly description: WebhookDescription;
  /** Newest first. */
  readonly secrets: readonly string[];
  readonly verifyTokens: readonly string[];
};

type OfProject = { readonly projectId: string; readonly credential?: object | undefined };

type Cache<Value extends OfProject> = ReturnType<typeof createCache<Value>>;

type CacheTools = { now(): number; readonly log: { warn(fields: object, message: string): void } };

function createCache<Value extends OfProject>(
  what: string,
  load: (key: string) => Promise<Value | undefined>,
  { now, log }: CacheTools,
) {
  return createAnnouncedCache<Value, undefined, Pick<Notice, 'table' | 'projectId'>>({
    entriesMax: ENTRIES_MAX,
    now,
    load,
    groupOf: () => GROUP,
    topicOf: ({ projectId }) => projectId,
    topicOfChange: ({ projectId }) => projectId,
    isAffected: ({ credential }, { table }) => table !== 'connections' || credential !== undefined,
    onBackgroundError(error, key) {
      // The part behind the slash is a secret.
      log.warn({ err: error, integrationId: key.split('/')[0] }, `webhook ${what} could not be read again`);
    },
  });
}

async function readFrom<Value extends OfProject>(
  cache: Cache<Value>,
  key: string,
): Promise<Value | undefined> {
  const current = cache.current(key, undefined);
  const value = current === undefined ? (await cache.load(key, undefined)).value : current;
  return value ?? undefined;
}

/** Finds whose address a webhook came to. What was read is kept in memory until a change of it is announced. */
export function createWebhookAddresses({
  findSecrets,
  findAddresses,
  providers,
  ...tools
}: CacheTools & {
  findSecrets(integrationIds: readonly string[]): Promise<WebhookSecrets[]>;
  findAddresses(keys: readonly string[]): Promise<ReadonlyMap<string, WebhookAddress>>;
  readonly providers: Providers;
}) {
  const lookUpSecrets = gatherLookups(
    async (ids) => new Map((await findSecrets(ids)).map((found) => [found.integrationId, found])),
  );
  const secrets = createCache<WebhookSecrets>('secrets', lookUpSecrets, tools);
  const addresses = createCache<WebhookAddress>('addresses', gatherLookups(findAddresses), tools);
  const caches = [secrets, addresses];
  const findProvider = ({ projectId, serviceProvider, grant }: WebhookSecrets) =>
    providers.find(projectId, serviceProvider, grant);

  return {
    /**
     * What the integration's provider says of webhooks, without a query while it is known; undefined where the integration
     * or the description is gone. Rejects as queries do.
     */
    async describe(integrationId: string): Promise<WebhookDescription | undefined> {
      const known = await readFrom(secrets, integrationId);
      const provider: Provider | undefined = known && (await findProvider(known));
      return provider && describeWebhooks(provider);
    },

    /**
     * The owner of the address; undefined where there is none, or its provider's webhooks are not received. An address
     * whose chosen scheme the provider has no more is none either: the usual one may be weaker. One without an
     * unguessable part is none where the provider signs nothing. Rejects as queries do.
     */
    async find(integrationId: string, part: string | undefined): Promise<WebhookOwner | undefined> {
      const known = await readFrom(secrets, integrationId);
      if (known === undefined) return undefined;
      const address = part === undefined ? undefined : await readFrom(addresses, `${integrationId}/${part}`);
      if (part !== undefined && address === undefined) return undefined;
      const provider: Provider | undefined = await findProvider(known);
      return provider && judgeOwner(provider, known, address);
    },

    changed(notice: Pick<Notice, 'table' | 'projectId'>): void {
      if (notice.table === 'integrations') secrets.change(GROUP, notice);
      if (notice.table === 'webhook_subscriptions' || notice.table === 'connections') {
        addresses.change(GROUP, notice);
      }
    },
    markAllStale(): void {
      for (const cache of caches) cache.markAllStale();
    },
    setHasNotices(value: boolean): void {
      for (const cache of caches) cache.setHasNotices(value);
    },
  };
}

/** The owner; undefined where its webhooks are not received at this address. */
function judgeOwner(
  provider: Provider,
  known: WebhookSecrets,
  address: WebhookAddress | undefined,
): WebhookOwner | undefined {
  const description = describeChosen(provider, known.webhookScheme);
  if (description === undefined) return undefined;
  if (description.signature.scheme === 'none' && address === undefined) return undefined;
  return {
    integrationId: known.integrationId,
    projectId: known.projectId,
    address,
    description,
    secrets: chooseSecrets(description, known, address),
    verifyTokens: [...(address?.secret ? [address.secret] : []), ...known.webhookSecrets],
  };
}

function describeChosen(provider: Provider, scheme: string | undefined): WebhookDescription | undefined {
  const description = describeWebhooks(provider);
  return description === undefined || scheme === undefined ? description : chooseScheme(description, scheme);
}

export type WebhookAddresses = ReturnType<typeof createWebhookAddresses>;
