import type { Provider } from '../catalog/schema/provider.schema.ts';
import { isRecord } from '../lib/is-record.ts';
import { readPath, toFilledText } from '../lib/json-path.ts';
import { parseJson } from '../lib/parse-json.ts';
import {
  type Outbound,
  OutboundError,
  type OutboundErrorKind,
  type OutboundResponse,
} from '../platform/outbound.ts';
import { readAlert } from '../platform/outbound-failures.ts';
import {
  type AccountResponse,
  type CredentialedRequest,
  credentialedMessage,
  judgeAccountResponse,
} from './account.ts';
import { readProviderWords } from './provider-words.ts';
import { secretsIn } from './secret-values.ts';

/** For all attempts together. */
const TIMEOUT_MS = 10_000;
const ATTEMPTS_MAX = 2;
const RETRY_AFTER_MS = 500;
const RESPONSE_BYTES_MAX = 256 * 1024;

type Judgement = Pick<
  NonNullable<Provider['probe']>,
  'refused' | 'accepted' | 'refusedWhen' | 'acceptedWhen' | 'answerHas'
>;

export type Probe = { readonly request: CredentialedRequest; readonly judgement: Judgement };

/**
 * What asking the provider has shown of a credential. `code`: in short why, as token requests have it (`http_401`,
 * `connection_timeout`). `words`: what the provider said, without the credential and of bounded length.
 */
export type CredentialProof = {
  /** `unclear`: an answer that says nothing of the credential. `unreachable`: no answer, or one that says "later". */
  readonly verdict: 'accepted' | 'refused' | 'unclear' | 'unreachable';
  readonly code: string;
  readonly words?: string | undefined;
  /**
   * Of a refusal: that it is about the credential itself, by 401 or by what the provider's file names, and not about what
   * it may do.
   */
  readonly isFinal?: boolean;
  /** The answer, where the account call was asked. */
  readonly account?: AccountResponse;
};

/**
 * The request that proves a credential: the declared one, else the account call or that of the tenants. Undefined where
 * there is none.
 */
export function buildProbe({
  probe,
  account,
  tenants,
  noProbe,
}: Pick<Provider, 'probe' | 'account' | 'tenants' | 'noProbe'>): Probe | undefined {
  if (probe?.url !== undefined) {
    const { url, method = 'GET', headers = {}, body } = probe;
    return { request: { url, method, headers, body }, judgement: probe };
  }
  const request = account?.request ?? tenants?.request;
  if (request === undefined || noProbe !== undefined) return undefined;
  // A credential may be good and not be allowed to ask whose it is.
  return { request, judgement: probe ?? { refused: [401], accepted: [403] } };
}

/**
 * Asks the provider whether it takes a credential; undefined where the provider has nothing to ask. `values` fill the
 * templates: variables, and the credential as for the account call. Takes ten seconds at most, asks once more after an
 * answer that says "later", and throws for no answer.
 */
