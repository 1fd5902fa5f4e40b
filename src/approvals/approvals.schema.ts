import { z } from 'zod';
import { listQuery } from '../lib/cursor.ts';
import { shownMandateEntrySchema } from '../mandates/mandate.schema.ts';
import { userIdText } from '../projects/texts.schema.ts';
import { APPROVAL_STATES, type Approval, DECIDER_KINDS, type StoredCall } from './approval.ts';
import { formatAddress } from './approval-changes.ts';

const TEXT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const actorSchema = z.object({ id: z.string(), name: z.string().nullable() }).meta({ id: 'ApprovalActor' });

const bodySchema = z.object({
  bytes: z.int(),
  sha256: z.string().meta({ description: 'In hexadecimal digits.' }),
  text: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'The body where it is UTF-8, else null. Left out of lists.' }),
  base64: z.string().optional().meta({ description: 'The bytes as they are sent. Left out of lists.' }),
});

const callSchema = z
  .object({
    host: z.string().nullable().meta({ description: 'Name of a further host; null: the API base.' }),
    path: z.string().meta({ description: 'As it is sent, behind the provider.' }),
    query: z.string().meta({ description: 'As it is sent: empty, or from the question mark on.' }),
    headers: z
      .array(z.object({ name: z.string(), value: z.string() }))
      .optional()
      .meta({ description: 'The caller’s own fields that the provider gets. Left out of lists.' }),
    body: bodySchema,
  })
  .meta({ id: 'ApprovalCall' });

const askerSchema = z
  .object({
    jti: z.string().nullable().meta({ description: 'Id of the token that asked.' }),
    client: z.string().nullable().meta({ description: 'Its `client_id` or `azp`.' }),
    actors: z
      .array(actorSchema)
      .readonly()
      .meta({ description: 'Its `act` chain (RFC 8693), the one that calls first.' }),
    declaredClient: z
      .string()
      .nullable()
      .meta({ description: 'What an MCP client calls itself: its own word, which nothing vouches for.' }),
  })
  .meta({ id: 'ApprovalAsker' });

export const approvalSchema = z
  .object({
    id: z.uuid(),
    projectId: z.uuid(),
    state: z.enum(APPROVAL_STATES),
    mode: z.enum(['once', 'each']).meta({
      description: '`once`: this approval lets later calls of the token by the same entry pass as well.',
    }),
    userId: z.string().meta({ description: 'Your own id of the user.' }),
    integrationUserId: z.uuid(),
    integrationId: z.uuid(),
    connectionId: z.uuid(),
    serviceProvider: z.string(),
    method: z.string(),
    url: z.url().meta({ description: 'The page on which the person decides. It holds no secret.' }),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    decidedAt: z.iso.datetime().nullable(),
    decidedBy: z.object({ kind: z.enum(DECIDER_KINDS), id: z.uuid() }).nullable(),
    endedAt: z.iso.datetime().nullable().meta({ description: 'When it was used or refused, or expired.' }),
    asker: askerSchema.nullable(),
    entry: shownMandateEntrySchema
      .nullable()
      .meta({ description: 'The entry of the mandate that wants the approval.' }),
    call: callSchema.nullable().meta({
      description:
        'The exact call. Null once it has ended, when it is erased, and for tokens with a mandate. `asker` and `entry` likewise.',
    }),
  })
  .meta({ id: 'Approval' });

export type ApprovalWire = z.input<typeof approvalSchema>;

export const approvalList = z
  .object({ approvals: z.array(approvalSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'ApprovalList' });

export const approvalParams = z.strictObject({ id: z.uuid() });

export const approvalsQuery = z.strictObject({
  ...listQuery,
  state: z.enum(APPROVAL_STATES).optional(),
  projectId: z.uuid().optional().meta({ description: 'One of your projects; left out: all of them.' }),
  userId: userIdText.optional().meta({ description: 'Your own id of the user.' }),
});

export const createSessionBody = z.strictObject({
  userId: userIdText.optional().meta({
    description:
      'Whom you have signed in, by your own id: required with an API key. Of another user’s approval there is no page for them.',
  }),
  locale: z
    .string()
    .max(35)
    .regex(/^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/, 'A language tag such as de-AT')
    .optional()
    .meta({ description: 'Language of the page; left out: the browser’s.' }),
});

export const sessionSchema = z
  .object({
    url: z.url().meta({ description: 'Send the person’s browser there. It can be opened in one browser.' }),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'ApprovalSession' });

/** Whether the body says of itself that it is a form. */
export function isForm(call: StoredCall): boolean {
  const type = listHeaders(call).find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? '';
  return /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type);
}

/** `call`: what is asked, where it is kept and may be shown; `body` where it is shown in full. */
export function toApprovalWire(
  approval: Approval,
  publicUrl: string,
  { call, body }: { readonly call?: StoredCall | undefined; readonly body?: Buffer | undefined },
): ApprovalWire {
  return {
    id: approval.id,
    projectId: approval.projectId,
    state: approval.state,
    mode: approval.mode,
    userId: approval.userId,
    integrationUserId: approval.endUserId,
    integrationId: approval.integrationId,
    connectionId: approval.connectionId,
    serviceProvider: approval.provider,
    method: approval.method,
    url: formatAddress(approval.id, publicUrl),
    createdAt: approval.createdAt.toISOString(),
    expiresAt: approval.expiresAt.toISOString(),
    decidedAt: approval.decidedAt?.toISOString() ?? null,
    decidedBy: approval.decidedBy,
    endedAt: approval.endedAt?.toISOString() ?? null,
    asker: call?.asker ?? null,
    entry: call?.entry ?? null,
    call: call === undefined ? null : toCallWire(call, body),
  };
}

function toCallWire(call: StoredCall, body: Buffer | undefined): NonNullable<ApprovalWire['call']> {
  const { host, path, query, bodyBytes: bytes, bodySha256: sha256 } = call;
  if (body === undefined) return { host, path, query, body: { bytes, sha256 } };
  return {
    ...{ host, path, query },
    headers: listHeaders(call),
    body: { bytes, sha256, text: decodeText(body), base64: body.toString('base64') },
  };
}

export function listHeaders({ fields }: Pick<StoredCall, 'fields'>): { name: string; value: string }[] {
  return fields.flatMap((name, index) => (index % 2 === 0 ? [{ name, value: fields[index + 1] ?? '' }] : []));
}

/** Null for what is not UTF-8. */
export function decodeText(body: Buffer): string | null {
  try {
    return TEXT.decode(body);
  } catch {
    return null;
  }
}
