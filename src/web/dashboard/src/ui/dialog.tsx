import { Modal } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import styles from './ui.module.css';

export type DialogProps = {
  readonly title: string;
  readonly size?: 'lg' | 'xl' | undefined;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** A dialog, open as long as the page draws it. Afterwards the focus is where it was before. */
export function Dialog({ title, size, onClose, children }: DialogProps) {
  const opener = useRef(document.activeElement);
  useEffect(() => () => focusAfterwards(opener.current), []);
  return (
    <Modal opened onClose={onClose} title={title} {...(size && { size })}>
      {children}
    </Modal>
  );
}

/** Not where something else has taken the focus, as the heading of the next page does. */
function focusAfterwards(element: Element | null): void {
  setTimeout(() => {
    if (element instanceof HTMLElement && document.activeElement === document.body)
      element.focus({ preventScroll: true });
  });
}

/** The buttons at the end of a dialog. */
export function DialogFoot({ children }: { children: ReactNode }) {
  return <div className={`${styles.formFoot} ${styles.formFootEnd}`}>{children}</div>;
}
