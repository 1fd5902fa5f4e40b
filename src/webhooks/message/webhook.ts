import type { ProviderWebhooks } from '../../catalog/schema/provider-webhooks.schema.ts';
import type { WebhookSignature } from '../../catalog/schema/webhook-signature.schema.ts';
import type { WebhookResponse } from './response.ts';
import type { VerifiedReason } from './verified-reasons.ts';

/** A request as the receiver has it, before anything in it is believed. */
export type WebhookRequest = {
  readonly method: string;
  /** The address as it was registered at the provider: PUBLIC_URL and the path, without the query. */
  readonly url: string;
  /** The query as it came, without the question mark; empty where there is none. */
  readonly query: string;
  /** Names in lower case; every value that a name came with. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
};

/** A provider's webhooks where everything is there that receiving needs. */
export type WebhookDescription = ProviderWebhooks & {
  /** Begins the types of the events. */
  readonly providerId: string;
  readonly scope: 'application' | 'connection' | 'both';
  readonly signature: WebhookSignature;
  readonly payload: NonNullable<ProviderWebhooks['payload']>;
  readonly secret: NonNullable<ProviderWebhooks['secret']>;
};

/** How a key is asked for. */
export type KeyRequest = {
  /** With whose token; without one where it is left out. */
  readonly authorization?: 'application' | 'connection' | undefined;
  /** JSON of a POST; a GET where it is left out. */
  readonly body?: string | undefined;
};

/** What the verification needs of the world. */
export type VerifyTools = {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /**
   * The text at an address of the provider: PEM, or JSON with a key or a JWKS. The caller caches it and guards the call.
   */
  readonly fetchKey: (url: string, options?: KeyRequest) => Promise<string>;
};

export type RefusalReason = 'missing' | 'malformed' | 'expired' | 'mismatch' | 'no_secret';

export type Verification =
  | {
      readonly ok: true;
      /** Index of the secret that fits; 0 where the scheme has no secret. */
      readonly secretIndex: number;
      /** The signed timestamp, where the scheme signs one. */
      readonly signedAt: Date | null;
    }
  | { readonly ok: false; readonly reason: RefusalReason };

export type HandshakeResponse = WebhookResponse & {
  /** The secret that the handshake brought, to be stored as the one of the address. */
  readonly keepSecret?: string;
  /** The provider's id of the one registration that the secret is for. */
  readonly registrationId?: string;
  /** A verify token or a signature proved that the provider asks. */
  readonly verified: boolean;
};

export type WebhookItem = {
  /** `<provider>.<object>.<change>` */
  readonly type: string;
  /** The provider's own name of the event; empty where it has none. */
  readonly providerType: string;
  readonly eventId: string | null;
  /** What its repetitions have in common; null: it is never taken for a repetition. */
  readonly dedupeKey: string | null;
  readonly accountId: string | null;
  readonly object:
    | {
        readonly type: string;
        readonly id: string;
        readonly change: 'created' | 'updated' | 'deleted' | 'other';
      }
    | undefined;
  readonly occurredAt: Date | null;
  /** JSON text: the provider's bytes, so that no number changes; a form or XML as JSON. */
  readonly dataText: string;
};

export type ExtractedEvents =
  | { readonly ok: true; readonly items: readonly WebhookItem[] }
  | { readonly ok: false; readonly reason: VerifiedReason };
