import { ActionIcon, Button, TextInput } from '@mantine/core';
import { useTexts } from '../../../texts/texts.tsx';
import { Icon } from '../../../ui/icons.tsx';
import styles from './console.module.css';
import type { Row } from './console-call.ts';

type Props = {
  readonly legend: string;
  readonly addLabel: string;
  readonly rows: readonly Row[];
  readonly onChange: (rows: readonly Row[]) => void;
};

/** Names with values: query parameters or header fields. */
export function RowsEditor({ legend, addLabel, rows, onChange }: Props) {
  const { console: texts } = useTexts().calls;
  const change = (id: number, part: Partial<Row>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const add = () =>
    onChange([...rows, { id: Math.max(0, ...rows.map(({ id }) => id)) + 1, name: '', value: '' }]);
  return (
    <fieldset className={styles.rows}>
      <legend>{legend}</legend>
      {rows.map((row) => (
        <div key={row.id}>
          <TextInput
            size="xs"
            aria-label={`${legend}: ${texts.name}`}
            placeholder={texts.name}
            value={row.name}
            onChange={(event) => change(row.id, { name: event.currentTarget.value })}
            spellCheck={false}
          />
          <TextInput
            size="xs"
            aria-label={`${legend}: ${texts.value}`}
            placeholder={texts.value}
            value={row.value}
            onChange={(event) => change(row.id, { value: event.currentTarget.value })}
            spellCheck={false}
            autoComplete="off"
          />
          <ActionIcon
            aria-label={`${texts.removeRow} ${row.name}`}
            onClick={() => onChange(rows.filter(({ id }) => id !== row.id))}
          >
            <Icon name="close" size={14} />
          </ActionIcon>
        </div>
      ))}
      <Button variant="subtle" size="compact-sm" leftSection={<Icon name="plus" size={13} />} onClick={add}>
        {addLabel}
      </Button>
    </fieldset>
  );
}
