import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const ENGLISH = join(ROOT, 'src/web/dashboard/src/texts/en');
const LOCALES = join(ROOT, 'locales/dashboard');

export const TRANSLATED: readonly string[] = readdirSync(LOCALES);

/** The files of one language, without their endings. */
export function dashboardAreas(language: string): string[] {
  const folder = language === 'en' ? ENGLISH : join(LOCALES, language);
  return readdirSync(folder)
    .map((file) => file.replace(/\.\w+$/, ''))
    .sort();
}

/** The dashboard's texts of one area as they are written: functions in English, templates in other languages. */
export async function dashboardTexts(language: string, area: string) {
  if (language !== 'en') return JSON.parse(readFileSync(join(LOCALES, language, `${area}.json`), 'utf8'));
  // The path is no literal, since the pages have settings of TypeScript of their own.
  return (await import(join(ENGLISH, `${area}.ts`))).texts;
}

/** The words of refusals in a language other than English, by file. */
export function problemFiles(language: string) {
  const folder = join(LOCALES, language, 'problems');
  return Object.fromEntries(
    readdirSync(folder).map((file) => [
      file.replace(/\.json$/, ''),
      JSON.parse(readFileSync(join(folder, file), 'utf8')),
    ]),
  );
}
