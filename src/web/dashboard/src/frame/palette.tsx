import { Modal } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { useTexts } from '../texts/texts.tsx';
import { Icon } from '../ui/icons.tsx';
import { ProviderLogo } from '../ui/provider-mark.tsx';
import styles from './frame.module.css';
import { type PaletteActions, type PaletteEntry, usePlaceEntries } from './palette-places.ts';
import { usePaletteResults } from './palette-results.ts';
import { PALETTE_FIELD } from './typed-ahead.ts';

type PaletteProps = PaletteActions & {
  readonly words: string;
  readonly onWords: (words: string) => void;
  readonly onClose: () => void;
};

/** The one search field: users, connections, requests, accounts, providers, pages and actions. */
export function Palette({ words, onWords, onClose, ...actions }: PaletteProps) {
  const { palette } = useTexts();
  const [at, setAt] = useState(0);
  const places = usePlaceEntries(words.trim(), actions);
  const { entries: results, status } = usePaletteResults(words.trim());
  const entries = [...places, ...results];
  const selected = Math.min(at, entries.length - 1);
  const run = (entry: PaletteEntry | undefined) => {
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
            id={PALETTE_FIELD}
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
              onWords(event.currentTarget.value);
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
            {status === 'searching' && palette.searching}
            {status === 'failed' && palette.failed}
            {status === 'looked' && entries.length === 0 && palette.nothing(words)}
          </p>
        </div>
      </div>
    </Modal>
  );
}

function Option(props: {
  entry: PaletteEntry;
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
        data-address={entry.address}
        onMouseMove={onHover}
        onClick={onRun}
        onKeyDown={undefined}
      >
        {entry.provider === undefined ? (
          <Icon name={entry.icon} size={17} />
        ) : (
          <ProviderLogo id={entry.provider} size={17} />
        )}
        <span>
          {entry.title} {entry.subtitle && <small>{entry.subtitle}</small>}
        </span>
        {entry.kind && <small>{entry.kind}</small>}
      </div>
    </>
  );
}
