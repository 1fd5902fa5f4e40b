import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { WebhookCall, WebhookRegistration } from '../../catalog/schema/webhook-registration.schema.ts';
import { isRecord } from '../../lib/is-record.ts';
import { fillTemplate } from '../../lib/template.ts';
import type { WebhookDescription } from '../message/webhook.ts';

export type ApiRegistration = Extract<WebhookRegistration, { by: 'api' }>;
export type Values = Readonly<Record<string, string | undefined>>;

/** A channel's number: positive, of 15 digits, so that JavaScript and providers hold it as an integer. */
const NUMBERS = { min: 1e14, max: 2 ** 48 - 1 } as const;
const WHOLE_NUMBER = /^[1-9]\d{0,14}$/;

/** A request to the provider, ready to be sent. */
export type RegistrationCall = {
  readonly method: string;
  /** A path below the API's base, or an address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

/** The way in which the gateway itself registers, with a connection's credential or without. */
export function findApiRegistration(
  { registration = [] }: Pick<WebhookDescription, 'registration'>,
  hasConnection: boolean,
): ApiRegistration | undefined {
  return registration.find(
    (one): one is ApiRegistration => one.by === 'api' && (hasConnection || !needsConnection(one)),
  );
}

/** Whether every way to register is one of a connection: with its credential, or for its account. */
export function isRegisteredPerConnection({
  registration = [],
}: Pick<WebhookDescription, 'registration'>): boolean {
  return registration.length > 0 && registration.every((one) => one.by === 'api' && needsConnection(one));
}

function needsConnection(registration: ApiRegistration): boolean {
  return registration.authorization === 'connection' || usesValue(registration.request, 'accountId');
}

/** Whether a template of the call names the value. */
export function usesValue(call: WebhookCall, name: string): boolean {
  return JSON.stringify(call).includes(`{${name}}`);
}

/** What the gateway chooses for one registration, where the provider takes it. */
export function chooseIds(): { webhookId: string; webhookNumber: string } {
  return { webhookId: randomUUID(), webhookNumber: String(randomInt(NUMBERS.min, NUMBERS.max)) };
}

/** A secret of the gateway's making, where the provider takes one: for Basic `user:password`. */
export function createSecret({ secret, signature }: Pick<WebhookDescription, 'secret' | 'signature'>) {
  if (secret.from !== 'gateway') return undefined;
  const random = randomBytes(24).toString('base64url');
  return signature.scheme === 'basic' ? `gateway:${random}` : random;
}

/** Values of the templates that are made of the secret. */
export function fillSecretValues(secret: string | null): Values {
  const [user = '', ...password] = (secret ?? '').split(':');
  return {
    webhookSecret: secret ?? undefined,
    verifyToken: secret ?? undefined,
    webhookUser: user,
    webhookPassword: password.join(':'),
  };
}

/**
 * The call with its templates filled; undefined where a value is missing. `{events}` as a whole text is the list, and
 * `{registrationNumber}` the number; an element of a list with `each: "{event}"` is repeated for each event.
 */
export function fillCall(
  call: WebhookCall,
  values: Values,
  events: readonly string[],
): RegistrationCall | undefined {
  const named = { ...values, ...splitEvent(values.event), registrationNumber: values.registrationId };
  const inUrl = fillTemplate(call.url, named, (value) => encodeURIComponent(value));
  // A value that is an address as a whole, or begins one, keeps its slashes.
  const url = call.url.startsWith('{') ? fillTemplate(call.url, named) : inUrl;
  const headers = Object.entries(call.headers).map(([name, text]) => [name, fillTemplate(text, named)]);
  if (url === undefined || headers.some(([, value]) => value === undefined)) return undefined;
  const missing: string[] = [];
  const body = call.body === undefined ? undefined : fillValue(call.body, named, events, missing);
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
    body: body === undefined ? undefined : isForm ? encodeForm(body) : JSON.stringify(body),
  };
}

function fillValue(value: unknown, values: Values, events: readonly string[], missing: string[]): unknown {
  if (value === '{events}') return events;
  if (value === '{registrationNumber}' && WHOLE_NUMBER.test(values.registrationId ?? '')) {
    return Number(values.registrationId);
  }
  if (typeof value === 'string') {
    const filled = fillTemplate(value, { ...values, events: events.join(',') });
    if (filled === undefined) missing.push(value);
    return filled;
  }
  if (Array.isArray(value)) {
    return value
      .flatMap((item) => repeatForEvents(item, values, events))
      .map(([item, own]) => fillValue(item, own, events, missing));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, fillValue(member, values, events, missing)]),
  );
}

/** An element with `each: "{event}"` stands for as many as there are events, without `each`. */
function repeatForEvents(item: unknown, values: Values, events: readonly string[]): [unknown, Values][] {
  if (!isRecord(item) || item.each !== '{event}') return [[item, values]];
  const { each: _each, ...rest } = item;
  return events.map((event) => [rest, { ...values, event, ...splitEvent(event) }]);
}

/** `contact` and `created` of `contact.created`, around the last dot. */
function splitEvent(event: string | undefined): Values {
  const dot = event?.lastIndexOf('.') ?? -1;
  return dot < 1 ? {} : { eventObject: event?.slice(0, dot), eventChange: event?.slice(dot + 1) };
}

function encodeForm(body: unknown): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(Object(body))) {
    for (const each of Array.isArray(value) ? value : [value]) {
      form.append(name, typeof each === 'object' ? JSON.stringify(each) : String(each));
    }
  }
  return form.toString();
}
