import { fillIn, type Values } from './fill-in.ts';
import type { Language } from './language.ts';

/** What a text takes: one value, or several by name. */
type Given = string | number | Values;
/** A text that counts, by the plural categories of its language (Unicode CLDR). */
type Forms = Readonly<Record<string, string>> & { readonly other: string };

const CATEGORIES: ReadonlySet<string> = new Set(['zero', 'one', 'two', 'few', 'many', 'other']);
const PLACEHOLDER = /\{\w+\}/;

/** Makes the templates of a translation into functions, in place. Lists keep theirs, which are filled in where they are shown. */
export function compileTexts<Area extends object>(texts: Area, language: Language): Area {
  const rules = new Intl.PluralRules(language);
  for (const [key, text] of Object.entries(texts)) Reflect.set(texts, key, compile(text, rules, language));
  return texts;
}

function compile(text: unknown, rules: Intl.PluralRules, language: Language): unknown {
  if (typeof text === 'string') return PLACEHOLDER.test(text) ? (given: Given) => fill(text, given) : text;
  if (typeof text !== 'object' || text === null || Array.isArray(text)) return text;
  if (isForms(text)) return (given: Given) => fill(text[rules.select(countOf(given))] ?? text.other, given);
  return compileTexts(text, language);
}

function isForms(text: object): text is Forms {
  return 'other' in text && Object.keys(text).every((key) => CATEGORIES.has(key));
}

function fill(template: string, given: Given): string {
  return typeof given === 'object'
    ? fillIn(template, given)
    : template.replaceAll(/\{\w+\}/g, () => String(given));
}

/** Of several values the one called `count` chooses the form. */
function countOf(given: Given): number {
  return Number(typeof given === 'object' ? given.count : given);
}
