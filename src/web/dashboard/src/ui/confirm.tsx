import { Button, Modal, TextInput } from '@mantine/core';
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { useTexts } from '../texts/texts.tsx';
import styles from './ui.module.css';

export type Question = {
  readonly title: string;
  /** What will happen, in numbers, a sentence each. */
  readonly consequences: readonly string[];
  /** A verb: "Delete integration". */
  readonly confirmLabel: string;
  /** Where there is no way back: the name that must be typed. */
  readonly typedName?: string;
};

type Ask = (question: Question) => Promise<boolean>;
type Open = { readonly question: Question; readonly answer: (isConfirmed: boolean) => void };

const Context = createContext<Ask | undefined>(undefined);

/** Asks before something is destroyed: `if (await confirm({ … })) …`. */
export function useConfirm(): Ask {
  const ask = useContext(Context);
  if (ask === undefined) throw new Error('No ConfirmProvider around this component');
  return ask;
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<Open>();
  const ask = useCallback<Ask>(
    (question) => new Promise((resolve) => setOpen({ question, answer: resolve })),
    [],
  );
  const close = (isConfirmed: boolean) => {
    open?.answer(isConfirmed);
    setOpen(undefined);
  };
  return (
    <Context.Provider value={ask}>
      {children}
      <Modal opened={open !== undefined} onClose={() => close(false)} title={open?.question.title}>
        {open && <Body question={open.question} onClose={close} />}
      </Modal>
    </Context.Provider>
  );
}

function Body({ question, onClose }: { question: Question; onClose: (isConfirmed: boolean) => void }) {
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
