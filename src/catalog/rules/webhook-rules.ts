import { listPlaceholders } from '../../lib/template.ts';
import { SIGNED_PART_HOOKS } from '../facts/quirks.ts';
import { isAddressTemplate } from '../facts/url-template.ts';
import type { ProviderFile } from '../schema/provider.schema.ts';
import type { WebhookCall, WebhookRegistration } from '../schema/webhook-registration.schema.ts';
import type { WebhookSignature } from '../schema/webhook-signature.schema.ts';
import type { Fault } from './fault.ts';

type Webhooks = ProviderFile['webhooks'];

/** Names that every template of a registration may use. */
const REGISTRATION_VALUES = [
  'webhookUrl',
  'webhookSecret',
  'webhookUser',
  'webhookPassword',
  'verifyToken',
  'webhookId',
  'webhookNumber',
  'registrationId',
  'registrationNumber',
  'resourceId',
  'expiresAt',
  'expiresAtMs',
  'clientId',
  'clientSecret',
  'accountId',
  'event',
  'eventObject',
  'eventChange',
  'events',
  'handshakeSecret',
];

/** What the schema cannot check of webhooks: fields that belong together, and addresses that calls go to. */
export function webhookFaults(file: ProviderFile, allowPrivateNetworks: boolean): Fault[] {
  const { webhooks } = file;
  const found = [
    ...togetherFaults(webhooks),
    ...listSignatures(webhooks).flatMap(([path, signature]) => signatureFaults(path, signature)),
    ...handshakeFaults(webhooks),
    ...(webhooks.registration ?? []).flatMap((registration, index) =>
      registrationFaults(['registration', index], registration, file, allowPrivateNetworks),
    ),
  ];
  return found.map(({ path, reason }) => ({ path: ['webhooks', ...path], reason }));
}

/** The usual scheme and the alternatives, each with its place in the file. */
function listSignatures({ signature, alternatives = {} }: Webhooks): [string[], WebhookSignature][] {
  const usual = [signature ?? []].flat().map((one): [string[], WebhookSignature] => [['signature'], one]);
  const others = Object.entries(alternatives).map(([name, one]): [string[], WebhookSignature] => [
    ['alternatives', name],
    one,
  ]);
  return [...usual, ...others];
}

function togetherFaults({ supported, signature, payload, scope, secret }: Webhooks): Fault[] {
  const described = { scope, signature, secret, payload };
  const missing = Object.entries(described).filter(([, field]) => field === undefined);
  if (missing.length === Object.keys(described).length) return [];
  if (!supported) return [{ path: ['supported'], reason: 'must be true where the webhooks are described' }];
  const faults = missing.map(([field]) => ({
    path: [field],
    reason: 'is needed: scope, signature, secret and payload belong together',
  }));
  if (signature === undefined || secret?.from !== 'none' || !needsSecret(signature)) return faults;
  return [
    ...faults,
    { path: ['secret', 'from'], reason: `must not be none where the scheme is ${signature.scheme}` },
  ];
}

function needsSecret(signature: WebhookSignature): boolean {
  if (signature.scheme === 'none') return false;
  if (signature.scheme === 'jwt')
    return signature.key === undefined || Object.values(signature.claims).includes('{secret}');
  if (signature.scheme === 'public-key') {
    return signature.key === undefined || signature.signed.includes('{secret}');
  }
  return true;
}

