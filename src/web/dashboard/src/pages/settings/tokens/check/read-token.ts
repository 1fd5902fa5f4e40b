export type JsonObject = Readonly<Record<string, unknown>>;

export type ReadToken = {
  readonly header: JsonObject;
  readonly payload: JsonObject;
  /** What is signed, and with what. */
  readonly signed: Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array<ArrayBuffer>;
  readonly length: number;
};

const THREE_PARTS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** The token of what was pasted, perhaps with the scheme of its header field, quotes or line ends around it. */
export function cutToken(pasted: string): string {
  return pasted
    .trim()
    .replace(/^authorization:\s*/i, '')
    .replace(/^bearer\s+/i, '')
    .replace(/^["'`]|["'`]$/g, '')
    .trim();
}

/** The parts of a compact JWS (RFC 7515 section 7.1); undefined where it is none. */
export function readToken(text: string): ReadToken | undefined {
  if (!THREE_PARTS.test(text)) return undefined;
  const [first = '', second = '', third = ''] = text.split('.');
  const header = readObject(first);
  const payload = readObject(second);
  const signature = readBytes(third);
  if (header === undefined || payload === undefined || signature === undefined) return undefined;
  const signed = Uint8Array.from(new TextEncoder().encode(`${first}.${second}`));
  return { header, payload, signed, signature, length: text.length };
}

function readObject(part: string): JsonObject | undefined {
  try {
    const bytes = readBytes(part);
    const value: unknown = bytes && JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readBytes(part: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const base64 = part.replaceAll('-', '+').replaceAll('_', '/');
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
