import { Button, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { ApiError } from '../../api/problem.ts';
import { useProjectId } from '../../app/project.ts';
import { useTexts } from '../../texts/texts.tsx';
import { FaultText } from '../../ui/fault-text.tsx';
import { useForm } from '../../ui/form.ts';
import { FormBody } from '../../ui/form-body.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Section } from '../../ui/page.tsx';
import { placeFaults } from '../../ui/place-faults.ts';
import { useProviderOptions } from '../../ui/provider-mark.tsx';
import { useSave } from '../../ui/use-save.ts';
import { EntryFields } from './entry-fields.tsx';
import { EntrySentences } from './entry-sentences.tsx';
import { integrationsQuery } from './integrations-query.ts';
import { ENTRIES_MAX, type Entry, listProviders, PATHS_OF_MANDATE } from './mandate.ts';
import {
  type EntryValues,
  emptyEntry,
  isPerHour,
  type MandateValues,
  toEntry,
  toValues,
} from './mandate-values.ts';
import styles from './mandates.module.css';
import { TryCall } from './try-call.tsx';
import { type TriedCall, useExplain } from './use-explain.ts';

const TYPING_PAUSE_MS = 350;
const MEMBERS = ['provider', 'paths', 'perHour', 'hosts', 'connectionId'];

type Sent = { readonly name: string; readonly entries: Entry[] };

export type MandateEditorProps = {
  readonly name: string;
  /** What the form begins with; none: an empty entry. */
  readonly entries: readonly Entry[];
  readonly submit: string;
  readonly done: string;
  readonly send: (mandate: Sent) => Promise<{ readonly id: string }>;
  readonly onSaved: (mandate: { readonly id: string }) => void;
  /** In the place of a refusal of this kind. */
  readonly notice?: (error: unknown) => ReactNode;
};

/** The entries of a mandate as fields, and beside them what they allow, in sentences and for a call that is typed. */
export function MandateEditor({ name, entries, submit, done, send, onSaved, notice }: MandateEditorProps) {
  const { mandates: texts } = useTexts();
  const providers = useOptions(entries);
  const first = providers[0]?.value ?? '';
  const form = useForm<MandateValues>({
    initialValues: {
      name,
      entries: entries.length > 0 ? entries.map(toValues) : [emptyEntry(0, first)],
    },
  });
  const [typed] = useDebouncedValue(form.values.entries, TYPING_PAUSE_MS);
  const shown = useMemo(() => typed.map(toEntry), [typed]);
  const tried = useTriedCall(shown, first);
  const faults = useFaults(tried.explained.error, form.values.entries);
  const save = useSave({
    send: ({ name: given, entries: values }: MandateValues) =>
      send({ name: given, entries: values.map(toEntry) }),
    form,
    done,
    onDone: onSaved,
    refresh: [...PATHS_OF_MANDATE],
  });
  const errorOf = (index: number) => (member: string) => {
    const field = `entries.${index}.${member}`;
    const isLimitWrong = member === 'perHour' && !isPerHour(form.values.entries[index]?.perHour ?? '');
    const fault = faults[field];
    const words = fault === undefined ? undefined : <FaultText text={fault} />;
    return form.getError(field) ?? (isLimitWrong ? texts.perHourInvalid : words);
  };
  const areLimitsRight = form.values.entries.every(({ perHour }) => isPerHour(perHour));
  return (
    <div className={styles.columns}>
      <Section title={texts.editTitle} lead={texts.entriesLead}>
        <FormBody
          className={styles.form}
          save={save}
          submit={submit}
          onSubmit={form.onSubmit((values) => areLimitsRight && save.mutate(values))}
          notice={notice?.(save.error)}
        >
          <TextInput
            label={texts.name}
            description={texts.nameHint}
            required
            maxLength={100}
            {...form.getInputProps('name')}
          />
          <Entries
            entries={form.values.entries}
            providers={providers}
            errorOf={errorOf}
            onChange={(changed) => form.setField('entries', changed)}
          />
        </FormBody>
      </Section>
      <div className={styles.aside}>
        <Section title={texts.explained} lead={texts.explainedLead}>
          <EntrySentences entries={shown} />
        </Section>
        <TryCall {...tried} entries={shown} providers={providers} />
      </div>
    </div>
  );
}

type EntriesProps = {
  readonly entries: readonly EntryValues[];
  readonly providers: readonly { readonly value: string; readonly label: string }[];
  readonly errorOf: (index: number) => (member: string) => ReactNode;
  readonly onChange: (entries: readonly EntryValues[]) => void;
};

function Entries({ entries, providers, errorOf, onChange }: EntriesProps) {
  const { mandates: texts } = useTexts();
  const nextKey = useRef(entries.length);
  const add = () => {
    onChange([...entries, emptyEntry(nextKey.current, entries.at(-1)?.provider ?? '')]);
    nextKey.current += 1;
  };
  return (
    <>
      {entries.map((values, index) => (
        <EntryFields
          key={values.key}
          index={index}
          values={values}
          providers={providers}
          errorOf={errorOf(index)}
          onChange={(part) =>
            onChange(entries.map((entry) => (entry.key === values.key ? { ...entry, ...part } : entry)))
          }
          onRemove={
            entries.length === 1 ? undefined : () => onChange(entries.filter(({ key }) => key !== values.key))
          }
        />
      ))}
      {entries.length < ENTRIES_MAX && (
        <div>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<Icon name="plus" size={13} />}
            onClick={add}
          >
            {texts.addEntry}
          </Button>
        </div>
      )}
    </>
  );
}

/** Providers that the project has, and those that the entries name already. */
function useOptions(entries: readonly Entry[]) {
  const projectId = useProjectId();
  const { data } = useQuery(integrationsQuery(projectId));
  const used = data?.integrations.map(({ serviceProvider }) => serviceProvider) ?? [];
  return useProviderOptions([...listProviders(entries), ...used]);
}

/** The call that is typed beside the entries, and what they make of it. */
export function useTriedCall(entries: readonly Entry[], provider: string) {
  const [call, setCall] = useState<TriedCall>({ provider, method: 'GET', path: '', body: '' });
  const [typed] = useDebouncedValue(call, TYPING_PAUSE_MS);
  const explained = useExplain(entries, typed);
  const onChange = (part: Partial<TriedCall>) => setCall((before) => ({ ...before, ...part }));
  return { call, onChange, explained };
}

/** What the gateway finds wrong with entries while they are typed, by field. */
function useFaults(error: unknown, entries: readonly EntryValues[]) {
  return useMemo(() => {
    const fields = entries.flatMap((_, index) => MEMBERS.map((member) => `entries.${index}.${member}`));
    return error instanceof ApiError ? placeFaults(error, {}, new Set(fields)).errors : {};
  }, [error, entries]);
}
