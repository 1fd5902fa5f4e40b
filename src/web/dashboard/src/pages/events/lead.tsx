import type { ReactNode } from 'react';
import styles from './events.module.css';

/** What a tab is about, in a sentence, with its primary action. */
export function SectionLead({ children, actions }: { children: ReactNode; actions?: ReactNode }) {
  return (
    <div className={styles.lead}>
      <p>{children}</p>
      {actions && <div className="row">{actions}</div>}
    </div>
  );
}
