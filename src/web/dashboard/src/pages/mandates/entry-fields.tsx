import '@mantine/core/styles/Checkbox.layer.css';
import { ActionIcon, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../../texts/texts.tsx';
import { listOptions } from '../../ui/form.ts';
import { Icon } from '../../ui/icons.tsx';
import { METHODS } from './mandate.ts';
import type { EntryValues } from './mandate-values.ts';
import styles from './mandates.module.css';

type EntryFieldsProps = {
  readonly index: number;
  readonly values: EntryValues;
  readonly providers: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (part: Partial<EntryValues>) => void;
  /** Undefined for the only entry: a mandate has one at least. */
  readonly onRemove: (() => void) | undefined;
  readonly errorOf: (member: string) => ReactNode;
};

type PartProps = Pick<EntryFieldsProps, 'values' | 'onChange' | 'errorOf'>;

/** One thing that a mandate allows. */
export function EntryFields({ index, providers, onRemove, ...part }: EntryFieldsProps) {
  const { mandates: texts } = useTexts();
  const { values, onChange, errorOf } = part;
  return (
    <fieldset className={styles.entry}>
      <legend>{texts.entry(index + 1)}</legend>
      {onRemove && (
        <ActionIcon className={styles.remove} aria-label={texts.removeEntry(index + 1)} onClick={onRemove}>
          <Icon name="close" size={15} />
        </ActionIcon>
      )}
      <div className={styles.pair}>
        <NativeSelect
          label={texts.provider}
          data={[...providers]}
          value={values.provider}
          error={errorOf('provider')}
          onChange={({ currentTarget }) => onChange({ provider: currentTarget.value })}
        />
        <NativeSelect
          label={texts.access}
          data={listOptions(texts.accesses)}
          value={values.access}
          onChange={({ currentTarget }) =>
            onChange({ access: currentTarget.value === 'write' ? 'write' : 'read' })
          }
        />
      </div>
      <MethodBoxes {...part} />
      <Textarea
        label={texts.paths}
        description={texts.pathsHint}
        placeholder="/crm/v3/objects/contacts/**"
        autosize
        minRows={2}
        maxRows={14}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        value={values.paths}
        error={errorOf('paths')}
        onChange={({ currentTarget }) => onChange({ paths: currentTarget.value })}
      />
      <LimitFields {...part} />
      <PlaceFields {...part} />
    </fieldset>
  );
}

function MethodBoxes({ values, onChange }: PartProps) {
  const { mandates: texts } = useTexts();
  const { methods } = values;
  return (
    <fieldset className={styles.methods}>
      <legend>{texts.methods}</legend>
      <p className="soft small">{texts.methodsHint}</p>
      <div>
        {METHODS.map((method) => (
          <Checkbox
            key={method}
            size="xs"
            label={<code>{method}</code>}
            checked={methods.includes(method)}
            onChange={({ currentTarget }) =>
              onChange({
                methods: currentTarget.checked
                  ? [...methods, method]
                  : methods.filter((other) => other !== method),
              })
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

function LimitFields({ values, onChange, errorOf }: PartProps) {
  const { mandates: texts } = useTexts();
  const choose = (value: string) => {
    const approval = APPROVALS.find((known) => known === value);
    if (approval !== undefined) onChange({ approval });
  };
  return (
    <div className={styles.pair}>
      <NativeSelect
        label={texts.approval}
        data={listOptions(texts.approvals)}
        value={values.approval}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      <TextInput
        label={texts.perHour}
        description={texts.perHourHint}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        inputMode="numeric"
        value={values.perHour}
        error={errorOf('perHour')}
        onChange={({ currentTarget }) => onChange({ perHour: currentTarget.value })}
      />
    </div>
  );
}

const APPROVALS = ['none', 'once', 'each'] as const;

/** What few entries need. */
function PlaceFields({ values, onChange, errorOf }: PartProps) {
  const { mandates: texts } = useTexts();
  return (
    <details className={styles.more} open={values.hosts !== '' || values.connectionId !== '' || undefined}>
      <summary>{texts.more}</summary>
      <div className={styles.fields}>
        <TextInput
          label={texts.hosts}
          description={texts.hostsHint}
          spellCheck={false}
          value={values.hosts}
          error={errorOf('hosts')}
          onChange={({ currentTarget }) => onChange({ hosts: currentTarget.value })}
        />
        <TextInput
          label={texts.connection}
          description={texts.connectionHint}
          spellCheck={false}
          value={values.connectionId}
          error={errorOf('connectionId')}
          onChange={({ currentTarget }) => onChange({ connectionId: currentTarget.value })}
        />
      </div>
    </details>
  );
}
