import { z } from 'zod';
import type { Contact } from './contact-book.ts';
import { invalid } from './crm-errors.ts';

/** HubSpot's own bounds of a search (https://developers.hubspot.com/docs/api-reference/search/guide). */
const SEARCH_LIMIT_MAX = 200;
const SEARCH_RESULTS_MAX = 10_000;

const filterSchema = z.object({
  propertyName: z.string(),
  operator: z.enum([
    'EQ',
    'NEQ',
    'LT',
    'LTE',
    'GT',
    'GTE',
    'BETWEEN',
    'IN',
    'NOT_IN',
    'HAS_PROPERTY',
    'NOT_HAS_PROPERTY',
    'CONTAINS_TOKEN',
    'NOT_CONTAINS_TOKEN',
  ]),
  value: z.coerce.string().default(''),
  highValue: z.coerce.string().default(''),
  values: z.array(z.coerce.string()).default([]),
});

const sortObject = z.object({
  propertyName: z.string(),
  direction: z.enum(['ASCENDING', 'DESCENDING']).default('ASCENDING'),
});

export const searchSchema = z.object({
  filterGroups: z
    .array(z.object({ filters: z.array(filterSchema) }))
    .max(5)
    .default([]),
  query: z.string().max(3000).default(''),
  sorts: z
    .array(z.union([sortObject, z.string()]))
    .max(1)
    .default([]),
  properties: z.array(z.string()).default([]),
  limit: z.coerce.number().int().min(1).max(SEARCH_LIMIT_MAX).default(10),
  after: z.coerce.number().int().min(0).default(0),
});

export type Search = z.infer<typeof searchSchema>;
type Filter = z.infer<typeof filterSchema>;

/** Filters of one group must all hold, one group is enough; `after` is an offset. Throws CrmError beyond 10,000 results. */
export function searchContacts(contacts: readonly Contact[], search: Search) {
  if (search.after + search.limit > SEARCH_RESULTS_MAX) {
    throw invalid(`A search pages through its first ${SEARCH_RESULTS_MAX} results only`);
  }
  const matches = contacts.filter(
    (contact) => matchesQuery(contact, search.query) && matchesGroups(contact, search),
  );
  const sorted = sortContacts(matches, search.sorts[0]);
  const end = search.after + search.limit;
  return {
    total: sorted.length,
    page: sorted.slice(search.after, end),
    nextAfter: end < sorted.length ? String(end) : null,
  };
}

/** Value of a property as the API shows it, also of those that the CRM keeps itself; undefined if it is not set. */
export function readProperty(contact: Contact, name: string): string | undefined {
  if (name === 'hs_object_id') return String(contact.id);
  if (name === 'createdate') return contact.createdAt.toISOString();
  if (name === 'lastmodifieddate' || name === 'hs_lastmodifieddate') return contact.updatedAt.toISOString();
  const value = contact.properties[name];
  return value === '' ? undefined : value;
}

const QUERIED = ['firstname', 'lastname', 'email', 'phone', 'company'] as const;

function matchesQuery({ properties }: Contact, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const text = QUERIED.map((name) => properties[name] ?? '')
    .join(' ')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

function matchesGroups(contact: Contact, { filterGroups }: Search): boolean {
  if (filterGroups.length === 0) return true;
  return filterGroups.some(({ filters }) => filters.every((filter) => matchesFilter(contact, filter)));
}

function matchesFilter(contact: Contact, filter: Filter): boolean {
  const actual = readProperty(contact, filter.propertyName);
  switch (filter.operator) {
    case 'HAS_PROPERTY':
      return actual !== undefined;
    case 'NOT_HAS_PROPERTY':
      return actual === undefined;
    case 'NEQ':
      return actual !== undefined && compare(actual, filter.value) !== 0;
    case 'NOT_IN':
      return actual !== undefined && !filter.values.some((value) => compare(actual, value) === 0);
    case 'NOT_CONTAINS_TOKEN':
      return actual !== undefined && !tokenPattern(filter.value).test(actual);
    default:
      return actual !== undefined && matchesValue(actual, filter);
  }
}

function matchesValue(actual: string, { operator, value, highValue, values }: Filter): boolean {
  switch (operator) {
    case 'EQ':
      return compare(actual, value) === 0;
    case 'LT':
      return compare(actual, value) < 0;
    case 'LTE':
      return compare(actual, value) <= 0;
    case 'GT':
      return compare(actual, value) > 0;
    case 'GTE':
      return compare(actual, value) >= 0;
    case 'BETWEEN':
      return compare(actual, value) >= 0 && compare(actual, highValue) <= 0;
    case 'IN':
      return values.some((candidate) => compare(actual, candidate) === 0);
    case 'CONTAINS_TOKEN':
      return tokenPattern(value).test(actual);
    default:
      return false;
  }
}

/** Numbers and times are compared as such (a time may be given in milliseconds or RFC 3339), all else as text. */
function compare(actual: string, wanted: string): number {
  return compareRead(
    { text: actual, value: toComparable(actual) },
    { text: wanted, value: toComparable(wanted) },
  );
}

type ReadValue = { readonly text: string; readonly value: number | string };

function compareRead(left: ReadValue, right: ReadValue): number {
  if (typeof left.value === 'number' && typeof right.value === 'number') return left.value - right.value;
  return COLLATOR.compare(left.text.toLowerCase(), right.text.toLowerCase());
}

const COLLATOR = new Intl.Collator('en');

function toComparable(value: string): number | string {
  if (/^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (/^\d{4}-\d{2}-\d{2}/.test(value)) return Date.parse(value);
  return value;
}

/** A whole word of the value, in any case, where `*` stands for any characters. */
function tokenPattern(token: string): RegExp {
  const escaped = token.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*');
  return new RegExp(`(^|[^\\p{L}\\p{N}])${escaped}($|[^\\p{L}\\p{N}])`, 'iu');
}

/** The official client types a sort as a string, and people put JSON into it; `-name` means descending. */
function sortContacts(
  contacts: readonly Contact[],
  sort: Search['sorts'][number] | undefined,
): readonly Contact[] {
  if (sort === undefined) return contacts;
  const { propertyName, direction } = typeof sort === 'string' ? parseSort(sort) : sort;
  const sign = direction === 'DESCENDING' ? -1 : 1;
  const sortedBy = (contact: Contact) => readProperty(contact, propertyName) ?? '';
  // Read once for each contact: a sort of ten thousand asks a hundred thousand times.
  return contacts
    .map((contact) => ({ contact, text: sortedBy(contact), value: toComparable(sortedBy(contact)) }))
    .sort((one, other) => sign * compareRead(one, other) || one.contact.id - other.contact.id)
    .map(({ contact }) => contact);
}

function parseSort(sort: string): z.infer<typeof sortObject> {
  if (sort.startsWith('{')) {
    try {
      return sortObject.parse(JSON.parse(sort));
    } catch {
      throw invalid('A sort given as text must be a property name or the JSON of a sort');
    }
  }
  return sort.startsWith('-')
    ? { propertyName: sort.slice(1), direction: 'DESCENDING' }
    : { propertyName: sort, direction: 'ASCENDING' };
}
