import { randomInt } from 'node:crypto';
import type { Contact, ContactBook } from './contact-book.ts';
import { inventProperties, JOB_TITLES } from './contact-seed.ts';

/** What somebody who works in the CRM might do, on the press of a button. */
export const CONTACT_ACTIONS = ['change', 'create', 'archive'] as const;
export type ContactAction = (typeof CONTACT_ACTIONS)[number];

/** Among the first contacts, which is where people look. */
const PICKED_AMONG = 20;

/** Does it to a contact picked at random. Undefined where the book is empty. */
export function act(book: ContactBook, action: ContactAction): Contact | undefined {
  if (action === 'create')
    return book.create(inventProperties(Math.random, randomInt(1_000_000, 10_000_000)));
  const found = book.listFrom(0, PICKED_AMONG - 1, false);
  const contact = found.length === 0 ? undefined : found[randomInt(found.length)];
  if (contact === undefined) return undefined;
  if (action === 'archive') book.archive(String(contact.id));
  else book.update(String(contact.id), 'hs_object_id', { jobtitle: anotherJobTitle(contact) });
  return contact;
}

function anotherJobTitle({ properties }: Contact): string {
  const others = JOB_TITLES.filter((title) => title !== properties.jobtitle);
  return others[randomInt(others.length)] ?? 'Founder';
}
