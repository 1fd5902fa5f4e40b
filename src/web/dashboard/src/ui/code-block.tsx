import { CopyButton } from './copy-button.tsx';
import styles from './ui.module.css';

/** Code to copy. `label` names it for screen readers. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <div className={styles.code}>
      <section tabIndex={0} aria-label={label}>
        <pre>{code}</pre>
      </section>
      <CopyButton value={code} size={28} />
    </div>
  );
}
