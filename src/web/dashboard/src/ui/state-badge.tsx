import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';
import styles from './ui.module.css';

export type Tone = 'good' | 'warning' | 'bad' | 'info' | 'neutral';

const ICONS: Readonly<Record<Tone, IconName>> = {
  good: 'ok',
  warning: 'warning',
  bad: 'error',
  info: 'info',
  neutral: 'dot',
};

/** A state in words, with a colour and an icon, so that it never depends on the colour. */
export function StateBadge({ tone, children, icon }: { tone: Tone; children: ReactNode; icon?: IconName }) {
  return (
    <span className={`${styles.badge} ${styles[tone]}`}>
      <Icon name={icon ?? ICONS[tone]} size={13} />
      {children}
    </span>
  );
}
