import type { z } from 'zod';
import { isRecord } from '../../lib/is-record.ts';
import { parseJson } from '../../lib/parse-json.ts';
import { type Outbound, OutboundError } from '../outbound.ts';
import { KmsError } from './kms.ts';

/** For one request; a start makes a few of them, each several times at most. */
const TIMEOUT_MS = 5_000;

/** What a service takes for its own trouble, whatever status it says so with. */
const TRANSIENT_CODE = /Throttl|TooManyRequests|RequestLimit|Internal|Unavailable|Timeout/i;
/** Letters alone: what a broken server sends back must not be able to hold a token. */
const CODE = /^[A-Za-z_]{1,60}$/;

export type Question = {
  readonly url: string;
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** One request of a service. Rejects with KmsError where no 2xx comes. */
export async function askText(outbound: Outbound, question: Question): Promise<string> {
  const { method = 'GET' } = question;
  const { status, body } = await outbound
    .request({ ...question, method, timeoutMs: TIMEOUT_MS })
    .catch((error: unknown) => {
      throw error instanceof OutboundError ? unreachable(error) : error;
    });
  const text = body.toString('utf8');
  if (status >= 200 && status <= 299) return text;
  const code = readErrorCode(parseJson(text));
  const isTransient = status >= 500 || status === 429 || TRANSIENT_CODE.test(code);
  const said = `${status}${code === '' ? '' : ` ${code}`}`;
  throw new KmsError(`${originOf(question.url)} answered ${said}`, { isTransient });
}

/** The same for an answer in JSON of the form of `schema`. */
export async function askJson<T>(outbound: Outbound, question: Question, schema: z.ZodType<T>): Promise<T> {
  const parsed = schema.safeParse(parseJson(await askText(outbound, question)));
  if (parsed.success) return parsed.data;
  throw new KmsError(`${originOf(question.url)} answered something else than expected`, {
    isTransient: true,
  });
}

export function jsonBody(value: object): Pick<Question, 'method' | 'headers' | 'body'> {
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) };
}

export function formBody(
  fields: Readonly<Record<string, string>>,
): Pick<Question, 'method' | 'headers' | 'body'> {
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  };
}

function unreachable({ message, kind, code }: OutboundError): KmsError {
  const reason = code === undefined ? message : `${message} (${code})`;
  return new KmsError(reason, { isTransient: kind !== 'invalid_url' && kind !== 'invalid_request' });
}

/**
 * What went wrong, in the word of the service: `__type` of AWS, `error.status` of Google, `error.code` of Azure, `error`
 * of OAuth. Vault has sentences, of which a few are known.
 */
function readErrorCode(answer: unknown): string {
  if (!isRecord(answer)) return '';
  const { error, __type: type, errors } = answer;
  const named = isRecord(error) ? (error.status ?? error.code) : error;
  const code = String(type ?? named ?? '').replace(/^.*#/, '');
  if (CODE.test(code)) return code;
  const sentence = Array.isArray(errors) ? String(errors[0]) : '';
  return VAULT_SENTENCES.find((known) => sentence.includes(known)) ?? '';
}

const VAULT_SENTENCES = [
  'permission denied',
  'encryption key not found',
  'Vault is sealed',
  'message authentication failed',
  'invalid role or secret ID',
  'no handler for route',
];

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? 'an invalid address';
}
