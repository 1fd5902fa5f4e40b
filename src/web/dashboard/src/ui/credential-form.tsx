import { Button, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { fieldErrors } from '../api/problem.ts';
import { useTexts } from '../texts/texts.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import styles from './ui.module.css';

const DAY_MS = 86_400_000;

export type NewCredential = {
  readonly name: string;
  readonly expiresAt?: string;
  readonly password?: string;
};

type CredentialFormProps = {
  readonly words: {
    readonly name: string;
    readonly nameHint: string;
    readonly expires: string;
    readonly submit: string;
    /** Where the password is asked for. */
    readonly password?: string | undefined;
    readonly showPassword?: string | undefined;
  };
  /** What may be chosen, the first one at first. Without `days` it never expires. */
  readonly lifetimes: readonly { readonly days?: number; readonly label: string }[];
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onSubmit: (made: NewCredential) => void;
  readonly onCancel: () => void;
};

/** Name and end of a new key or token. */
export function CredentialForm(props: CredentialFormProps) {
  const { words, lifetimes, error, isPending, onSubmit, onCancel } = props;
  const { common } = useTexts();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState(0);
  const [password, setPassword] = useState('');
  const faults = fieldErrors(error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const days = lifetimes[chosen]?.days;
    const expiresAt = days && new Date(Date.now() + days * DAY_MS).toISOString();
    onSubmit({ name, ...(expiresAt && { expiresAt }), ...(words.password && { password }) });
  };
  return (
    <form className={styles.credentialForm} onSubmit={submit}>
      {Object.keys(faults).length === 0 && <ProblemNotice error={error} />}
      <TextInput
        label={words.name}
        description={words.nameHint}
        error={faults.name}
        required
        maxLength={100}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <NativeSelect
        label={words.expires}
        data={lifetimes.map(({ label }, index) => ({ value: String(index), label }))}
        error={faults.expiresAt}
        value={String(chosen)}
        onChange={(event) => setChosen(Number(event.currentTarget.value))}
      />
      {words.password && (
        <PasswordInput
          label={words.password}
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': words.showPassword }}
          error={faults.password}
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      )}
      <div className={styles.credentialFoot}>
        <Button variant="default" onClick={onCancel}>
          {common.cancel}
        </Button>
        <Button type="submit" loading={isPending}>
          {words.submit}
        </Button>
      </div>
    </form>
  );
}
