import { createContext, type ReactNode, useContext } from 'react';
import type { TextArea, Texts } from './area-texts.ts';
import { loadAreas, loadTexts } from './areas.ts';
import type { Language } from './language.ts';

export const LANGUAGES: readonly Language[] = ['en', 'de', 'es'];

/** In their own words, since an operator who looks for one may read no other. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
};

/** The language of the page, for what runs outside of its components. */
let spoken: Language = 'en';

/** Makes the preferred language that of the page, before any of its texts is there. */
export function speakPreferred(): Language {
  spoken = preferredLanguage();
  return spoken;
}

/** The texts of a language, which is the page's from now on. */
export async function speak(language: Language): Promise<Texts> {
  const texts = await loadTexts(language);
  spoken = language;
  return texts;
}

/** For a route's `loader`: brings the texts of these areas along with the page's script. */
export function withTexts(...areas: readonly TextArea[]): () => Promise<void> {
  return () => loadAreas(areas, spoken);
}

const STORED = 'dashboard-language';

/** Chosen before on this device, or the first of the browser's languages that the dashboard has. */
export function preferredLanguage(): Language {
  const wanted = [readStored(), ...navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase())];
  return wanted.find(isLanguage) ?? 'en';
}

/** Keeps the language for the pages before signing in, which know no operator. */
export function rememberLanguage(language: Language): void {
  try {
    localStorage.setItem(STORED, language);
  } catch {
    // Storage is switched off: the browser's own language decides next time.
  }
}

function readStored(): string | null {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}

export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.some((language) => language === value);
}

type Held = {
  readonly texts: Texts;
  readonly language: Language;
  readonly setLanguage: (language: Language) => void;
};

const Context = createContext<Held | undefined>(undefined);

export function TextsProvider({ held, children }: { held: Held; children: ReactNode }) {
  return <Context.Provider value={held}>{children}</Context.Provider>;
}

function useHeld(): Held {
  const held = useContext(Context);
  if (held === undefined) throw new Error('No TextsProvider around this component');
  return held;
}

/** The words of the page in the operator's language. */
export function useTexts(): Texts {
  return useHeld().texts;
}

/** The language itself, for Intl formats, and how to change it. */
export function useLanguage(): Pick<Held, 'language' | 'setLanguage'> {
  return useHeld();
}
