import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';
import styles from './ui.module.css';

type EmptyStateProps = {
  readonly icon: IconName;
  readonly title: string;
  readonly text?: ReactNode;
  /** What makes the first one. */
  readonly action?: ReactNode;
  /** `h1` where it is all of the page. */
  readonly heading?: 'h1' | 'h2';
};

/** What stands where a list has nothing yet: what belongs here, and how to get the first one. */
export function EmptyState({ icon, title, text, action, heading: Heading = 'h2' }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      <span className={styles.emptyIcon}>
        <Icon name={icon} size={22} />
      </span>
      <Heading tabIndex={Heading === 'h1' ? -1 : undefined}>{title}</Heading>
      {text && <p>{text}</p>}
      {action && <div className={styles.emptyAction}>{action}</div>}
    </div>
  );
}