function signatureFaults(path: readonly string[], signature: WebhookSignature): Fault[] {
  const faults: [boolean, readonly string[], string][] = [];
  if ('signed' in signature) {
    const { signed, timestamp, at, scheme } = signature;
    const unknown = signed.some((part) => part.startsWith('{hook:') && !isHook(part.slice(6, -1)));
    const isPart = signed.includes('{timestamp}');
    faults.push(
      [unknown, ['signed'], 'names a hook that does not exist'],
      [isPart && timestamp === undefined, ['timestamp'], 'is needed: {timestamp} is signed'],
      [
        scheme === 'digest' && !signed.includes('{secret}'),
        ['signed'],
        'must have {secret}: anyone can make a digest',
      ],
      [
        scheme === 'hmac' && signature.perItem === true && !at.startsWith('body:'),
        ['at'],
        'must be in the body',
      ],
    );
  }
  if ('key' in signature && signature.key !== undefined) {
    const { url, hosts, idAt, keyPath, certificateName } = signature.key;
    const isPlaced = url !== undefined || (hosts !== undefined && hosts.length > 0 && idAt !== undefined);
    faults.push([!isPlaced, ['key'], 'needs a url, or idAt and hosts']);
    const { authorization, body } = signature.key;
    const isPath = url?.startsWith('/') === true;
    faults.push(
      [
        isPath !== (authorization === 'connection'),
        ['key', 'url'],
        'is a path with authorization: connection, and only then',
      ],
      [body !== undefined && !isPath, ['key', 'body'], 'goes with authorization: connection alone'],
    );
    const isTwofold = certificateName !== undefined && keyPath !== undefined;
    faults.push([
      isTwofold,
      ['key', 'certificateName'],
      'is of an answer that is a certificate, without keyPath',
    ]);
  }
  return faults.flatMap(([isFault, field, reason]) =>
    isFault ? [{ path: [...path, ...field], reason }] : [],
  );
}

function isHook(name: string): boolean {
  return Object.hasOwn(SIGNED_PART_HOOKS, name);
}

function handshakeFaults({ handshake, verifyToken }: Webhooks): Fault[] {
  const answersBodies = (handshake ?? []).some(({ computed }) => computed?.signed.includes('{body}'));
  if (answersBodies)
    return [{ path: ['handshake'], reason: 'must not compute over {body}: that signs deliveries' }];
  const isUnknown =
    (handshake ?? []).some((each) => each.verifyToken !== undefined) && verifyToken === undefined;
  return isUnknown ? [{ path: ['verifyToken'], reason: 'is needed: a handshake compares it' }] : [];
}

function registrationFaults(
  path: readonly PropertyKey[],
  registration: WebhookRegistration,
  file: ProviderFile,
  allowPrivateNetworks: boolean,
): Fault[] {
  if (registration.by === 'portal') return [];
  const { request, secretRequest, confirm, renew, remove, parameters } = registration;
  const known = [...REGISTRATION_VALUES, ...Object.keys(parameters), ...Object.keys(file.variables)];
  const calls: [string, WebhookCall | 'again' | undefined][] = Object.entries({
    request,
    secretRequest,
    confirm,
    renew,
    remove,
  });
  return calls.flatMap(([name, call]) => {
    if (call === undefined || call === 'again') return [];
    const texts = [call.url, ...Object.values(call.headers), JSON.stringify(call.body ?? {})];
    const strangers = texts.flatMap(listPlaceholders).filter((given) => !known.includes(given));
    const address = addressFault(call.url, file, allowPrivateNetworks);
    return [
      ...strangers.map((given) => ({
        path: [...path, name],
        reason: `names {${given}}, which has no value there`,
      })),
      ...(address === undefined ? [] : [{ path: [...path, name, 'url'], reason: address }]),
    ];
  });
}

/** A call carries a credential: its host is written out, or made of the provider's own variables. */
function addressFault(url: string, file: ProviderFile, allowPrivateNetworks: boolean): string | undefined {
  if (url.startsWith('/') || url === '{registrationId}') return undefined;
  if (!isAddressTemplate(url))
    return 'must be a path, or an address with a plain host, without user or password';
  if (url.startsWith('http:') && !allowPrivateNetworks)
    return 'must be https (http needs ALLOW_PRIVATE_NETWORKS=true)';
  const host = /^(?:https?:\/\/)?([^/?]*)/.exec(url)?.[1] ?? '';
  const isOwn = listPlaceholders(host).every((name) => Object.hasOwn(file.variables, name));
  return isOwn ? undefined : 'must not have a value in its host that is no variable of the provider';
}
