import type { ReactNode } from 'react';
import styles from './settings.module.css';

type SectionHeadProps = {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
};

/** The top of a section that is a list and not a card. */
export function SectionHead({ title, lead, actions }: SectionHeadProps) {
  return (
    <div className={styles.sectionHead}>
      <div>
        <h2>{title}</h2>
        {lead && <p>{lead}</p>}
      </div>
      {actions}
    </div>
  );
}
