import type { ReactNode } from 'react';
import { Icon } from './icons.tsx';
import { TextLink, type TextLinkProps } from './link.tsx';
import styles from './ui.module.css';

type PageHeadProps = {
  readonly title: ReactNode;
  readonly lead?: ReactNode;
  /** Where the page belongs: the list above a detail. */
  readonly parent?: { readonly label: string; readonly link: TextLinkProps };
  /** A StateBadge. */
  readonly state?: ReactNode;
  /** Small facts under the name: ids, times. */
  readonly meta?: ReactNode;
  /** The one primary action, and at most a menu beside it. */
  readonly actions?: ReactNode;
};

/** The top of every page. Its heading takes the focus after a navigation. */
export function PageHead({ title, lead, parent, state, meta, actions }: PageHeadProps) {
  return (
    <header className={styles.pageHead}>
      <div className={styles.pageTitle}>
        {parent && (
          <TextLink {...parent.link} className={styles.crumb}>
            <Icon name="arrowLeft" size={13} />
            {parent.label}
          </TextLink>
        )}
        <div className={styles.titleLine}>
          <h1 tabIndex={-1}>{title}</h1>
          {state}
        </div>
        {lead && <p className={styles.lead}>{lead}</p>}
        {meta && <div className={styles.meta}>{meta}</div>}
      </div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </header>
  );
}

type SectionProps = {
  readonly title?: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  /** Content up to the edges, for tables. */
  readonly flush?: boolean;
  readonly children: ReactNode;
  readonly id?: string;
};

/** A card of a page, with a heading of the second level. */
export function Section({ title, lead, actions, flush = false, children, id }: SectionProps) {
  return (
    <section className={styles.section} id={id}>
      {title !== undefined && (
        <div className={styles.sectionHead}>
          <div>
            <h2>{title}</h2>
            {lead && <p>{lead}</p>}
          </div>
          {actions && <div className={styles.actions}>{actions}</div>}
        </div>
      )}
      <div className={flush ? styles.flush : styles.sectionBody}>{children}</div>
    </section>
  );
}

/** Names and values of one thing, beside each other; under each other at phone width. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <FactRow key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

function FactRow({ name, value }: { name: string; value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}
