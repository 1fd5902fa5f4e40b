import { type ExactTimestampFormat, parseExactTimestamp } from '../../lib/timestamps.ts';
import type { WebhookMessage } from '../message/read-message.ts';
import type { RefusalReason } from '../message/webhook.ts';

const ELEMENTS_MAX = 30;
/** A signature that stands in a body could be as long as the body. */
const LENGTH_MAX = 16 * 1024;

type SignaturePlaces = {
  readonly at: string;
  readonly alsoAt?: readonly string[] | undefined;
  readonly prefix?: string | undefined;
  readonly listSeparator?: string | undefined;
  readonly afterKeyName?: string | undefined;
  readonly timestamp?:
    | { readonly at: string; readonly unit: ExactTimestampFormat; readonly toleranceSeconds: number }
    | undefined;
};

export type SignatureValues = {
  /** The signatures, as they are written, without their prefix. */
  readonly signatures: readonly string[];
  /** Elements of the list in the header; the whole value where it holds none. */
  readonly elements: readonly string[];
};

type Refused = { readonly ok: false; readonly reason: RefusalReason };

/** The signatures that a webhook carries. */
export function readSignatures(
  message: WebhookMessage,
  places: SignaturePlaces,
): ({ readonly ok: true } & SignatureValues) | Refused {
  const values: string[] = [];
  for (const place of [places.at, ...(places.alsoAt ?? [])]) {
    const value = message.read(place);
    if (value.state === 'doubled') return refuse('malformed');
    if (value.state === 'found') values.push(value.text);
  }
  if (values.length === 0) return refuse('missing');
  if (values.some(({ length }) => length > LENGTH_MAX)) return refuse('malformed');
  const elements = values.flatMap((value) => splitElements(value, places.listSeparator));
  const signatures = pickSignatures(elements, places);
  const isUsable = signatures.length > 0 && elements.length <= ELEMENTS_MAX;
  return isUsable ? { ok: true, signatures, elements } : refuse('malformed');
}

function splitElements(value: string, separator: string | undefined): string[] {
  if (separator === undefined) return [value];
  return value.split(separator, ELEMENTS_MAX + 1).map((element) => element.trim());
}

function pickSignatures(
  elements: readonly string[],
  { prefix, timestamp, afterKeyName }: SignaturePlaces,
): string[] {
  const isFirstTheTime = timestamp?.at === 'list:0';
  const written = isFirstTheTime ? elements.slice(1) : elements;
  const candidates =
    afterKeyName === undefined
      ? written
      : written.map((element) => element.slice(element.lastIndexOf(afterKeyName) + 1));
  if (prefix === undefined) return candidates.filter((element) => element !== '');
  return candidates
    .filter((element) => element.startsWith(prefix))
    .map((element) => element.slice(prefix.length));
}

/** The signed timestamp as it is written; an absent one is a refusal where the scheme has one. */
export function readTimestamp(
  message: WebhookMessage,
  timestamp: SignaturePlaces['timestamp'],
  elements: readonly string[],
): { readonly ok: true; readonly text: string | undefined } | Refused {
  if (timestamp === undefined) return { ok: true, text: undefined };
  if (!timestamp.at.startsWith('list:')) {
    const value = message.read(timestamp.at);
    if (value.state === 'found') return { ok: true, text: value.text };
    return refuse(value.state === 'missing' ? 'missing' : 'malformed');
  }
  const key = timestamp.at.slice('list:'.length);
  const found = key === '0' ? elements.slice(0, 1) : elements.filter((element) => element.startsWith(key));
  const [element, ...more] = found;
  if (element === undefined || more.length > 0) return refuse('malformed');
  return { ok: true, text: key === '0' ? element : element.slice(key.length) };
}

/** Whether a signed timestamp is near enough, before or after now. */
export function judgeAge(
  text: string | undefined,
  timestamp: SignaturePlaces['timestamp'],
  nowMs: number,
): { readonly ok: true; readonly signedAt: Date | null } | Refused {
  if (timestamp === undefined || text === undefined) return { ok: true, signedAt: null };
  const signedAtMs = parseExactTimestamp(text, timestamp.unit);
  if (signedAtMs === undefined) return refuse('malformed');
  const isNear = Math.abs(nowMs - signedAtMs) <= timestamp.toleranceSeconds * 1000;
  return isNear ? { ok: true, signedAt: new Date(signedAtMs) } : refuse('expired');
}

export function refuse(reason: RefusalReason): Refused {
  return { ok: false, reason };
}
