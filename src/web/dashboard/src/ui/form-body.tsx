import { Button } from '@mantine/core';
import { type FormEventHandler, type ReactNode, useEffect, useRef } from 'react';
import { useTexts } from '../texts/texts.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import styles from './ui.module.css';

type FootProps = {
  /** What the button says that sends the form. */
  readonly submit: string;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  /** Another of the page's actions is the first one. */
  readonly isSecondary?: boolean;
  readonly onCancel?: () => void;
  /** What that button says instead of "Cancel". */
  readonly cancel?: string;
  /** What stands before these two. */
  readonly actions?: ReactNode;
  /** What is to be known of the button. */
  readonly hint?: ReactNode;
};

export type FormBodyProps = FootProps & {
  /** Of `useSave`. */
  readonly save: { readonly isPending: boolean; readonly problem: unknown };
  readonly onSubmit: FormEventHandler;
  /** Instead of the refusal's own words. */
  readonly notice?: ReactNode;
  /** Nothing can be changed or sent for now. */
  readonly inert?: boolean;
  readonly className?: string | undefined;
  readonly children?: ReactNode;
};

/** A form: its fields, what was refused that no field shows, and the buttons. */
export function FormBody({
  save,
  onSubmit,
  notice,
  className = '',
  inert = false,
  children,
  ...foot
}: FormBodyProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => openFaulty(form.current));
  return (
    <form ref={form} className={`${styles.form} ${className}`} inert={inert} onSubmit={onSubmit}>
      {children}
      {notice ?? <ProblemNotice error={save.problem} />}
      <FormFoot isPending={save.isPending} {...foot} />
    </form>
  );
}

/** A message must not stand in a part of the form that is folded up. */
function openFaulty(form: HTMLFormElement | null): void {
  for (const details of form?.querySelectorAll('details:not([open])') ?? [])
    if (details.querySelector('[aria-invalid="true"]')) details.setAttribute('open', '');
}

function FormFoot({
  submit,
  isPending,
  onCancel,
  cancel,
  actions,
  hint,
  ...is
}: FootProps & { isPending: boolean }) {
  const { common } = useTexts();
  return (
    <div className={`${styles.formFoot} ${onCancel ? styles.formFootEnd : ''}`}>
      {actions}
      {onCancel && (
        <Button variant="default" onClick={onCancel}>
          {cancel ?? common.cancel}
        </Button>
      )}
      <Button
        type="submit"
        loading={isPending}
        disabled={is.isDisabled ?? false}
        variant={is.isSecondary ? 'default' : 'filled'}
        {...(is.isDangerous && { color: 'red.8' })}
      >
        {submit}
      </Button>
      {hint && <span className="soft small">{hint}</span>}
    </div>
  );
}
