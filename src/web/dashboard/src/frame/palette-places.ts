import { useMantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { changeMe, signOut } from '../api/operators.ts';
import { useNavigationProject } from '../app/project.ts';
import type { Texts } from '../texts/area-texts.ts';
import { LANGUAGE_NAMES, LANGUAGES, useLanguage, useTexts } from '../texts/texts.tsx';
import type { IconName } from '../ui/icons.tsx';
import { useAction } from '../ui/use-action.ts';
import { matchWords } from './match-words.ts';
import { PLACES } from './places.ts';

export type PaletteEntry = {
  readonly id: string;
  readonly group: string;
  readonly icon: IconName;
  /** Whose logo stands in the place of the icon. */
  readonly provider?: string;
  readonly title: string;
  /** What else finds it. */
  readonly words?: string;
  readonly subtitle?: string | null;
  readonly kind?: string;
  /** The page that it leads to. */
  readonly address?: string;
  readonly run: () => void;
};

/** What the frame does. */
export type PaletteActions = { readonly onHelp: () => void; readonly onNewProject: () => void };

/** Pages, settings and actions that fit the words; all for none. */
export function usePlaceEntries(words: string, actions: PaletteActions): readonly PaletteEntry[] {
  const pages = usePages();
  return matchWords([...pages, ...useActions(actions)], words);
}

function usePages(): readonly PaletteEntry[] {
  const { palette, places } = useTexts();
  const projectId = useNavigationProject();
  const navigate = useNavigate();
  const reachable = PLACES.filter(({ to }) => projectId !== undefined || !to.includes('$projectId'));
  return reachable.map(({ name, icon, to }) => {
    const address = to.replace('$projectId', projectId ?? '');
    const run = () => void navigate({ href: address });
    return { id: name, group: palette.pages, icon, ...places[name], address, run };
  });
}

function useActions({ onHelp, onNewProject }: PaletteActions): readonly PaletteEntry[] {
  const { palette, places, frame } = useTexts();
  const { setColorScheme } = useMantineColorScheme();
  const { setLanguage } = useLanguage();
  const leave = useLeave();
  const action = (name: keyof Texts['places'], icon: IconName, run: () => void): PaletteEntry => ({
    ...{ id: name, group: palette.actions, icon, run },
    ...places[name],
  });
  const languages = LANGUAGES.map((language): PaletteEntry => {
    const run = () => {
      setLanguage(language);
      void changeMe({ language }).catch(() => undefined);
    };
    const title = `${frame.language}: ${LANGUAGE_NAMES[language]}`;
    return {
      id: `language ${language}`,
      group: palette.actions,
      icon: 'book',
      title,
      words: 'language',
      run,
    };
  });
  return [
    action('new-project', 'plus', onNewProject),
    action('theme-light', 'sun', () => setColorScheme('light')),
    action('theme-dark', 'moon', () => setColorScheme('dark')),
    action('theme-auto', 'monitor', () => setColorScheme('auto')),
    ...languages,
    action('keyboard', 'keyboard', onHelp),
    action('documents', 'book', () => window.open('/docs', '_blank', 'noreferrer')),
    action('api-reference', 'code', () => window.open('/docs/try', '_blank', 'noreferrer')),
    action('error-codes', 'help', () => window.open('/docs/errors', '_blank', 'noreferrer')),
    action('sign-out', 'signOut', leave),
  ];
}

function useLeave(): () => void {
  const navigate = useNavigate();
  const client = useQueryClient();
  const leave = useAction({
    send: signOut,
    onDone: async () => {
      client.clear();
      await navigate({ to: '/sign-in' });
    },
  });
  return () => leave.mutate();
}
