import { DE } from './de.ts';
import { EN, type FailureReason, type Texts } from './en.ts';
import { ES } from './es.ts';

export type { FailureReason, Texts };

/** A language of the hosted pages. `tag` and `dir` are what the page's root element says. */
export type Language = { readonly tag: string; readonly dir: 'ltr' | 'rtl'; readonly texts: Texts };

const ENGLISH: Language = { tag: 'en', dir: 'ltr', texts: EN };

/** Every language that the pages speak. A new one is a file beside `en.ts` and a line here. */
export const LANGUAGES: readonly Language[] = [
  ENGLISH,
  { tag: 'de', dir: 'ltr', texts: DE },
  { tag: 'es', dir: 'ltr', texts: ES },
];

const ACCEPTED_MAX = 20;

/**
 * The language of a page: what was asked for by tag, in the order given, then what the browser accepts, then English.
 * A tag stands for the language that it begins with (the lookup of RFC 4647 section 3.4): `de-AT` is German.
 */
export function chooseLanguage(
  wishes: readonly (string | null | undefined)[],
  acceptLanguage: string | undefined,
): Language {
  for (const wish of [...wishes, ...acceptedTags(acceptLanguage ?? '')]) {
    const found = wish == null ? undefined : languageOf(wish);
    if (found !== undefined) return found;
  }
  return ENGLISH;
}

/** The language that a tag asks for; undefined where the pages do not speak it. */
export function languageOf(tag: string): Language | undefined {
  const wanted = tag.toLowerCase();
  return LANGUAGES.find((language) => wanted === language.tag || wanted.startsWith(`${language.tag}-`));
}

/** True for a code that the pages explain. */
export function isFailureReason(code: string): code is FailureReason {
  return Object.hasOwn(EN.failures, code);
}

/** Tags of an Accept-Language field, the most wanted first (RFC 9110 sections 12.4.2 and 12.5.4). */
function acceptedTags(field: string): string[] {
  const weighted = field
    .split(',', ACCEPTED_MAX)
    .map((part) =>
      /^\s*([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)\s*(?:;\s*q=([01](?:\.\d{0,3})?))?\s*$/.exec(part),
    )
    .map((match) => ({ tag: match?.[1] ?? '', weight: Number(match?.[2] ?? 1) }));
  return weighted
    .filter(({ tag, weight }) => tag !== '' && weight > 0)
    .toSorted((left, right) => right.weight - left.weight)
    .map(({ tag }) => tag);
}
