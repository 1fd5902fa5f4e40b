import { HttpError } from '../http/errors.ts';
import type { OutboundRequest } from '../platform/outbound.ts';
import type { CallSigner } from './call-signer.ts';

type SigningContext = {
  /** Of credential and variables. */
  readonly values: Readonly<Record<string, string>>;
  /** The further API host that is called, by its name in the catalog. */
  readonly hostName?: string | undefined;
  readonly nowMs: number;
};

/** A request of the gateway's own with its signature; unchanged where there is no signer. Throws what `sign` throws. */
export function signMessage(
  signer: CallSigner | undefined,
  message: OutboundRequest,
  { values, hostName, nowMs }: SigningContext,
): OutboundRequest {
  if (signer === undefined) return message;
  const { origin, host, pathname, search } = new URL(message.url);
  const body = message.body === undefined ? undefined : Buffer.from(message.body);
  const signed = signer.sign({
    method: message.method ?? 'GET',
    origin,
    host,
    target: pathname + search,
    fields: Object.entries(message.headers ?? {}).flat(),
    hostName,
    body,
    values,
    nowMs,
  });
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < signed.fields.length; index += 2) {
    headers[signed.fields[index] ?? ''] = signed.fields[index + 1] ?? '';
  }
  // The HTTP client writes the length when it sends the message.
  delete headers['Content-Length'];
  return { ...message, url: origin + signed.target, headers };
}

/** As `signMessage`; undefined where the credential lacks what the signature is made of. */
export function signWhereWanted(
  signer: CallSigner | undefined,
  message: OutboundRequest,
  context: SigningContext,
): OutboundRequest | undefined {
  try {
    return signMessage(signer, message, context);
  } catch (error) {
    if (error instanceof HttpError) return undefined;
    throw error;
  }
}
