import '@mantine/core/styles/Drawer.layer.css';
import { Drawer } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/texts.tsx';
import { Loaded } from './loaded.tsx';

type SideDrawerProps = {
  readonly title: string;
  readonly size?: 'md' | 'lg';
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** A drawer at the end of the window, beside what it was opened from. */
export function SideDrawer({ title, size = 'lg', onClose, children }: SideDrawerProps) {
  const { common } = useTexts();
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={size}
      title={title}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {children}
    </Drawer>
  );
}

type DetailDrawerProps<T> = {
  readonly query: UseQueryResult<T>;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: (loaded: T) => ReactNode;
};

/** A drawer on one thing that is loaded when it opens. */
export function DetailDrawer<T>({ query, title, onClose, children }: DetailDrawerProps<T>) {
  return (
    <SideDrawer title={title} onClose={onClose}>
      <Loaded query={query}>{children}</Loaded>
    </SideDrawer>
  );
}
