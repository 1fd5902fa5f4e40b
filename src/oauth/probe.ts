import type { Provider } from '../catalog/provider.schema.ts';
import { isRecord } from '../lib/is-record.ts';
import { toStorableText } from '../lib/storable-text.ts';
import { type Outbound, OutboundError } from '../platform/outbound.ts';
import { type AccountAnswer, accountAnswerOf, credentialedMessage } from './account.ts';
import { textOf, valueAt } from './json-path.ts';

const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 256 * 1024;
const WORDS_LENGTH_MAX = 200;
/** Shorter values are no secrets worth the name, and would take ordinary words apart. */
const SECRET_LENGTH_MIN = 4;

type Probe = NonNullable<Provider['probe']>;

/** What asking the provider has shown of a credential. `account`: the answer, where the account call was asked. */
export type CredentialProof = { readonly account?: AccountAnswer } & (
  | { readonly verdict: 'accepted' }
  /** `words`: what the provider said, without the credential and of bounded length. */
  | { readonly verdict: 'refused'; readonly status: number; readonly words: string | undefined }
  /** An answer that tells nothing of the credential. */
  | { readonly verdict: 'unclear' }
  /** No answer, or one that says "later". */
  | { readonly verdict: 'unreachable' }
);

/** The request that proves a credential: the declared one, else the account call. Undefined where there is none. */
export function probeOf({ probe, account }: Pick<Provider, 'probe' | 'account'>): Probe | undefined {
  if (probe !== undefined) return probe;
  // A credential may be good and not be allowed to ask whose it is.
  return account?.request && { ...account.request, refused: [401] };
}

/**
 * Asks the provider whether it takes a credential; undefined where the provider has nothing to ask. `values` fill the
 * templates: variables, and the credential as for the account call. Takes ten seconds at most and throws for no answer.
 */
export async function proveCredential(
  { outbound }: { readonly outbound: Outbound },
  provider: Provider,
  values: Readonly<Record<string, string>>,
): Promise<CredentialProof | undefined> {
  const probe = probeOf(provider);
  if (probe === undefined) return undefined;
  const message = credentialedMessage(provider, probe, values);
  if (message === undefined) return { verdict: 'unclear' };
  try {
    const limits = { timeoutMs: TIMEOUT_MS, responseBytesMax: RESPONSE_BYTES_MAX };
    const { status, body } = await outbound.request({ ...message, ...limits });
    const isAccountCall = provider.probe === undefined;
    return {
      ...judge(probe, status, jsonOf(body), secretsIn(provider, values)),
      ...(isAccountCall && { account: accountAnswerOf(status, body) }),
    };
  } catch (error) {
    if (error instanceof OutboundError) return { verdict: 'unreachable' };
    throw error;
  }
}

function judge(probe: Probe, status: number, body: unknown, secrets: readonly string[]): CredentialProof {
  const isNamed = probe.refused.includes(status);
  if (isNamed && !decides(probe.acceptedWhen, body)) {
    return { verdict: 'refused', status, words: wordsOf(body, secrets) };
  }
  if (!isNamed && decides(probe.refusedWhen, body)) {
    return { verdict: 'refused', status, words: wordsOf(body, secrets) };
  }
  if (isNamed || (status >= 200 && status < 300)) return { verdict: 'accepted' };
  return { verdict: status === 429 || status >= 500 ? 'unreachable' : 'unclear' };
}

function decides(member: Probe['acceptedWhen'], body: unknown): boolean {
  const text = member && textOf(valueAt(body, member.path));
  return text !== undefined && member?.values.includes(text) === true;
}

/** What is typed as the credential itself. */
function secretsIn({ variables }: Provider, values: Readonly<Record<string, string>>): string[] {
  const open = new Set(variables.filter(({ secret }) => !secret).map(({ name }) => name));
  return Object.entries(values).flatMap(([name, value]) =>
    !open.has(name) && value.length >= SECRET_LENGTH_MIN ? [value] : [],
  );
}

const WORD_PATHS = ['error.message', 'message', 'error_description', 'error', 'detail', 'errors.0.message'];

function wordsOf(body: unknown, secrets: readonly string[]): string | undefined {
  const said = WORD_PATHS.map((path) => textOf(valueAt(body, path))).find((text) => text !== undefined);
  if (said === undefined) return undefined;
  const tidy = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), said.slice(0, 4_000));
  const words = toStorableText(tidy.replace(/\s+/g, ' ').trim().slice(0, WORDS_LENGTH_MAX));
  return words === '' ? undefined : words;
}

function jsonOf(body: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return isRecord(value) || Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
