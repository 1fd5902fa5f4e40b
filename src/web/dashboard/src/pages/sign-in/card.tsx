import type { ReactNode } from 'react';
import { useTexts } from '../../texts/texts.tsx';
import styles from './card.module.css';

/** One task in the middle of the window, for pages before the sign-in. */
export function Card({ title, lead, children }: { title: string; lead?: ReactNode; children?: ReactNode }) {
  const { frame } = useTexts();
  return (
    <main className={styles.page} tabIndex={-1}>
      <div className={styles.card}>
        <p className={styles.product}>
          <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
            <rect width="32" height="32" rx="8" fill="#3b49df" />
            <path
              d="M9 11h6.5a4.5 4.5 0 0 1 4.5 4.5a4.5 4.5 0 0 0 3 4.2M9 21h6.5"
              fill="none"
              stroke="#fff"
              strokeWidth="2.6"
              strokeLinecap="round"
            />
            <circle cx="9" cy="11" r="2.6" fill="#fff" />
            <circle cx="9" cy="21" r="2.6" fill="#fff" />
            <circle cx="23.4" cy="20.6" r="2.6" fill="#fff" />
          </svg>
          {frame.product}
        </p>
        <h1 tabIndex={-1}>{title}</h1>
        {lead && <p className={styles.lead}>{lead}</p>}
        {children}
      </div>
    </main>
  );
}
