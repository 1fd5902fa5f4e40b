import { Modal, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { type SearchResult, searchQuery } from '../api/operators.ts';
import { useOptionalProjectId } from '../app/project.ts';
import { useTexts } from '../texts/texts.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';
import styles from './frame.module.css';
import { PROJECT_PAGES } from './pages-of-project.ts';
import { hrefOfResult } from './search-links.ts';

type Entry = {
  readonly id: string;
  readonly group: string;
  readonly icon: IconName;
  readonly title: string;
  readonly subtitle?: string | null;
  readonly kind?: string;
  readonly run: () => void;
};

const TYPING_PAUSE_MS = 150;
const RESULT_ICONS: Readonly<Record<SearchResult['kind'], IconName>> = {
  user: 'user',
  connection: 'connections',
  integration: 'integrations',
  provider: 'plus',
  request: 'calls',
  project: 'home',
};

/** The one search field: users, connections, requests, accounts, providers, pages and actions. */
export function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const { palette } = useTexts();
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const { entries, isSearching } = useEntries(words.trim(), onHelp);
  const selected = Math.min(at, entries.length - 1);
  const run = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      const next = (selected + step + entries.length) % Math.max(1, entries.length);
      setAt(next);
      document.getElementById(`palette-${next}`)?.scrollIntoView({ block: 'nearest' });
    }
    if (event.key === 'Enter') run(entries[selected]);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size="36rem"
      yOffset="12vh"
      centered={false}
      attributes={{ content: { 'aria-label': palette.title } }}
    >
      <div className={styles.palette}>
        <div className={styles.paletteField}>
          <Icon name="search" size={18} />
          <input
            data-autofocus
            role="combobox"
            aria-expanded="true"
            aria-controls="palette-list"
            aria-activedescendant={entries.length > 0 ? `palette-${selected}` : undefined}
            aria-label={palette.placeholder}
            placeholder={palette.placeholder}
            value={words}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => {
              setWords(event.currentTarget.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
          />
        </div>
        <div className={styles.paletteList}>
          <div id="palette-list" role="listbox" aria-label={palette.title}>
            {entries.map((entry, index) => (
              <Option
                key={entry.id}
                entry={entry}
                index={index}
                isSelected={index === selected}
                isFirstOfGroup={entries[index - 1]?.group !== entry.group}
                onHover={() => setAt(index)}
                onRun={() => run(entry)}
              />
            ))}
          </div>
          <p className={styles.paletteGroup} role="status">
            {isSearching ? palette.searching : entries.length === 0 ? palette.nothing(words) : ''}
          </p>
        </div>
      </div>
    </Modal>
  );
}

function Option(props: {
  entry: Entry;
  index: number;
  isSelected: boolean;
  isFirstOfGroup: boolean;
  onHover: () => void;
  onRun: () => void;
}) {
  const { entry, index, isSelected, isFirstOfGroup, onHover, onRun } = props;
  return (
    <>
      {isFirstOfGroup && (
        <div className={styles.paletteGroup} role="presentation">
          {entry.group}
        </div>
      )}
      {/* The keys are those of the field, which keeps the focus. */}
      <div
        id={`palette-${index}`}
        role="option"
        tabIndex={-1}
        aria-selected={isSelected}
        className={styles.option}
        onMouseMove={onHover}
        onClick={onRun}
        onKeyDown={undefined}
      >
        <Icon name={entry.icon} size={17} />
        <span>
          {entry.title} {entry.subtitle && <small>{entry.subtitle}</small>}
        </span>
        {entry.kind && <small>{entry.kind}</small>}
      </div>
    </>
  );
}

function useEntries(words: string, onHelp: () => void): { entries: readonly Entry[]; isSearching: boolean } {
  const [asked] = useDebouncedValue(words, TYPING_PAUSE_MS);
  const projectId = useOptionalProjectId();
  const search = useQuery({ ...searchQuery(asked, projectId), enabled: asked.length >= 2, retry: false });
  const { palette } = useTexts();
  const navigate = useNavigate();
  const fixed = useFixedEntries(onHelp);
  const matching = fixed.filter(({ title }) => title.toLowerCase().includes(words.toLowerCase()));
  const found = (words.length >= 2 ? (search.data?.results ?? []) : []).flatMap((result): Entry[] => {
    const href = hrefOfResult(result, projectId);
    if (href === undefined) return [];
    return [
      {
        id: `${result.kind} ${result.id}`,
        group: palette.results,
        icon: RESULT_ICONS[result.kind],
        title: result.title,
        subtitle: result.subtitle,
        kind: palette.kinds[result.kind],
        run: () => void navigate({ href }),
      },
    ];
  });
  return { entries: [...found, ...matching], isSearching: search.isFetching };
}

function useFixedEntries(onHelp: () => void): readonly Entry[] {
  const { palette, frame } = useTexts();
  const projectId = useOptionalProjectId();
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme();
  const go = (href: string) => () => void navigate({ href });
  const page = (id: string, icon: IconName, title: string, href: string): Entry => ({
    id,
    group: palette.pages,
    icon,
    title,
    run: go(href),
  });
  const action = (id: string, icon: IconName, title: string, run: () => void): Entry => ({
    id,
    group: palette.actions,
    icon,
    title,
    run,
  });
  const ofProject = projectId === undefined ? [] : PROJECT_PAGES;
  return [
    ...ofProject.map(({ name, to }) =>
      page(name, name, frame.nav[name], to.replace('$projectId', projectId ?? '')),
    ),
    page('me', 'shield', frame.me, '/me'),
    page('gateway', 'server', frame.gateway, '/gateway'),
    ...(projectId === undefined
      ? []
      : [action('new', 'plus', palette.createIntegration, go(`/p/${projectId}/integrations/new`))]),
    action('theme', 'sun', palette.switchTheme, () => setColorScheme(scheme === 'dark' ? 'light' : 'dark')),
    action('keys', 'keyboard', frame.keyboard, onHelp),
  ];
}
