import { ActionIcon, Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useProjectId } from '../../../app/project.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { useForm } from '../../../ui/form.ts';
import { Icon } from '../../../ui/icons.tsx';
import { Section } from '../../../ui/page.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import { offerUndo, showProblem } from '../../../ui/toasts.tsx';
import styles from '../settings.module.css';
import { useChangeProject } from '../use-project.ts';

type Kind = 'allowedOrigins' | 'returnUrls';
type AddressListProps = { readonly kind: Kind; readonly entries: readonly string[] };

/** A list of addresses: each is added on its own, and a removed one can be had back for ten seconds. */
export function AddressList({ kind, entries }: AddressListProps) {
  const texts = useTexts();
  const { project } = texts.settings;
  const canEdit = useCanEdit(useProjectId());
  const [leaving, setLeaving] = useState<readonly string[]>([]);
  const isOrigins = kind === 'allowedOrigins';
  const keep = (entry: string) => setLeaving((gone) => gone.filter((one) => one !== entry));
  const drop = useChangeProject({
    change: (entry: string, current) => ({ [kind]: current[kind].filter((one) => one !== entry) }),
  });
  const remove = (entry: string) => {
    setLeaving((gone) => [...gone, entry]);
    offerUndo({
      message: project.removed(entry),
      texts,
      undo: () => keep(entry),
      commit: () =>
        drop.mutate(entry, {
          onError: (error) => showProblem(error, texts),
          onSettled: () => keep(entry),
        }),
    });
  };
  const shown = entries.filter((entry) => !leaving.includes(entry));
  return (
    <Section
      title={isOrigins ? project.origins : project.returnUrls}
      lead={isOrigins ? project.originsLead : project.returnUrlsLead}
    >
      {shown.length === 0 && (
        <p className={styles.none}>{isOrigins ? project.originsEmpty : project.returnUrlsEmpty}</p>
      )}
      {shown.length > 0 && (
        <ul className={styles.entries}>
          {shown.map((entry) => (
            <li key={entry}>
              <code>{entry}</code>
              {canEdit && (
                <ActionIcon aria-label={project.remove(entry)} onClick={() => remove(entry)}>
                  <Icon name="close" size={15} />
                </ActionIcon>
              )}
            </li>
          ))}
        </ul>
      )}
      {canEdit && <AddAddress kind={kind} />}
    </Section>
  );
}

function AddAddress({ kind }: { kind: Kind }) {
  const { project } = useTexts().settings;
  const form = useForm({ initialValues: { entry: '' }, fields: { [kind]: 'entry' } });
  const add = useChangeProject({
    change: (entry: string, current) => ({
      [kind]: [...current[kind].filter((one) => one !== entry), entry],
    }),
    form,
    onDone: form.reset,
  });
  const entry = form.values.entry.trim();
  const isOrigins = kind === 'allowedOrigins';
  return (
    <form onSubmit={form.onSubmit(() => entry !== '' && add.mutate(entry))}>
      <ProblemNotice error={add.problem} />
      <div className={styles.adder}>
        <TextInput
          label={isOrigins ? project.originField : project.returnUrlField}
          placeholder={isOrigins ? 'https://app.example.com' : 'https://app.example.com/connected'}
          inputMode="url"
          spellCheck={false}
          {...form.getInputProps('entry')}
        />
        <Button type="submit" variant="default" loading={add.isPending} disabled={entry === ''}>
          {isOrigins ? project.addOrigin : project.addReturnUrl}
        </Button>
      </div>
    </form>
  );
}
