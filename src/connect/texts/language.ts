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
    const found = wish == null ? undefined : findLanguage(wish);
    if (found !== undefined) return found;
  }
  return ENGLISH;
}

/** The language that a tag asks for; undefined where the pages do not speak it. */
export function findLanguage(tag: string): Language | undefined {
  const wanted = tag.toLowerCase();
  return LANGUAGES.find((language) => wanted === language.tag || wanted.startsWith(`${language.tag}-`));
}

/** True for a code that the pages explain. */
export function isFailureReason(code: string): code is FailureReason {
  return Object.hasOwn(EN.failures, code);
}

/**
 * Tags of an Accept-Language field, the most wanted first (RFC 9110 sections 12.4.2 and 12.5.4). What is no language
 * range is left out, and of a field that no browser sends (512 characters) the rest.
 */
function acceptedTags(field: string): string[] {
  return field
    .slice(0, FIELD_LENGTH_MAX)
    .split(',', ACCEPTED_MAX)
    .map(readRange)
    .filter(({ tag, weight }) => LANGUAGE_TAG.test(tag) && weight > 0)
    .toSorted((left, right) => right.weight - left.weight)
    .map(({ tag }) => tag);
}

const FIELD_LENGTH_MAX = 512;
const LANGUAGE_TAG = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/;
const WEIGHT = /^q=([01](?:\.\d{0,3})?)$/;

/** `de-AT;q=0.8`; an invalid weight counts as zero. */
function readRange(text: string): { tag: string; weight: number } {
  const [tag = '', parameter] = text.split(';', 2).map((part) => part.trim());
  if (parameter === undefined) return { tag, weight: 1 };
  return { tag, weight: Number(WEIGHT.exec(parameter)?.[1] ?? 0) };
}
