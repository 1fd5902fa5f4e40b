import { FINDING_TEXTS, type FindingText } from '../../src/diagnosis/finding-texts.ts';
import { compileTexts } from '../../src/web/dashboard/src/texts/compile-texts.ts';
import { dashboardAreas, dashboardTexts, TRANSLATED } from '../support/dashboard-texts.ts';

type Text = string | readonly string[] | Readonly<Record<string, string>> | ((given: unknown) => string);

const CATEGORIES: readonly string[] = ['zero', 'one', 'two', 'few', 'many', 'other'];
/** Shorter ones may be the same in both languages: names, and words of the field. */
const SENTENCE_WORDS_MIN = 3;

function isText(value: unknown): value is Text {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
  return 'other' in value && Object.keys(value).every((key) => CATEGORIES.includes(key));
}

/** Keyed by the English words themselves; `grant-words.test.ts` knows which there are. */
const BY_WORDS = 'setUp.grantWords';

/** Every text of an area by its path, in order. */
function flatten(texts: object, prefix = ''): [string, Text][] {
  return Object.entries(texts).flatMap(([key, value]): [string, Text][] => {
    const path = prefix + key;
    if (path === BY_WORDS) return [];
    return isText(value) ? [[path, value]] : flatten(value, `${path}.`);
  });
}

const placeholdersIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** The names of the values that an English text takes; none where it takes a single one. */
function valueNames(text: (given: unknown) => string): string[] {
  const names: string[] = [];
  text(
    new Proxy({}, { get: (_, name) => (typeof name === 'string' ? void names.push(name) : () => 'a value') }),
  );
  return names;
}

/** An English text with a placeholder for each value, for one thing and for several. */
function englishTemplates(text: (given: unknown) => string): [one: string, several: string] {
  const names = valueNames(text);
  if (names.length === 0) return [text(1), text('{value}')];
  const places = Object.fromEntries(names.map((name) => [name, `{${name}}`]));
  return [text({ ...places, count: 1 }), text(places)];
}

function isCounted(text: Text): boolean {
  if (typeof text !== 'function') return false;
  const [one, several] = englishTemplates(text);
  return one !== several.replaceAll(/\{(count|value)\}/g, '1');
}

function placeholders(text: Text): string[] {
  if (typeof text === 'function') return [...new Set(englishTemplates(text).flatMap(placeholdersIn))].sort();
  const templates = typeof text === 'string' ? [text] : Object.values(text);
  return [...new Set(templates.flatMap(placeholdersIn))].sort();
}

/** A single value has a name in a translation alone. */
function fits(english: Text, translated: Text): boolean {
  const [wanted, found] = [placeholders(english), placeholders(translated)];
  return wanted.join() === 'value' ? found.length === 1 : wanted.join() === found.join();
}

/** Those that whole numbers have, up to what a page counts. */
function categoriesOf(language: string): string[] {
  const rules = new Intl.PluralRules(language);
  return [...new Set(Array.from({ length: 1_000 }, (_, count) => rules.select(count)))].sort();
}

const ENGLISH = new Map<string, [string, Text][]>();
const TRANSLATIONS = new Map<string, Map<string, Text>>();

beforeAll(async () => {
  for (const area of dashboardAreas('en')) {
    ENGLISH.set(area, flatten(await dashboardTexts('en', area)));
    for (const language of TRANSLATED)
      TRANSLATIONS.set(`${language}/${area}`, new Map(flatten(await dashboardTexts(language, area))));
  }
});

/** Of every text: where it is, in English, and in the language; undefined where it is missing. */
function pairs(language: string): [string, Text, Text | undefined][] {
  return [...ENGLISH].flatMap(([area, texts]) =>
    texts.map(([path, english]): [string, Text, Text | undefined] => [
      `${area}.${path}`,
      english,
      TRANSLATIONS.get(`${language}/${area}`)?.get(path),
    ]),
  );
}

const translatedPairs = (language: string) =>
  pairs(language).filter((pair): pair is [string, Text, Text] => pair[2] !== undefined);

