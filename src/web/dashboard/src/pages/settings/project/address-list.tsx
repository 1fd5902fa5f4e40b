import { ActionIcon, Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../../api/problem.ts';
import { useProjectId } from '../../../app/project.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
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
  const change = useChangeProject();
  const isOrigins = kind === 'allowedOrigins';
  const keep = (entry: string) => setLeaving((gone) => gone.filter((one) => one !== entry));
  const remove = (entry: string) => {
    setLeaving((gone) => [...gone, entry]);
    offerUndo({
      message: project.removed(entry),
      texts,
      undo: () => keep(entry),
      commit: () =>
        change.mutate((current) => ({ [kind]: current[kind].filter((one) => one !== entry) }), {
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
  const [typed, setTyped] = useState('');
  const change = useChangeProject();
  const fault = faultOf(change.error, kind);
  const isOrigins = kind === 'allowedOrigins';
  const add = (event: FormEvent) => {
    event.preventDefault();
    const entry = typed.trim();
    if (entry === '') return;
    change.mutate((current) => ({ [kind]: [...current[kind].filter((one) => one !== entry), entry] }), {
      onSuccess: () => setTyped(''),
    });
  };
  return (
    <form onSubmit={add}>
      {change.isError && fault === undefined && <ProblemNotice error={change.error} />}
      <div className={styles.adder}>
        <TextInput
          label={isOrigins ? project.originField : project.returnUrlField}
          placeholder={isOrigins ? 'https://app.example.com' : 'https://app.example.com/connected'}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            change.reset();
          }}
          error={fault}
          inputMode="url"
          spellCheck={false}
        />
        <Button type="submit" variant="default" loading={change.isPending} disabled={typed.trim() === ''}>
          {isOrigins ? project.addOrigin : project.addReturnUrl}
        </Button>
      </div>
    </form>
  );
}

/** The API names the entry by its place in the list: `body.allowedOrigins.3`. */
function faultOf(error: unknown, kind: Kind): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.problem.errors?.find(({ path }) => path.startsWith(`body.${kind}`))?.message;
}
