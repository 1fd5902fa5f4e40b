import { loadScript } from '../api/load-script.ts';
import type { TextArea, Texts } from './area-texts.ts';
import type { Language } from './language.ts';

/** A script for each area and language. */
const ENGLISH = import.meta.glob<{ texts: object }>('./en/*.ts');
const TRANSLATIONS = import.meta.glob<{ default: object }>(['./*/*.json', '!./*/findings.json'], {
  base: '../../../../../locales/dashboard',
});

/** Those that stand beside the frame's texts. */
const AREAS = Object.keys(ENGLISH)
  .map((path) => path.slice('./en/'.length, -'.ts'.length))
  .filter((area) => area !== 'frame');

const loaded: Readonly<Record<Language, Map<string, object>>> = {
  en: new Map(),
  de: new Map(),
  es: new Map(),
};

/** The areas that a page has needed so far, for when the language changes. */
const needed = new Set<string>(['frame']);

async function loadArea(area: string, language: Language): Promise<void> {
  needed.add(area);
  if (!loaded[language].has(area)) loaded[language].set(area, await fetchArea(area, language));
}

async function fetchArea(area: string, language: Language): Promise<object> {
  const english = ENGLISH[`./${language}/${area}.ts`];
  if (english !== undefined) return (await loadScript(english)).texts;
  const translation = TRANSLATIONS[`./${language}/${area}.json`];
  if (translation === undefined) throw new Error(`The texts of ${area} are missing in ${language}`);
  // English needs none of it.
  const [{ compileTexts }, { default: texts }] = await Promise.all([
    loadScript(() => import('./compile-texts.ts')),
    loadScript(translation),
  ]);
  return compileTexts(texts, language);
}

/** Loads these areas in one language, however long their scripts cannot be had. */
export async function loadAreas(areas: Iterable<TextArea>, language: Language): Promise<void> {
  await Promise.all([...areas].map((area) => loadArea(area, language)));
}

/** Everything that was needed so far, in a language, so that no page waits when it changes to it. */
export async function loadTexts(language: Language): Promise<Texts> {
  await Promise.all([...needed].map((area) => loadArea(area, language)));
  const getters = AREAS.map((area) => [area, { get: () => read(area, language) }]);
  return Object.create(read('frame', language), Object.fromEntries(getters));
}

function read(area: string, language: Language): object {
  const texts = loaded[language].get(area);
  // React waits for a promise that is thrown while it renders, and renders again.
  if (texts === undefined) throw loadArea(area, language);
  return texts;
}
