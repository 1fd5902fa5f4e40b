import { newId } from '../lib/ids.ts';
import { createOpaqueToken, sha256 } from '../lib/opaque-tokens.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Role } from './access.store.ts';

type Row = {
  id: string;
  project_id: string;
  email: string;
  role: Role;
  token_hash: Buffer;
  /** Of the link in the mail, which the inviter does not see. */
  mail_token_hash: Buffer | null;
  created_by: string | null;
  mailed_at: Date | null;
  created_at: Date;
  expires_at: Date;
};

/** A link into a project for one e-mail address; the token in it is not kept. */
export type Invitation = Readonly<{
  id: string;
  projectId: string;
  email: string;
  role: Role;
  createdBy: string | null;
  createdAt: Date;
  expiresAt: Date;
  /** When a mail server took the mail. */
  mailedAt: Date | null;
}>;

/** What a link leads to. `isMailed` says that it is the one of the mail. */
export type FoundInvitation = Readonly<{
  invitation: Invitation;
  projectName: string;
  isMailed: boolean;
}>;

/** An invitation as the operator sees it whose address it is for. */
export type OwnInvitation = Invitation &
  Readonly<{
    projectName: string;
    invitedBy: { readonly email: string; readonly name: string | null } | null;
  }>;

const LIFETIME_DAYS = 7;

export type InvitationsStore = ReturnType<typeof createInvitationsStore>;

/** Invitations into projects. */
export function createInvitationsStore({ db }: { db: Db }) {
  return {
    insert: insertInvitation,
    list: (filter: InvitationFilter) => listInvitations(db, filter),
    count: countInvitations,
    findByTokenInAnyProject,
    listOfOperator: (filter: OperatorFilter) => listOfOperator(db, filter),
    findOfOperator,
    removeOfOperator,
    remove: removeInvitation,
    removeMadeBy,
    removeOfOrBy,
    markMailed: (id: string) => markMailed(db, id),
    purgeOfAnyProject: () => purgeOfAnyProject(db),
  };
}

type InvitationFilter = { projectId: string; beforeId: string | undefined; limit: number };
type OperatorFilter = { operatorId: string; beforeId: string | undefined; limit: number };

/**
 * The invitation and its two tokens: one for the inviter to pass on, one for the mail, which proves whose the address
 * is. An earlier invitation of the address to the project stops working.
 */
async function insertInvitation(
  trx: Db,
  made: Pick<Invitation, 'projectId' | 'email' | 'role' | 'createdBy'>,
): Promise<{ invitation: Invitation; token: string; mailToken: string }> {
  const { projectId, email, role, createdBy } = made;
  await trx<Row>('invitations')
    .where({ project_id: projectId })
    .whereRaw('lower(email) = lower(?)', [email])
    .delete();
  const { token, hash } = createOpaqueToken('');
  const mail = createOpaqueToken('');
  const [row] = await trx<Row>('invitations')
    .insert({
      id: newId(),
      project_id: projectId,
      email,
      role,
      token_hash: hash,
      mail_token_hash: mail.hash,
      created_by: createdBy,
      expires_at: trx.raw(`now() + interval '${LIFETIME_DAYS} days'`),
    })
    .returning('*');
  if (row === undefined) throw new Error('an inserted invitation was not returned');
  return { invitation: fromRow(row), token, mailToken: mail.token };
}

/** Those that can still be accepted, newest first. */
async function listInvitations(db: Db, filter: InvitationFilter): Promise<Invitation[]> {
  const query = db<Row>('invitations').where({ project_id: filter.projectId }).whereRaw('expires_at > now()');
  if (filter.beforeId !== undefined) query.where('id', '<', filter.beforeId);
  return (await query.orderBy('id', 'desc').limit(filter.limit).select('*')).map(fromRow);
}

async function countInvitations(trx: Db, projectId: string): Promise<number> {
  const [row] = await trx('invitations')
    .where({ project_id: projectId })
    .whereRaw('expires_at > now()')
    .count<{ total: string }[]>({ total: '*' });
  return Number(row?.total ?? 0);
}

/**
 * The invitation of a link, of whichever project; undefined where it does not work. `isMailed` says that the link is
 * the one of the mail.
 */
