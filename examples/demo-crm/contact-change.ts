import type { Contact } from './contact-book.ts';

/** Something that happened to a contact, as listeners of a contact book get it. */
export type ContactChange = {
  readonly kind: 'creation' | 'propertyChange' | 'deletion';
  readonly contact: Contact;
  readonly at: Date;
  /** New values of the properties that changed; of `propertyChange` only. */
  readonly changed: Readonly<Record<string, string>>;
};

export type ContactChangeListener = (change: ContactChange) => void;
