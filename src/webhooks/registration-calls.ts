import { randomBytes } from 'node:crypto';
import type { WebhookCall, WebhookRegistration } from '../catalog/webhook-registration.schema.ts';
import { fillTemplate } from '../lib/template.ts';
import type { WebhookDescription } from './webhook.ts';

export type ApiRegistration = Extract<WebhookRegistration, { by: 'api' }>;
type Values = Readonly<Record<string, string | undefined>>;

/** A request to the provider, ready to be sent. */
export type RegistrationCall = {
  readonly method: string;
  /** A path below the API's base, or an address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

/** The way in which the gateway itself registers, with a connection's credential or without. */
export function apiRegistrationOf(
  { registration = [] }: Pick<WebhookDescription, 'registration'>,
  hasConnection: boolean,
): ApiRegistration | undefined {
  return registration.find(
    (one): one is ApiRegistration =>
      one.by === 'api' &&
      (one.authorization === 'connection' ? hasConnection : one.authorization !== 'application'),
  );
}

/** A secret of the gateway's making, where the provider takes one: for Basic `user:password`. */
export function makeSecret({ secret, signature }: Pick<WebhookDescription, 'secret' | 'signature'>) {
  if (secret.from !== 'gateway') return undefined;
  const random = randomBytes(24).toString('base64url');
  return signature.scheme === 'basic' ? `gateway:${random}` : random;
}

/** Values of the templates that are made of the secret. */
export function secretValues(secret: string | null): Values {
  const [user = '', ...password] = (secret ?? '').split(':');
  return {
    webhookSecret: secret ?? undefined,
    verifyToken: secret ?? undefined,
    webhookUser: user,
    webhookPassword: password.join(':'),
  };
}

/** The call with its templates filled; undefined where a value is missing. `{events}` as a whole text is the list. */
export function fillCall(
  call: WebhookCall,
  values: Values,
  events: readonly string[],
): RegistrationCall | undefined {
  const inUrl = fillTemplate(call.url, values, (value) => encodeURIComponent(value));
  // A value that is an address as a whole, or begins one, keeps its slashes.
  const url = call.url.startsWith('{') ? fillTemplate(call.url, values) : inUrl;
  const headers = Object.entries(call.headers).map(([name, text]) => [name, fillTemplate(text, values)]);
  if (url === undefined || headers.some(([, value]) => value === undefined)) return undefined;
  const missing: string[] = [];
  const body = call.body === undefined ? undefined : fillValue(call.body, values, events, missing);
  if (missing.length > 0) return undefined;
  const isForm = call.encoding === 'form';
  return {
    method: call.method,
    url,
    headers: {
      Accept: 'application/json',
      ...(body !== undefined && {
        'Content-Type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      }),
      ...Object.fromEntries(headers),
    },
    body: body === undefined ? undefined : isForm ? formOf(body) : JSON.stringify(body),
  };
}

function fillValue(value: unknown, values: Values, events: readonly string[], missing: string[]): unknown {
  if (value === '{events}') return events;
  if (typeof value === 'string') {
    const filled = fillTemplate(value, { ...values, events: events.join(',') });
    if (filled === undefined) missing.push(value);
    return filled;
  }
  if (Array.isArray(value)) return value.map((item) => fillValue(item, values, events, missing));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, fillValue(member, values, events, missing)]),
  );
}

function formOf(body: unknown): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(Object(body))) {
    for (const each of Array.isArray(value) ? value : [value]) {
      form.append(name, typeof each === 'object' ? JSON.stringify(each) : String(each));
    }
  }
  return form.toString();
}
