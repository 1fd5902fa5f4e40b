import { Button, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../texts/texts.tsx';
import type { Question } from './question.ts';
import styles from './ui.module.css';

type ConfirmDialogProps = { readonly question: Question; readonly onClose: (isConfirmed: boolean) => void };

/** The open question; loaded with the first of them. */
export function ConfirmDialog({ question, onClose }: ConfirmDialogProps) {
  return (
    <Modal opened onClose={() => onClose(false)} title={question.title}>
      <Body question={question} onClose={onClose} />
    </Modal>
  );
}

function Body({ question, onClose }: ConfirmDialogProps) {
  const { common } = useTexts();
  const [typed, setTyped] = useState('');
  const { consequences, confirmLabel, typedName } = question;
  const isReady = typedName === undefined || typed.trim() === typedName;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onClose(true);
      }}
    >
      <ul className={styles.consequences}>
        {consequences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {typedName !== undefined && (
        <TextInput
          label={common.typeToConfirm(typedName)}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
      )}
      <div className={styles.dialogActions}>
        <Button variant="default" onClick={() => onClose(false)}>
          {common.cancel}
        </Button>
        <Button type="submit" color="red.8" disabled={!isReady}>
          {confirmLabel}
        </Button>
      </div>
    </form>
  );
}
