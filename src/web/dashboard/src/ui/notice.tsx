import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';
import type { Tone } from './state-badge.tsx';
import styles from './ui.module.css';

const ICONS: Readonly<Record<Tone, IconName>> = {
  good: 'ok',
  warning: 'warning',
  bad: 'error',
  info: 'info',
  neutral: 'info',
};

type NoticeProps = {
  readonly tone: Tone;
  readonly title: ReactNode;
  readonly children?: ReactNode;
  readonly foot?: ReactNode;
  /** Read out at once by screen readers; for what the operator's own action brought. */
  readonly isAlert?: boolean;
};

/** A message within a page: what is the case, and what to do about it. */
export function Notice({ tone, title, children, foot, isAlert = false }: NoticeProps) {
  return (
    <div className={`${styles.notice} ${styles[tone]}`} role={isAlert ? 'alert' : undefined}>
      <Icon name={ICONS[tone]} size={18} />
      <div>
        <h3>{title}</h3>
        {children && <p>{children}</p>}
        {foot && <div className={styles.noticeFoot}>{foot}</div>}
      </div>
    </div>
  );
}
