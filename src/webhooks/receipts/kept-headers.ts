import type { WebhookDescription } from '../message/webhook.ts';
import type { KeptHeaders } from './receipt.ts';
import { listSecretPlaces } from './secret-places.ts';

type Described = Pick<WebhookDescription, 'signature' | 'handshake'>;

/** Characters of a signature that are kept: enough to compare two, too few to use one. */
const SHOWN_LENGTH = 10;
/** Fields that may hold a password or a token as such. */
const CREDENTIAL =
  /auth(?!ors?(?:$|[-_]))|cookie|token|secret|(?:api|access|shared|private)[-_]?key|^key$|passw|^pwd$|credential/i;
/** Fields, and parameters of the query, that hold what was computed with a secret. */
const SIGNATURE = /sign|(?:^|[-_])sig(?:$|[-_])|hmac|digest|jwt|assertion/i;
const LEFT_OUT = '(left out)';

/** The fields of a webhook as they may be shown: credentials left out, signatures cut. */
export function keepHeaders(
  headers: ReadonlyMap<string, readonly string[]>,
  description: Described,
): KeptHeaders {
  const places = listPlaces(description, 'header');
  return Object.fromEntries(
    [...headers].map(([name, values]) => {
      const hide = chooseHiding(name, places);
      return [name, values.map(hide)];
    }),
  );
}

/** The query likewise. */
export function keepQuery(query: string, description: Described): string {
  const places = listPlaces(description, 'query');
  return query
    .split('&')
    .map((pair) => {
      const [name = '', ...rest] = pair.split('=');
      if (rest.length === 0) return pair;
      return `${name}=${chooseHiding(decodeName(name), places)(rest.join('='))}`;
    })
    .join('&');
}

/** Where the description has the provider put a secret or a signature, in lower case; true for a secret as such. */
function listPlaces(description: Described, kind: 'header' | 'query'): ReadonlyMap<string, boolean> {
  const places = listSecretPlaces(description).filter((place) => place.kind === kind);
  return new Map(places.map(({ name, isPlain }) => [name.toLowerCase(), isPlain]));
}

/** A name as its reader takes it: `%74oken` is `token`. */
function decodeName(name: string): string {
  return new URLSearchParams(`${name}=`).keys().next().value ?? name;
}

function chooseHiding(name: string, places: ReadonlyMap<string, boolean>): (value: string) => string {
  const isPlain = places.get(name.toLowerCase());
  if (CREDENTIAL.test(name) || isPlain === true) return () => LEFT_OUT;
  if (isPlain === false || SIGNATURE.test(name)) return cut;
  return (value) => value;
}

function cut(value: string): string {
  return value.length <= SHOWN_LENGTH ? LEFT_OUT : `${value.slice(0, SHOWN_LENGTH)}…`;
}
