import { createHash, createPublicKey } from 'node:crypto';
import { isRecord } from '../../lib/is-record.ts';
import {
  KEY_TEXT_LENGTH_MAX,
  readCertificateChain,
  readPrivateKey,
  tidyPrivateKeyPem,
} from '../../lib/private-key.ts';
import type { Provider, ProviderVariable } from '../schema/provider.schema.ts';

type PastedKind = NonNullable<ProviderVariable['input']>;

/** Names of the digests of a certificate's DER, in Base64url, by which JOSE headers name it (RFC 7515 4.1.7, 4.1.8). */
const DIGESTS = ['sha1', 'sha256'] as const;

/** Name of the digest of the public key's DER (SubjectPublicKeyInfo), in Base64, by which providers know a key pair. */
const KEY_DIGEST = 'publicKeySha256';

/**
 * The text of a file that a person pastes, as it is kept: a private key or a certificate with its chain in PEM, or the
 * provider's JSON file as it is. Undefined where it is no such file, or lacks a member that the provider's description names.
 */
export function tidyPastedValue(
  { input, members = [] }: Pick<ProviderVariable, 'input' | 'members'>,
  text: string,
): string | undefined {
  const trimmed = text.replace(/^\ufeff/, '').trim();
  if (trimmed === '' || trimmed.length > KEY_TEXT_LENGTH_MAX) return undefined;
  if (input === 'certificate') return readCertificateChain(trimmed)?.join('');
  if (input === 'json') return hasMembers(trimmed, members) ? trimmed : undefined;
  const pem = tidyPrivateKeyPem(trimmed);
  if (!pem.ok) return undefined;
  // An encrypted one opens with its passphrase only, which is another value: the log-in shows whether they fit.
  return pem.isEncrypted || readPrivateKey(pem.pem) !== undefined ? pem.pem : undefined;
}

function hasMembers(text: string, members: readonly string[]): boolean {
  const file = parseFile(text);
  return file !== undefined && members.every((path) => memberOf(file, path) !== undefined);
}

/** The names that templates of a log-in may take of a pasted file, beside the variable's own. */
export function namesOfPasted(
  name: string,
  {
    input,
    members = [],
  }: { readonly input?: PastedKind | undefined; readonly members?: readonly string[] | undefined },
): string[] {
  if (input === 'json') return members.map((path) => `${name}.${path}`);
  if (input === 'private-key') return [`${name}.${KEY_DIGEST}`];
  return input === 'certificate' ? DIGESTS.map((digest) => `${name}.${digest}`) : [];
}

/** The values with those that stand in pasted files: `{serviceAccount.client_email}`, `{certificate.sha256}`. */
export function expandPastedValues(
  { variables }: Pick<Provider, 'variables'>,
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  const expanded = { ...values };
  for (const { name, input, members = [] } of variables) {
    const text = values[name];
    if (text === undefined) continue;
    if (input === 'json') Object.assign(expanded, membersOf(name, text, members));
    if (input === 'certificate') Object.assign(expanded, digestsOf(name, text));
    if (input === 'private-key') Object.assign(expanded, keyDigestOf(name, text));
  }
  return expanded;
}

/** What stands in pasted files alone, for what names an account by it. */
export function pastedMembers(
  provider: Pick<Provider, 'variables'>,
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = new Set(provider.variables.flatMap((variable) => namesOfPasted(variable.name, variable)));
  const expanded = Object.entries(expandPastedValues(provider, values));
  return Object.fromEntries(expanded.filter(([name]) => names.has(name)));
}

function membersOf(name: string, text: string, members: readonly string[]): Record<string, string> {
  const file = parseFile(text);
  const found = members.map((path) => [`${name}.${path}`, memberOf(file, path)] as const);
  return Object.fromEntries(found.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

function digestsOf(name: string, text: string): Record<string, string> {
  const der = readCertificateChain(text)?.[0]?.raw;
  if (der === undefined) return {};
  return Object.fromEntries(
    DIGESTS.map((digest) => [`${name}.${digest}`, createHash(digest).update(der).digest('base64url')]),
  );
}

/** None of an encrypted key, which opens with another value only. */
function keyDigestOf(name: string, text: string): Record<string, string> {
  const key = readPrivateKey(text);
  if (key === undefined) return {};
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return { [`${name}.${KEY_DIGEST}`]: createHash('sha256').update(der).digest('base64') };
}

function parseFile(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A text or a number at a dotted path, as text; own members only. */
function memberOf(file: unknown, path: string): string | undefined {
  let current: unknown = file;
  for (const step of path.split('.')) {
    if (!isRecord(current) || !Object.hasOwn(current, step)) return undefined;
    current = current[step];
  }
  if (typeof current === 'number') return String(current);
  return typeof current === 'string' && current !== '' ? current : undefined;
}