export async function proveCredential(
  { outbound }: { readonly outbound: Outbound },
  provider: Provider,
  values: Readonly<Record<string, string>>,
): Promise<CredentialProof | undefined> {
  const probe = buildProbe(provider);
  if (probe === undefined) return undefined;
  const endsAtMs = performance.now() + TIMEOUT_MS;
  for (let attempt = 1; ; attempt += 1) {
    // Made again each time: a signature is good for one request.
    const message = credentialedMessage(provider, probe.request, values);
    if (message === undefined) return { verdict: 'unclear', code: 'variable_missing' };
    const timeoutMs = Math.max(1, Math.ceil(endsAtMs - performance.now()));
    const answer = await ask(outbound, { ...message, timeoutMs });
    const proof = 'kind' in answer ? unreached(answer) : judge(probe.judgement, answer, provider, values);
    const isLast = attempt === ATTEMPTS_MAX || endsAtMs - performance.now() <= 2 * RETRY_AFTER_MS;
    if (proof.verdict !== 'unreachable' || isLast) {
      const isAccountCall = probe.request === provider.account?.request && 'status' in answer;
      return {
        ...proof,
        ...(isAccountCall && { account: judgeAccountResponse(answer.status, answer.body) }),
      };
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
  }
}

async function ask(
  outbound: Outbound,
  message: Parameters<Outbound['request']>[0],
): Promise<OutboundResponse | Unreached> {
  try {
    const limits = { responseBytesMax: RESPONSE_BYTES_MAX, isCutWhereTooLarge: true };
    return await outbound.request({ ...message, ...limits });
  } catch (error) {
    if (error instanceof OutboundError) return { kind: error.kind, code: error.code };
    throw error;
  }
}

type Unreached = Pick<OutboundError, 'kind' | 'code'>;

/** Asking again does not change an address that is refused, or a value that no header can carry. */
const PERMANENT: ReadonlySet<OutboundErrorKind> = new Set([
  'invalid_url',
  'invalid_request',
  'refused_address',
]);

function unreached({ kind, code = '' }: Unreached): CredentialProof {
  if (kind === 'certificate_unusable') return { verdict: 'refused', code: `client_${kind}` };
  if (kind === 'certificate_refused') {
    return { verdict: 'refused', code: `client_${kind}`, words: `TLS alert: ${readAlert(code)}` };
  }
  return { verdict: PERMANENT.has(kind) ? 'unclear' : 'unreachable', code: `connection_${kind}` };
}

const LATER: ReadonlySet<number> = new Set([408, 425, 429]);

function judge(
  judgement: Judgement,
  { status, headers, body }: OutboundResponse,
  provider: Provider,
  values: Readonly<Record<string, string>>,
): CredentialProof {
  const content = jsonOf(body);
  const isPage = content === undefined && looksLikePage(headers['content-type'], body);
  const refusal = { code: `http_${status}`, words: wordsOf(content, provider, values) };
  const { refused = [401, 403], accepted = [], refusedWhen, acceptedWhen } = judgement;
  const isGood = status >= 200 && status < 300;
  if (decides(refusedWhen, content)) return { verdict: 'refused', ...refusal, isFinal: true };
  if (!isGood && decides(acceptedWhen, content)) return { verdict: 'accepted', ...refusal };
  if (isGood || accepted.includes(status)) {
    const isProof = !isPage && (!isGood || hasProof(judgement, content));
    return { verdict: isProof ? 'accepted' : 'unclear', ...refusal };
  }
  if (refused.includes(status)) {
    const isFinal = status === 401 || judgement.refused !== undefined;
    return { verdict: 'refused', ...refusal, isFinal };
  }
  return { verdict: LATER.has(status) || status >= 500 ? 'unreachable' : 'unclear', ...refusal };
}

function decides(member: Judgement['acceptedWhen'], content: unknown): boolean {
  if (member === undefined) return false;
  const found = readPath(content, member.path);
  if (member.values === undefined) return isThere(found);
  const text = toFilledText(found)?.trim();
  return text !== undefined && member.values.includes(text);
}

function hasProof({ answerHas }: Judgement, content: unknown): boolean {
  return answerHas === undefined ? !reportsError(content) : isThere(readPath(content, answerHas));
}

/** True for the usual ways in which an answer with a good status says that the request failed. */
function reportsError(content: unknown): boolean {
  if (!isRecord(content)) return false;
  if (content.ok === false || content.success === false) return true;
  return [content.error, content.errors].some((member) => member !== false && isThere(member));
}

function isThere(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isRecord(value) || Object.keys(value).length > 0;
}

const PAGE_START = /^\s{0,100}<(?:!doctype\s+html|html|head|body)\b/i;

/** A sign-in page, or one of a server in between, has whatever status, and says nothing of the credential. */
function looksLikePage(contentType: string | undefined, body: Buffer): boolean {
  if (body.length === 0) return false;
  return /\bhtml\b/i.test(contentType ?? '') || PAGE_START.test(body.subarray(0, 200).toString('latin1'));
}

function wordsOf(
  content: unknown,
  provider: Provider,
  values: Readonly<Record<string, string>>,
): string | undefined {
  const first: unknown = Array.isArray(content) ? content[0] : content;
  return isRecord(first) ? readProviderWords(first, secretsIn(provider, values)) : undefined;
}

function jsonOf(body: Buffer): unknown {
  const value = parseJson(body.toString('utf8'));
  return isRecord(value) || Array.isArray(value) ? value : undefined;
}
