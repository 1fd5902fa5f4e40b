import { Button, Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, refresh } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import { showDone } from '../../../ui/toasts.tsx';
import styles from '../settings.module.css';
import { FormFoot, type NewSigningKey } from './key-form.tsx';
import { KeySetForm } from './key-set-form.tsx';
import { PublicKeyForm } from './public-key-form.tsx';

const WAYS = ['managed', 'public_key', 'jwks'] as const;
type Way = (typeof WAYS)[number];

type DialogProps = {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The project has a key that the gateway holds. */
  readonly hasManaged: boolean;
};

/** Asks where user tokens come from, and then for what that way needs. */
export function NewSigningKeyDialog({ opened, onClose, hasManaged }: DialogProps) {
  const { wizardTitle } = useTexts().settings.signingKeys;
  return (
    <Modal opened={opened} onClose={onClose} title={wizardTitle} size="lg">
      <Steps onClose={onClose} hasManaged={hasManaged} />
    </Modal>
  );
}

function Steps({ onClose, hasManaged }: Omit<DialogProps, 'opened'>) {
  const { signingKeys: texts } = useTexts().settings;
  const [way, setWay] = useState<Way>(hasManaged ? 'public_key' : 'managed');
  const [isChosen, setChosen] = useState(false);
  const add = useAddKey(onClose);
  const form = {
    onBack: () => setChosen(false),
    onSubmit: add.mutate,
    isPending: add.isPending,
    error: add.error,
  };
  if (!isChosen) return <WayChoice way={way} onChange={setWay} onNext={() => setChosen(true)} />;
  if (way === 'public_key') return <PublicKeyForm {...form} />;
  if (way === 'jwks') return <KeySetForm {...form} />;
  return (
    <form
      className={styles.dialogForm}
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate({ managed: true });
      }}
    >
      <ProblemNotice error={add.error} />
      <p>{texts.managedText}</p>
      {hasManaged && <p className="soft">{texts.managedFirst}</p>}
      <FormFoot onBack={form.onBack} isPending={add.isPending} />
    </form>
  );
}

function useAddKey(onDone: () => void) {
  const { signingKeys: texts } = useTexts().settings;
  const projectId = useProjectId();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewSigningKey) =>
      api.post('/projects/{projectId}/signing-keys', { path: { projectId }, body }),
    onSuccess: async () => {
      onDone();
      showDone(texts.saved);
      await refresh(client, '/projects/{projectId}/signing-keys', '/activity');
    },
  });
}

function WayChoice(props: { way: Way; onChange: (way: Way) => void; onNext: () => void }) {
  const { signingKeys: texts } = useTexts().settings;
  const { way, onChange, onNext } = props;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onNext();
      }}
    >
      <fieldset className={styles.ways}>
        <legend className={styles.legend}>{texts.way}</legend>
        {WAYS.map((value) => (
          <label key={value} className={styles.way}>
            <input type="radio" name="way" checked={way === value} onChange={() => onChange(value)} />
            <strong>{texts.ways[value].title}</strong>
            <small>{texts.ways[value].text}</small>
          </label>
        ))}
      </fieldset>
      <div className={styles.dialogFoot}>
        <Button type="submit">{texts.next}</Button>
      </div>
    </form>
  );
}
