import type { Provider, ProviderVariable } from '../schema/provider.schema.ts';
import { validateVariable } from './resolve-url.ts';

/** Begins no earlier than a word: each of many beginnings within a long one would have all of it read again. */
const ASSERTION = /(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/** Parameters of OAuth 1.0a (RFC 5849 section 3.1) that are other ones in every request. */
const CHANGING_PARAMETERS = /(oauth_(?:nonce|timestamp|signature))="[^"]*"/g;

/**
 * Replaces secrets and one-time values while a request is built only to be shown. A stand-in is made of letters and
 * digits, which no encoding touches; `reveal` then shows it as `<name>`.
 */
export function createStandIns() {
  const names: string[] = [];

  function of(name: string): string {
    const known = names.indexOf(name);
    return `standin${known < 0 ? names.push(name) - 1 : known}zq`;
  }

  function reveal(text: string): string {
    return text
      .replace(/\bBasic ([A-Za-z0-9+/]+=*)/g, (whole, encoded: string) => {
        const pair = Buffer.from(encoded, 'base64').toString('utf8');
        return /standin\d+zq/.test(pair) ? `Basic base64(${pair})` : whole;
      })
      .replace(ASSERTION, '<signed assertion>')
      .replace(CHANGING_PARAMETERS, '$1="<$1>"')
      .replace(/standin(\d+)zq/g, (whole, index: string) => {
        const name = names[Number(index)];
        return name === undefined ? whole : `<${name}>`;
      });
  }

  return { of, reveal };
}

export type StandIns = ReturnType<typeof createStandIns>;

/** A value of every variable that its rule allows: the file's own example where there is one. `missing` have none. */
export function sampleVariables(
  { variables }: Pick<Provider, 'variables'>,
  standIns: StandIns,
): { values: Record<string, string>; missing: string[] } {
  const values: Record<string, string> = {};
  const missing: string[] = [];
  for (const variable of variables) {
    const sample = sampleOf(variable, standIns);
    if (sample === undefined) missing.push(variable.name);
    else values[variable.name] = sample;
  }
  return { values, missing };
}

function sampleOf(variable: ProviderVariable, standIns: StandIns): string | undefined {
  const { default: usual, example, options, name } = variable;
  // Only the file itself would pass, and no request shows it.
  if (variable.input !== undefined) return standIns.of(name);
  const own = [usual, example, options?.[0]?.value].filter((value) => value !== undefined);
  const made = [
    standIns.of(name),
    'example.com',
    'https://example.com',
    'com',
    '443',
    'abcdefgh',
    '12345678',
  ];
  return [...own, ...made].find((value) => validateVariable(variable, value).ok);
}
