import { cloneElement, type ReactElement, type ReactNode, Suspense, useState } from 'react';

type LazyMenuProps = {
  readonly button: ReactElement<{ onClick?: () => void; 'aria-haspopup'?: 'menu' }>;
  /** The menu around its button, open at first. */
  readonly menu: (button: ReactElement) => ReactNode;
};

/** A button whose menu is loaded with the first click: few visits to a page open one. */
export function LazyMenu({ button, menu }: LazyMenuProps) {
  const [isWanted, setWanted] = useState(false);
  const waiting = cloneElement(button, { onClick: () => setWanted(true), 'aria-haspopup': 'menu' });
  return isWanted ? <Suspense fallback={waiting}>{menu(button)}</Suspense> : waiting;
}
