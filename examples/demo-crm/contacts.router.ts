import express, { type Request, type Response, type Router } from 'express';
import { z } from 'zod';
import type { ApiGuard } from './api-guard.ts';
import type { Contact, ContactBook } from './contact-book.ts';
import { ALWAYS_ANSWERED, DEFAULT_ANSWERED, listContactProperties } from './contact-properties.ts';
import { readProperty, searchContacts, searchSchema } from './contact-search.ts';
import { parseInput } from './parse-input.ts';

const CONTACTS = '/crm/v3/objects/contacts';
const READ = 'crm.objects.contacts.read';
const WRITE = 'crm.objects.contacts.write';
const LIST_LIMIT_MAX = 100;
const BATCH_INPUTS_MAX = 100;

const properties = z.record(z.string(), z.coerce.string());
const write = z.object({ properties });
const identified = z.object({ id: z.string() });
const batch = <Input extends z.ZodType>(input: Input) =>
  z.object({
    inputs: z.array(input).min(1).max(BATCH_INPUTS_MAX),
    properties: z.array(z.string()).default([]),
    idProperty: z.string().default('hs_object_id'),
  });
const list = z.object({
  limit: z.coerce.number().int().min(1).max(LIST_LIMIT_MAX).default(10),
  after: z.coerce.number().int().min(0).default(0),
  archived: z.stringbool().default(false),
});
const one = z.object({
  idProperty: z.string().default('hs_object_id'),
  archived: z.stringbool().default(false),
});

type ContactsDeps = {
  readonly guard: ApiGuard;
  readonly bookOf: (hubId: number) => ContactBook;
  readonly publicUrl: string;
  readonly now: () => Date;
};

/** Contacts and their properties, as HubSpot's CRM API v3 has them (https://developers.hubspot.com/docs/api-reference). */
export function createContactsRouter(deps: ContactsDeps): Router {
  const router = express.Router();
  router.get('/crm/v3/properties/contacts', (req, res) => {
    deps.guard.authenticate(req, res, 'crm.schemas.contacts.read');
    res.json({ results: listContactProperties() });
  });
  addBatchRoutes(router, deps);
  addCollectionRoutes(router, deps);
  addContactRoutes(router, deps);
  return router;
}

function openBook({ guard, bookOf }: ContactsDeps, req: Request, res: Response, scope: string): ContactBook {
  return bookOf(guard.authenticate(req, res, scope).user.hub.id);
}

function addCollectionRoutes(router: Router, deps: ContactsDeps): void {
  router.get(CONTACTS, (req, res) => {
    const book = openBook(deps, req, res, READ);
    const { limit, after, archived } = parseInput(list, req.query);
    const found = book.listFrom(after, limit, archived);
    const page = found.slice(0, limit);
    const results = page.map((contact) => present(contact, namesIn(req)));
    res.json({ results, ...pagingOf(found.length > limit ? String(page.at(-1)?.id) : null, deps, req) });
  });

  router.post(CONTACTS, (req, res) => {
    const book = openBook(deps, req, res, WRITE);
    const contact = book.create(parseInput(write, req.body).properties);
    res.status(201).location(`${deps.publicUrl}${CONTACTS}/${contact.id}`);
    res.json(present(contact, Object.keys(contact.properties)));
  });

  router.post(`${CONTACTS}/search`, (req, res) => {
    const book = openBook(deps, req, res, READ);
    const search = parseInput(searchSchema, req.body);
    const { total, page, nextAfter } = searchContacts(book.live(), search);
    const results = page.map((contact) => present(contact, search.properties));
    res.json({ total, results, ...(nextAfter === null ? {} : { paging: { next: { after: nextAfter } } }) });
  });
}

function addContactRoutes(router: Router, deps: ContactsDeps): void {
  router.get(`${CONTACTS}/:contactId`, (req, res) => {
    const book = openBook(deps, req, res, READ);
    const { idProperty, archived } = parseInput(one, req.query);
    res.json(present(book.get(req.params.contactId, idProperty, archived), namesIn(req)));
  });

  router.patch(`${CONTACTS}/:contactId`, (req, res) => {
    const book = openBook(deps, req, res, WRITE);
    const { idProperty } = parseInput(one, req.query);
    const changes = parseInput(write, req.body).properties;
    res.json(present(book.update(req.params.contactId, idProperty, changes), Object.keys(changes)));
  });

  router.delete(`${CONTACTS}/:contactId`, (req, res) => {
    openBook(deps, req, res, WRITE).archive(req.params.contactId);
    res.status(204).end();
  });
}

