/** The texts of each area of pages, as the English ones have them. */
export type AreaTexts = {
  frame: typeof import('./frame/en.ts');
  'sign-in': typeof import('./sign-in/en.ts');
  home: typeof import('./home/en.ts');
  integrations: typeof import('./integrations/en.ts');
  connections: typeof import('./connections/en.ts');
  calls: typeof import('./calls/en.ts');
  events: typeof import('./events/en.ts');
  activity: typeof import('./activity/en.ts');
  settings: typeof import('./settings/en.ts');
  me: typeof import('./me/en.ts');
  gateway: typeof import('./gateway/en.ts');
};

export type TextArea = keyof AreaTexts;

/** Every word of the dashboard in one language. Reading an area that is not loaded waits for it, as `lazy` does. */
export type Texts = AreaTexts['frame'] &
  AreaTexts['sign-in'] &
  AreaTexts['home'] &
  AreaTexts['integrations'] &
  AreaTexts['connections'] &
  AreaTexts['calls'] &
  AreaTexts['events'] &
  AreaTexts['activity'] &
  AreaTexts['settings'] &
  AreaTexts['me'] &
  AreaTexts['gateway'];
