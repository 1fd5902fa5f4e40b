import { Button, Popover, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTexts } from '../../texts/texts.tsx';
import { Icon } from '../icons.tsx';
import type { FilterDefinition } from './filters.ts';
import styles from './list.module.css';

type TypedFilterProps = {
  readonly definition: FilterDefinition;
  readonly setFilter: (name: string, value: string) => void;
};

/** A filter whose value is typed: a text, or a time with the usual spans a click away. It is open at first. */
export function TypedFilter({ definition, setFilter }: TypedFilterProps) {
  const { common } = useTexts();
  const [isOpen, setOpen] = useState(true);
  const [typed, setTyped] = useState('');
  const { name, label, kind, presets = [] } = definition;
  const set = (value: string) => {
    setOpen(false);
    setTyped('');
    if (value !== '') setFilter(name, value);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A time of this device, as the field shows it; the address keeps UTC, so that a link means the same everywhere.
    set(kind === 'time' && typed !== '' ? new Date(typed).toISOString() : typed.trim());
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" shadow="md" trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          size="sm"
          fw={500}
          rightSection={<Icon name="chevronDown" size={13} />}
          onClick={() => setOpen(!isOpen)}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form className={styles.typed} onSubmit={submit}>
          {presets.map(({ seconds, label: span }) => (
            <Button
              key={seconds}
              variant="subtle"
              color="gray"
              size="compact-sm"
              justify="flex-start"
              onClick={() => set(new Date(Date.now() - seconds * 1_000).toISOString())}
            >
              {span}
            </Button>
          ))}
          <TextInput
            size="sm"
            type={kind === 'time' ? 'datetime-local' : 'text'}
            {...(kind === 'time' && { step: 1 })}
            aria-label={label}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            spellCheck={false}
            data-autofocus
          />
          <Button type="submit" size="compact-md" disabled={typed === ''}>
            {common.filter}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
