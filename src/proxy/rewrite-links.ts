import { isUtf8 } from 'node:buffer';
import type { FieldList } from './field-list.ts';

/** Addresses longer than this stay as they are. */
const ADDRESS_LENGTH_MAX = 4_000;

/** An address of an API and the one through the proxy, both without a closing slash. */
export type ProxiedApi = { readonly apiUrl: string; readonly proxyUrl: string };

type LinkOptions = {
  /** The provider's API, as the call reached it: scheme, host and base path. */
  readonly apiUrl: string;
  /** The address that was called, which relative links begin from. Without its query, which may hold the credential. */
  readonly calledUrl: string;
  /** The same API through the proxy, without a closing slash. */
  readonly proxyUrl: string;
  /** Addresses of the same provider on other hosts. */
  readonly others?: readonly ProxiedApi[] | undefined;
  /** Members of JSON answers that hold addresses. */
  readonly members: readonly string[] | undefined;
};

/** Empty, or a fragment alone: it leads to where the caller is already (RFC 3986 section 4.4). */
const SAME_DOCUMENT = /^[\0-\x20]*(?:#|$)/;

/** The targets of a `Link` field. What stands in quotes is none; a string that does not end takes the rest. */
const LINK_TARGETS = /"(?:[^"\\]|\\.)*"?|<([^<>]*)>/g;

/** Makes a provider's links to its own API lead through the proxy. Addresses of anything else stay as they are. */
export class LinkRewriter {
  readonly #options: LinkOptions;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get hasMembers(): boolean {
    return this.#options.members !== undefined;
  }

  /** Rewrites `Location`, `Content-Location` and `Link` (RFC 8288), relative ones too, in place. */
  rewriteFields(fields: FieldList): void {
    for (let index = 0; index + 1 < fields.length; index += 2) {
      const value = fields[index + 1] ?? '';
      const name = fields[index]?.toLowerCase();
      if (name === 'location' || name === 'content-location') fields[index + 1] = this.#resolved(value);
      else if (name === 'link') {
        fields[index + 1] = value.replace(LINK_TARGETS, (part, target: string | undefined) =>
          target === undefined ? part : `<${this.#resolved(target)}>`,
        );
      }
    }
  }

  /**
   * Rewrites the named members of a JSON text, at any depth. Everything else keeps its bytes: parsing and writing the
   * whole would round large numbers. `text` is the answer's bytes as Latin-1.
   */
  rewriteJson(text: string): string {
    const { members } = this.#options;
    if (members === undefined) return text;
    return text.replace(memberPattern(members), (whole, before: string, quoted: string) => {
      const address = addressOf(quoted);
      const rewritten = address === undefined ? undefined : this.#rewritten(address);
      return rewritten === undefined ? whole : before + asBytes(JSON.stringify(rewritten));
    });
  }

  #resolved(target: string): string {
    if (target.length > ADDRESS_LENGTH_MAX || SAME_DOCUMENT.test(target)) return target;
    const absolute = URL.parse(encodeBytes(target), this.#options.calledUrl)?.href;
    return (absolute === undefined ? undefined : this.#rewritten(absolute)) ?? target;
  }

  /** Undefined for an address outside of the API. */
  #rewritten(address: string): string | undefined {
    return rewriteFor(this.#options, address) ?? this.#rewrittenForOther(address);
  }

  #rewrittenForOther(address: string): string | undefined {
    for (const api of this.#options.others ?? []) {
      const rewritten = rewriteFor(api, address);
      if (rewritten !== undefined) return rewritten;
    }
    return undefined;
  }
}

function rewriteFor({ apiUrl, proxyUrl }: ProxiedApi, address: string): string | undefined {
  if (!address.startsWith(apiUrl)) return undefined;
  const rest = address.slice(apiUrl.length);
  return rest === '' || /^[/?#]/.test(rest) ? proxyUrl + rest : undefined;
}

const patterns = new WeakMap<readonly string[], RegExp>();

/** A member's name, then its text. Quotes within a text are escaped, so no text can look like a member. */
function memberPattern(members: readonly string[]): RegExp {
  const known = patterns.get(members);
  if (known) return known;
  const names = members.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const text = `"(?:[^"\\\\]|\\\\.){1,${ADDRESS_LENGTH_MAX}}"`;
  const made = new RegExp(`("(?:${names})"\\s{0,20}:\\s{0,20})(${text})`, 'g');
  patterns.set(members, made);
  return made;
}

/** URL takes characters of Latin-1 for text, and would encode each byte of a UTF-8 character as a character. */
function encodeBytes(target: string): string {
  return target.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** UTF-8 bytes as Latin-1, as the whole answer is held: an escape may stand for a character that Latin-1 lacks. */
function asBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function addressOf(quoted: string): string | undefined {
  const bytes = Buffer.from(quoted, 'latin1');
  if (!isUtf8(bytes)) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