function addBatchRoutes(router: Router, deps: ContactsDeps): void {
  router.post(`${CONTACTS}/batch/read`, (req, res) => {
    const book = openBook(deps, req, res, READ);
    const { inputs, properties: names, idProperty } = parseInput(batch(identified), req.body);
    const contacts = inputs.map(({ id }) => ({ id, contact: book.find(id, idProperty) }));
    const found = contacts.flatMap(({ contact }) => (contact?.archivedAt === null ? [contact] : []));
    const missing = contacts.filter(({ contact }) => contact?.archivedAt !== null).map(({ id }) => id);
    const results = found.map((contact) => present(contact, names));
    res.status(missing.length > 0 ? 207 : 200).json({ ...batchAnswer(deps, results), ...missingIn(missing) });
  });

  router.post(`${CONTACTS}/batch/create`, (req, res) => {
    const book = openBook(deps, req, res, WRITE);
    const { inputs } = parseInput(batch(write), req.body);
    const created = inputs.map((input) => book.create(input.properties));
    const results = created.map((contact) => present(contact, Object.keys(contact.properties)));
    res.status(201).json(batchAnswer(deps, results));
  });

  router.post(`${CONTACTS}/batch/update`, (req, res) => {
    const book = openBook(deps, req, res, WRITE);
    const { inputs } = parseInput(
      batch(write.extend({ id: z.string(), idProperty: z.string().optional() })),
      req.body,
    );
    const results = inputs.map((input) =>
      present(
        book.update(input.id, input.idProperty ?? 'hs_object_id', input.properties),
        Object.keys(input.properties),
      ),
    );
    res.json(batchAnswer(deps, results));
  });

  router.post(`${CONTACTS}/batch/archive`, (req, res) => {
    const book = openBook(deps, req, res, WRITE);
    for (const { id } of parseInput(batch(identified), req.body).inputs) book.archive(id);
    res.status(204).end();
  });
}

/** A contact as the API shows it: the properties asked for, null where one is not set. */
function present(contact: Contact, asked: readonly string[]) {
  const names = asked.length > 0 ? [...new Set([...ALWAYS_ANSWERED, ...asked])] : DEFAULT_ANSWERED;
  return {
    id: String(contact.id),
    properties: Object.fromEntries(names.map((name) => [name, readProperty(contact, name) ?? null])),
    createdAt: contact.createdAt.toISOString(),
    updatedAt: contact.updatedAt.toISOString(),
    archived: contact.archivedAt !== null,
    ...(contact.archivedAt === null ? {} : { archivedAt: contact.archivedAt.toISOString() }),
  };
}

/** The link repeats the call's own query, so that following it keeps properties and limit. */
function pagingOf(after: string | null, { publicUrl }: ContactsDeps, req: Request) {
  if (after === null) return {};
  const link = new URL(req.originalUrl, publicUrl);
  link.searchParams.set('after', after);
  return { paging: { next: { after, link: link.href } } };
}

function batchAnswer({ now }: ContactsDeps, results: readonly unknown[]) {
  const at = now().toISOString();
  return { status: 'COMPLETE', results, startedAt: at, completedAt: at };
}

function missingIn(ids: readonly string[]) {
  if (ids.length === 0) return {};
  const message = 'Some contacts do not exist or are archived.';
  return {
    numErrors: 1,
    errors: [
      { status: 'error', category: 'OBJECT_NOT_FOUND', message, context: { ids }, errors: [], links: {} },
    ],
  };
}

/** `properties` may be repeated or hold several names between commas; the official client repeats it. */
function namesIn(req: Request): string[] {
  const asked: unknown = req.query.properties;
  return [asked]
    .flat()
    .flatMap((value) => (typeof value === 'string' ? value.split(',') : []))
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
