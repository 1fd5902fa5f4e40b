import type { AreaTexts, TextArea, Texts } from './area-texts.ts';
import type { Language } from './language.ts';

type Loader<Area extends TextArea> = () => Promise<Readonly<AreaTexts[Area]>>;

/** The texts of each area: a file for each language, loaded when a page first needs it. */
const LOADERS: { readonly [Area in TextArea]: Readonly<Record<Language, Loader<Area>>> } = {
  frame: {
    en: () => import('./frame/en.ts'),
    de: () => import('./frame/de.ts'),
    es: () => import('./frame/es.ts'),
  },
  'sign-in': {
    en: () => import('./sign-in/en.ts'),
    de: () => import('./sign-in/de.ts'),
    es: () => import('./sign-in/es.ts'),
  },
  home: {
    en: () => import('./home/en.ts'),
    de: () => import('./home/de.ts'),
    es: () => import('./home/es.ts'),
  },
  integrations: {
    en: () => import('./integrations/en.ts'),
    de: () => import('./integrations/de.ts'),
    es: () => import('./integrations/es.ts'),
  },
  connections: {
    en: () => import('./connections/en.ts'),
    de: () => import('./connections/de.ts'),
    es: () => import('./connections/es.ts'),
  },
  calls: {
    en: () => import('./calls/en.ts'),
    de: () => import('./calls/de.ts'),
    es: () => import('./calls/es.ts'),
  },
  events: {
    en: () => import('./events/en.ts'),
    de: () => import('./events/de.ts'),
    es: () => import('./events/es.ts'),
  },
  activity: {
    en: () => import('./activity/en.ts'),
    de: () => import('./activity/de.ts'),
    es: () => import('./activity/es.ts'),
  },
  settings: {
    en: () => import('./settings/en.ts'),
    de: () => import('./settings/de.ts'),
    es: () => import('./settings/es.ts'),
  },
  me: {
    en: () => import('./me/en.ts'),
    de: () => import('./me/de.ts'),
    es: () => import('./me/es.ts'),
  },
  gateway: {
    en: () => import('./gateway/en.ts'),
    de: () => import('./gateway/de.ts'),
    es: () => import('./gateway/es.ts'),
  },
};

type Loaded = { [Area in TextArea]: Map<Language, Readonly<AreaTexts[Area]>> };

const loaded: Loaded = {
  frame: new Map(),
  'sign-in': new Map(),
  home: new Map(),
  integrations: new Map(),
  connections: new Map(),
  calls: new Map(),
  events: new Map(),
  activity: new Map(),
  settings: new Map(),
  me: new Map(),
  gateway: new Map(),
};

/** The areas that a page has needed so far, for when the language changes. */
const needed = new Set<TextArea>(['frame']);

async function loadArea<Area extends TextArea>(area: Area, language: Language): Promise<void> {
  needed.add(area);
  if (!loaded[area].has(language)) loaded[area].set(language, await LOADERS[area][language]());
}

/** Loads these areas in one language. Rejects where a script cannot be fetched. */
export async function loadAreas(areas: Iterable<TextArea>, language: Language): Promise<void> {
  await Promise.all([...areas].map((area) => loadArea(area, language)));
}

/** Everything that was needed so far, in a language, so that no page waits when it changes to it. */
export async function loadTexts(language: Language): Promise<Texts> {
  await loadAreas(needed, language);
  return textsOf(language);
}

function read<Area extends TextArea>(area: Area, language: Language): Readonly<AreaTexts[Area]> {
  const texts = loaded[area].get(language);
  // React waits for a promise that is thrown while it renders, and renders again.
  if (texts === undefined) throw loadArea(area, language);
  return texts;
}

function textsOf(language: Language): Texts {
  return {
    ...read('frame', language),
    get signIn() {
      return read('sign-in', language).signIn;
    },
    get setup() {
      return read('sign-in', language).setup;
    },
    get invitation() {
      return read('sign-in', language).invitation;
    },
    get resetPassword() {
      return read('sign-in', language).resetPassword;
    },
    get home() {
      return read('home', language).home;
    },
    get integrations() {
      return read('integrations', language).integrations;
    },
    get customProviders() {
      return read('integrations', language).customProviders;
    },
    get connections() {
      return read('connections', language).connections;
    },
    get calls() {
      return read('calls', language).calls;
    },
    get events() {
      return read('events', language).events;
    },
    get activity() {
      return read('activity', language).activity;
    },
    get settings() {
      return read('settings', language).settings;
    },
    get me() {
      return read('me', language).me;
    },
    get gateway() {
      return read('gateway', language).gateway;
    },
  };
}
