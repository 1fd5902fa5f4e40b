import type { ContactChange, ContactChangeListener } from './contact-change.ts';
import { isContactProperty, isReadOnlyProperty } from './contact-properties.ts';
import { seedContacts } from './contact-seed.ts';
import { CrmError, invalid, notFound } from './crm-errors.ts';

export type ContactProperties = Record<string, string>;

export type Contact = {
  readonly id: number;
  readonly createdAt: Date;
  updatedAt: Date;
  archivedAt: Date | null;
  properties: ContactProperties;
};

export type ContactBook = ReturnType<typeof createContactBook>;

const EMAIL_PATTERN = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

type ContactBookDeps = {
  readonly hubId: number;
  readonly count: number;
  readonly now: () => Date;
  readonly onChange?: ContactChangeListener;
};

/** The contacts of one hub, in memory, in the order of their ids. Refusals are thrown as CrmError. */
export function createContactBook({ hubId, count, now, onChange = () => undefined }: ContactBookDeps) {
  const contacts = seedContacts(hubId, count);
  const byId = new Map(contacts.map((contact) => [contact.id, contact]));
  const idByEmail = new Map(contacts.map(({ id, properties }) => [properties.email, id]));
  let lastId = contacts.at(-1)?.id ?? 0;

  function find(identifier: string, idProperty: string): Contact | undefined {
    if (idProperty === 'email') return byId.get(idByEmail.get(identifier.trim().toLowerCase()) ?? 0);
    return byId.get(Number(identifier));
  }

  function get(identifier: string, idProperty = 'hs_object_id', archived = false): Contact {
    const contact = find(identifier, idProperty);
    if (!contact || (contact.archivedAt !== null) !== archived) throw notFound();
    return contact;
  }

  function claimEmail(id: number, email: string | undefined): void {
    if (email === undefined) return;
    const holder = idByEmail.get(email);
    if (holder !== undefined && holder !== id) {
      throw new CrmError(409, 'CONFLICT', `Contact already exists. Existing ID: ${holder}`);
    }
    idByEmail.set(email, id);
  }

  return {
    get,
    find,

    /** Contacts that are archived or that are not, with ids above `afterId`, at most `limit` and one more. */
    listFrom: (afterId: number, limit: number, archived: boolean): Contact[] => {
      const page: Contact[] = [];
      for (
        let index = firstAbove(contacts, afterId);
        index < contacts.length && page.length <= limit;
        index += 1
      ) {
        const contact = contacts[index];
        if (contact && (contact.archivedAt !== null) === archived) page.push(contact);
      }
      return page;
    },

    live: (): Contact[] => contacts.filter(({ archivedAt }) => archivedAt === null),

    create: (input: ContactProperties): Contact => {
      const properties = checkProperties(input);
      const id = lastId + 1;
      claimEmail(id, properties.email);
      lastId = id;
      const createdAt = now();
      const contact: Contact = { id, createdAt, updatedAt: createdAt, archivedAt: null, properties };
      contacts.push(contact);
      byId.set(id, contact);
      onChange({ kind: 'creation', contact, at: createdAt, changed: {} });
      return contact;
    },

    update: (identifier: string, idProperty: string, input: ContactProperties): Contact => {
      const contact = get(identifier, idProperty);
      const changes = checkProperties(input);
      const oldEmail = contact.properties.email;
      claimEmail(contact.id, changes.email);
      if (changes.email !== undefined && oldEmail !== undefined && changes.email !== oldEmail)
        idByEmail.delete(oldEmail);
      const changed = differences(contact.properties, changes);
      // As at HubSpot, writing what is there already is no change.
      if (Object.keys(changed).length === 0) return contact;
      contact.properties = { ...contact.properties, ...changes };
      contact.updatedAt = now();
      onChange({ kind: 'propertyChange', contact, at: contact.updatedAt, changed });
      return contact;
    },

    /** Archiving what is archived or was never there is no error, as at HubSpot. */
    archive: (identifier: string): void => {
      const contact = byId.get(Number(identifier));
      if (!contact || contact.archivedAt !== null) return;
      contact.archivedAt = now();
      if (contact.properties.email !== undefined) idByEmail.delete(contact.properties.email);
      onChange({ kind: 'deletion', contact, at: contact.archivedAt, changed: {} });
    },
  };
}

function differences(old: ContactProperties, changes: ContactProperties): ContactChange['changed'] {
  return Object.fromEntries(Object.entries(changes).filter(([name, value]) => (old[name] ?? '') !== value));
}

/** Index of the first contact with an id above `afterId`. The list is sorted, so halving finds it. */
function firstAbove(contacts: readonly Contact[], afterId: number): number {
  let low = 0;
  let high = contacts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((contacts[middle]?.id ?? 0) <= afterId) low = middle + 1;
    else high = middle;
  }
  return low;
}

function checkProperties(input: ContactProperties): ContactProperties {
  const faults = Object.entries(input).flatMap(([name, value]) => findFault(name, value));
  if (faults.length > 0) {
    throw invalid(`Property values were not valid: ${JSON.stringify(faults)}`, faults);
  }
  const email = input.email?.trim().toLowerCase();
  return email === undefined ? { ...input } : { ...input, email };
}

function findFault(name: string, value: string): { message: string; code: string; name: string }[] {
  if (!isContactProperty(name)) {
    return [{ message: `Property "${name}" does not exist`, code: 'PROPERTY_DOESNT_EXIST', name }];
  }
  if (isReadOnlyProperty(name)) {
    return [{ message: `"${name}" is a read only property`, code: 'READ_ONLY_VALUE', name }];
  }
  if (name === 'email' && !EMAIL_PATTERN.test(value.trim())) {
    return [{ message: `Email address ${value} is invalid`, code: 'INVALID_EMAIL', name }];
  }
  return [];
}
