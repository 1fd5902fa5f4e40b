import { chooseLanguage, findLanguage, LANGUAGES } from '../../src/connect/texts/language.ts';

/** Every text by its path, filled in with sample values where it takes some. */
function flattened(value: unknown, path = ''): Map<string, string> {
  if (typeof value === 'function') return flattened(value(path.endsWith('matches') ? 7 : 'Acme'), path);
  if (typeof value === 'string') return new Map([[path, value]]);
  if (typeof value !== 'object' || value === null) throw new Error(`${path} is no text: ${value}`);
  return new Map(Object.entries(value).flatMap(([key, part]) => [...flattened(part, `${path}/${key}`)]));
}

const english = flattened(LANGUAGES[0]?.texts);
/** Words that are the same in two languages. */
const SHARED = new Set(['CRM', 'Marketing']);
const others = LANGUAGES.slice(1).map(({ tag, texts }) => [tag, flattened(texts)] as const);

describe('the languages of the hosted pages', () => {
  it('are English, German and Spanish', () => {
    expect(LANGUAGES.map(({ tag }) => tag)).toEqual(['en', 'de', 'es']);
  });

  it.each(others)('%s has every text that English has, and none besides', (_, texts) => {
    expect([...texts.keys()].toSorted()).toEqual([...english.keys()].toSorted());
    expect([...texts].filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  it.each(others)('%s leaves nothing in English', (_, texts) => {
    const same = [...texts].filter(([path, text]) => text === english.get(path) && !SHARED.has(text));
    expect(same).toEqual([]);
  });

  it.each(others)('%s names the service, the label or the words wherever English does', (_, texts) => {
    const lost = [...english].filter(
      ([path, text]) => text.includes('Acme') && !texts.get(path)?.includes('Acme'),
    );
    expect(lost).toEqual([]);
  });
});

describe('the language of a page', () => {
  const chosen = (wishes: (string | null | undefined)[], accepted?: string) =>
    chooseLanguage(wishes, accepted).tag;

  it('is the first that was asked for and is spoken, whatever the browser says', () => {
    expect(chosen(['es', 'de'], 'en')).toBe('es');
    expect(chosen([undefined, 'de-AT'], 'es')).toBe('de');
    expect(chosen(['xx', null], 'es')).toBe('es');
  });

  it('is the one that the browser wants most of those that are spoken', () => {
    expect(chosen([], 'fr-CH, fr;q=0.9, es;q=0.5, de;q=0.7, *;q=0.1')).toBe('de');
    expect(chosen([], 'ES-mx')).toBe('es');
    expect(chosen([], 'de;q=0, es;q=0.1')).toBe('es');
  });

  it('is English where nothing fits, or nothing can be read', () => {
    for (const accepted of [undefined, '', 'fr', '*', 'de;q=x', ';;,,', 'deutsch', `${'x,'.repeat(50)}de`]) {
      expect([accepted, chosen([], accepted)]).toEqual([accepted, 'en']);
    }
    expect(findLanguage('destroy')).toBeUndefined();
  });
});