describe.each(TRANSLATED)('the dashboard in %s', (language) => {
  it('has the areas of the English one, and the findings and problems, which the API words in English', () => {
    expect(dashboardAreas(language)).toEqual([...dashboardAreas('en'), 'findings', 'problems'].sort());
  });

  it('has every text and no other', () => {
    expect(pairs(language).length).toBeGreaterThan(1_000);
    expect(pairs(language).flatMap(([path, , text]) => (text === undefined ? [path] : []))).toEqual([]);
    const known = new Set(pairs(language).map(([path]) => path));
    const found = [...ENGLISH.keys()].flatMap((area) =>
      [...(TRANSLATIONS.get(`${language}/${area}`)?.keys() ?? [])].map((path) => `${area}.${path}`),
    );
    expect(found.filter((path) => !known.has(path))).toEqual([]);
  });

  it('puts the same values into its texts', () => {
    const wrong = translatedPairs(language).filter(([, english, text]) => !fits(english, text));
    expect(wrong.map(([path, english, text]) => [path, placeholders(english), placeholders(text)])).toEqual(
      [],
    );
  });

  it('has every plural form of its language where English has two', () => {
    const counted = translatedPairs(language).filter(([, english]) => isCounted(english));
    const categories = categoriesOf(language).join();
    const incomplete = counted.filter(
      ([, , text]) => typeof text !== 'object' || Object.keys(text).sort().join() !== categories,
    );
    expect(counted.length).toBeGreaterThan(20);
    expect(incomplete.map(([path]) => path)).toEqual([]);
  });

  it('leaves no sentence in English', () => {
    const same = translatedPairs(language).filter(
      ([, english, text]) =>
        typeof text === 'string' && text.split(' ').length >= SENTENCE_WORDS_MIN && text === english,
    );
    expect(same.map(([path]) => path)).toEqual([]);
  });

  it('becomes texts and functions as the English ones are', () => {
    for (const area of dashboardAreas('en')) {
      const raw = Object.fromEntries(TRANSLATIONS.get(`${language}/${area}`) ?? []);
      const texts: Readonly<Record<string, unknown>> = compileTexts(structuredClone(raw), 'de');
      const kinds = Object.entries(texts).map(([path, text]) => [path, typeof text]);
      expect(new Map(kinds.map(([path, kind]) => [path, kind]))).toEqual(
        new Map((ENGLISH.get(area) ?? []).map(([path, text]) => [path, typeof text])),
      );
    }
  });

  it('has every finding, with the parameters of the English one', async () => {
    const { findings } = await dashboardTexts(language, 'findings');
    const english = Object.entries<FindingText>(FINDING_TEXTS);
    expect(Object.keys(findings).sort()).toEqual(english.map(([code]) => code).sort());
    for (const [code, { title, detail, remedy, pageRemedy = remedy }] of english) {
      const found = findings[code].flatMap((text: Text) => placeholders(text));
      const wanted = [title, detail, pageRemedy].flatMap((text) => placeholders(text));
      expect([code, [...new Set(found)].sort()]).toEqual([code, [...new Set(wanted)].sort()]);
    }
  });

  it('has a form for one of every finding that counts, and no name of the API', async () => {
    const { findings } = await dashboardTexts(language, 'findings');
    for (const [code, [title, detail, remedy]] of Object.entries<[string, Text, string]>(findings)) {
      expect([code, `${title}${remedy}`]).toEqual([code, expect.not.stringMatching(/[`]|\{count\}/)]);
      const isCounting = JSON.stringify(detail).includes('{count}');
      expect([code, isCounting && typeof detail === 'string']).toEqual([code, false]);
      if (typeof detail === 'object') expect(Object.keys(detail).sort()).toEqual(categoriesOf(language));
    }
  });
});

describe('a translated text', () => {
  const texts: Readonly<Record<string, unknown>> = compileTexts(
    {
      title: 'Verbindungen',
      hello: 'Hallo {name}',
      moved: '{count} von {from} nach {to}',
      rows: { one: '1 Zeile', other: '{count} Zeilen' },
      shown: { one: 'eine', other: '{shown} davon' },
      words: ['{name} bleibt'],
    },
    'de',
  );
  const say = (name: string, given: unknown) => {
    const text = texts[name];
    return typeof text === 'function' ? text(given) : text;
  };

  it('is itself without a value', () => expect(say('title', 1)).toBe('Verbindungen'));

  it('takes a single value by whatever name, and as it is', () =>
    expect(say('hello', '$& {x}')).toBe('Hallo $& {x}'));

  it('takes several by name', () =>
    expect(say('moved', { count: 2, from: 'A', to: 'B' })).toBe('2 von A nach B'));

  it('has the form of its number', () => {
    expect([0, 1, 2].map((count) => say('rows', count))).toEqual(['0 Zeilen', '1 Zeile', '2 Zeilen']);
    expect(say('shown', { count: 1, shown: '1' })).toBe('eine');
    expect(say('shown', { count: 1_000, shown: '1.000' })).toBe('1.000 davon');
  });

  it('stays a template in a list', () => expect(texts.words).toEqual(['{name} bleibt']));
});
