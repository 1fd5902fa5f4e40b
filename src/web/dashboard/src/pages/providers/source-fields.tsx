import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, Input, TextInput } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import type { AreaTexts } from '../../texts/area-texts.ts';
import { useTexts } from '../../texts/texts.tsx';
import styles from './providers.module.css';

export type FactGroup = keyof AreaTexts['integrations']['customProviders']['contribute']['groups'];

/** Where facts were found: an address, what it says, and when it was read. */
export type SourceValues = {
  readonly from: string;
  readonly says: readonly FactGroup[];
  readonly date: string;
  readonly isVendor: boolean;
};

/** One that was read today. */
export function makeSource(): SourceValues {
  return { from: '', says: [], date: new Date().toISOString().slice(0, 10), isVendor: false };
}

type SourceFieldsProps = {
  readonly place: number;
  readonly source: SourceValues;
  readonly getError: (member: 'from' | 'says' | 'date') => ReactNode;
  readonly onChange: (changed: SourceValues) => void;
};

export function SourceFields({ place, source, getError, onChange }: SourceFieldsProps) {
  const { contribute: texts } = useTexts().integrations.customProviders;
  const errorId = useId();
  const saysError = getError('says');
  const isGroup = (name: string): name is FactGroup => Object.hasOwn(texts.groups, name);
  const mark = (group: FactGroup, isMarked: boolean) => {
    const others = source.says.filter((name) => name !== group);
    onChange({ ...source, says: isMarked ? [...others, group] : others });
  };
  return (
    <fieldset className={styles.source}>
      <legend>{texts.source(place + 1)}</legend>
      <TextInput
        label={texts.from}
        description={texts.fromHint}
        required
        value={source.from}
        error={getError('from')}
        onChange={({ currentTarget }) => onChange({ ...source, from: currentTarget.value })}
      />
      <TextInput
        label={texts.date}
        type="date"
        required
        value={source.date}
        error={getError('date')}
        onChange={({ currentTarget }) => onChange({ ...source, date: currentTarget.value })}
      />
      <Checkbox
        label={texts.vendor}
        checked={source.isVendor}
        onChange={({ currentTarget }) => onChange({ ...source, isVendor: currentTarget.checked })}
      />
      <fieldset className={styles.groups} aria-describedby={saysError === undefined ? undefined : errorId}>
        <legend>{texts.says}</legend>
        {Object.keys(texts.groups)
          .filter(isGroup)
          .map((group) => (
            <Checkbox
              key={group}
              label={texts.groups[group]}
              checked={source.says.includes(group)}
              onChange={({ currentTarget }) => mark(group, currentTarget.checked)}
            />
          ))}
        {saysError !== undefined && (
          <Input.Error id={errorId} role="alert">
            {saysError}
          </Input.Error>
        )}
      </fieldset>
    </fieldset>
  );
}
