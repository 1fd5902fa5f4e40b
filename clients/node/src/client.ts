import type { Event, MandateEntry, UserToken } from './api.ts';
import type { CallArguments, ItemOf, ListPath, Method, Operation, PathOf, ResultOf } from './calls.ts';
import { createStreamEvents, type StreamEventsInput } from './events.ts';
import {
  type ExchangedUserToken,
  type ExchangeUserTokenInput,
  exchangeUserToken,
} from './exchange-user-token.ts';
import { createSend, type Parts, type Sent } from './send.ts';
import { verifyWebhook, type WebhookRequest } from './webhooks.ts';

export type GatewayClientOptions = {
  /** The gateway's PUBLIC_URL. */
  readonly url: string;
  /** The project's API key, or a personal access token for what only operators may do. */
  readonly apiKey: string;
  /** How often a call that was answered 429 or 503 is tried again; 2 by default. */
  readonly retries?: number;
  /** How long one try may take; 30 s by default. */
  readonly timeoutMs?: number;
  /** Of your event destination (whsec_…), for `webhooks.verify`; two while it is rotated. */
  readonly webhookSecret?: string | readonly string[];
};

type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...options: CallArguments<Operation<M, P>>
) => Promise<ResultOf<Operation<M, P>>>;

export type CreateUserTokenInput = {
  readonly userId: string;
  readonly expiresIn?: number;
  /** What the token may do: entries, or the id of a mandate of the project. Left out: what its user may. */
  readonly mandate?: string | readonly MandateEntry[];
  /** Who acts for the user, such as an agent: shown beside its calls. */
  readonly actor?: { readonly id: string; readonly name?: string };
  /** Your own id of the organization that the user belongs to. */
  readonly organizationId?: string;
  /** `connections:manage`: the user may connect accounts for the organization, and end what is connected. */
  readonly gatewayRoles?: readonly 'connections:manage'[];
  /** The `state` of a sign-in for an agent, to which the token is bound. */
  readonly nonce?: string;
};

export type GatewayClient = {
  readonly get: Call<'get'>;
  readonly post: Call<'post'>;
  readonly patch: Call<'patch'>;
  readonly delete: Call<'delete'>;
  /** Like the four above, with status and headers: for `ETag` and `Location`. */
  request<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...options: CallArguments<Operation<M, P>>
  ): Promise<Sent<ResultOf<Operation<M, P>>>>;
  /** Every entry of a list, page after page; a page is asked for when it is needed. */
  listAll<P extends ListPath>(
    path: P,
    ...options: CallArguments<Operation<'get', P>>
  ): AsyncGenerator<ItemOf<ResultOf<Operation<'get', P>>>, void, undefined>;
  readonly userTokens: {
    /** A token that the gateway signs, for applications without a key of their own. `expiresIn` is in seconds. */
    create(input: CreateUserTokenInput): Promise<UserToken>;
    /** A narrower token for a user token; see `exchangeUserToken`, which needs no API key. */
    exchange(input: Omit<ExchangeUserTokenInput, 'url'>): Promise<ExchangedUserToken>;
  };
  readonly events: {
    /** The project's events in their order, for as long as you read; see `createStreamEvents`. */
    stream(input?: StreamEventsInput): AsyncGenerator<Event, void, undefined>;
  };
  readonly webhooks: {
    /** The event of a delivery to your endpoint, once it is proven; rejects with a WebhookVerificationError. */
    verify(request: WebhookRequest): Promise<Event>;
  };
};

/**
 * The management API, every path with its types. A call is tried again after 429 and 503, waiting as long as the gateway
 * says (30 s at most); each POST carries an `Idempotency-Key`, so that no try makes a thing twice. Rejects with a
 * GatewayError for a refusal, and with fetch's own error when there is no answer.
 */
export function createGatewayClient(options: GatewayClientOptions): GatewayClient {
  const send = createSend(options);
  const call =
    (method: Method) =>
    async <B>(path: string, parts?: Parts): Promise<B> =>
      (await send<B>(method, path, parts)).body;

  async function* listAll<T>(path: string, parts: Parts = {}): AsyncGenerator<T, void, undefined> {
    let cursor = parts.query?.cursor;
    do {
      const { nextCursor, ...lists } = (
        await send<{ nextCursor: string | null; [name: string]: unknown }>('get', path, {
          ...parts,
          query: { ...parts.query, cursor },
        })
      ).body;
      // One list may stand under its former name as well.
      yield* Object.values(lists).find(Array.isArray) ?? [];
      cursor = nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  const post = call('post');
  return {
    get: call('get'),
    post,
    patch: call('patch'),
    delete: call('delete'),
    request: send,
    listAll,
    events: { stream: createStreamEvents(options) },
    webhooks: {
      verify: async (request) => {
        if (options.webhookSecret === undefined)
          throw new TypeError('`webhookSecret` is missing: the secret of your event destination (whsec_…)');
        return verifyWebhook(request, options.webhookSecret);
      },
    },
    userTokens: {
      create: ({ mandate, gatewayRoles, ...input }) =>
        post('/user-tokens', {
          body: {
            ...input,
            ...mandateMembers(mandate),
            ...(gatewayRoles && { gatewayRoles: [...gatewayRoles] }),
          },
        }),
      exchange: (input) => exchangeUserToken({ ...input, url: options.url }),
    },
  };
}

function mandateMembers(mandate: CreateUserTokenInput['mandate']) {
  if (mandate === undefined) return {};
  return typeof mandate === 'string' ? { mandateId: mandate } : { authorizationDetails: [...mandate] };
}