async function findByTokenInAnyProject(on: Db, token: string): Promise<FoundInvitation | undefined> {
  const hash = sha256(token);
  const row: (Row & { project_name: string }) | undefined = await on('invitations AS i')
    .join('projects AS p', 'p.id', 'i.project_id')
    .where((either) => either.where('i.token_hash', hash).orWhere('i.mail_token_hash', hash))
    .whereRaw('i.expires_at > now()')
    .first('i.*', 'p.name AS project_name');
  if (row === undefined) return undefined;
  const isMailed = row.mail_token_hash?.equals(hash) ?? false;
  return { invitation: fromRow(row), projectName: row.project_name, isMailed };
}

/** Of any project, those for the operator's address, if it is verified; newest first. */
async function listOfOperator(db: Db, filter: OperatorFilter): Promise<OwnInvitation[]> {
  const query = invitationsOfOperator(db, filter.operatorId)
    .join('projects AS p', 'p.id', 'i.project_id')
    .leftJoin('operators AS b', 'b.id', 'i.created_by');
  if (filter.beforeId !== undefined) query.where('i.id', '<', filter.beforeId);
  const rows: (Row & { project_name: string; by_email: string | null; by_name: string | null })[] =
    await query
      .orderBy('i.id', 'desc')
      .limit(filter.limit)
      .select('i.*', 'p.name AS project_name', 'b.email AS by_email', 'b.name AS by_name');
  return rows.map((row) => ({
    ...fromRow(row),
    projectName: row.project_name,
    invitedBy: row.by_email === null ? null : { email: row.by_email, name: row.by_name },
  }));
}

/** Of whichever project, if it is for the operator's address and that is verified. */
async function findOfOperator(on: Db, operatorId: string, id: string): Promise<Invitation | undefined> {
  const row: Row | undefined = await invitationsOfOperator(on, operatorId).where('i.id', id).first('i.*');
  return row && fromRow(row);
}

/** The same, which is gone now. */
async function removeOfOperator(trx: Db, operatorId: string, id: string): Promise<Invitation | undefined> {
  const [row] = await trx<Row>('invitations')
    .whereIn('id', invitationsOfOperator(trx, operatorId).where('i.id', id).select('i.id'))
    .delete()
    .returning('*');
  return row && fromRow(row);
}

/** The invitation that is gone now; undefined where the project has none of this id. */
async function removeInvitation(trx: Db, projectId: string, id: string): Promise<Invitation | undefined> {
  const [row] = await trx<Row>('invitations').where({ project_id: projectId, id }).delete().returning('*');
  return row && fromRow(row);
}

/** Withdraws those of these roles that the operator has made. Answers what is gone now. */
async function removeMadeBy(
  trx: Db,
  projectId: string,
  operatorId: string,
  roles: readonly Role[],
): Promise<Invitation[]> {
  const rows = await trx<Row>('invitations')
    .where({ project_id: projectId, created_by: operatorId })
    .whereIn('role', roles)
    .delete()
    .returning('*');
  return rows.map(fromRow);
}

/** Withdraws, in any project, those that the operator has made and those of the address. Answers what is gone now. */
async function removeOfOrBy(trx: Db, operator: { id: string; email: string }): Promise<Invitation[]> {
  const rows = await trx<Row>('invitations')
    .where((either) =>
      either.where({ created_by: operator.id }).orWhereRaw('lower(email) = lower(?)', [operator.email]),
    )
    .delete()
    .returning('*');
  return rows.map(fromRow);
}

async function markMailed(db: Db, id: string): Promise<void> {
  await db<Row>('invitations').where({ id }).update({ mailed_at: db.fn.now() });
}

async function purgeOfAnyProject(db: Db): Promise<void> {
  await db<Row>('invitations').whereRaw('expires_at <= now()').delete();
}

function invitationsOfOperator(on: Db, operatorId: string) {
  return on('invitations AS i')
    .joinRaw('JOIN operators AS o ON lower(o.email) = lower(i.email)')
    .where('o.id', operatorId)
    .whereNotNull('o.email_verified_at')
    .whereRaw('i.expires_at > now()');
}

function fromRow(row: Row): Invitation {
  return {
    id: row.id,
    projectId: row.project_id,
    email: row.email,
    role: row.role,
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    mailedAt: row.mailed_at,
  };
}
