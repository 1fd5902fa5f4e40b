import { createHash } from 'node:crypto';
import { z } from 'zod';
import { mandateEntrySchema } from '../mandates/mandate.schema.ts';
import type { Vault } from '../platform/vault.ts';
import type { ApprovalQuestion } from '../proxy/contract.ts';
import type { Actor, Approval, Asker, StoredCall } from './approval.ts';

const storedCall: z.ZodType<StoredCall> = z.object({
  digest: z.string(),
  host: z.string().nullable(),
  path: z.string(),
  query: z.string(),
  fields: z.array(z.string()),
  bodyBytes: z.number(),
  bodySha256: z.string(),
  asker: z.object({
    jti: z.string().nullable(),
    client: z.string().nullable(),
    actors: z.array(z.object({ id: z.string(), name: z.string().nullable() })),
    // Rows of releases before it have none.
    declaredClient: z.string().nullable().default(null),
  }),
  // Nor this.
  organization: z.string().nullable().default(null),
  entry: mandateEntrySchema.nullable(),
});

const MARK_PURPOSE = 'integration-gateway: call that waits for an approval';

/** A call as it is asked about. */
export type AskedCall = {
  readonly stored: StoredCall;
  /** What it may be found by, from each key of the vault; the first one is stored. */
  readonly marks: readonly string[];
  readonly entryHash: Buffer;
};

export type SealedCalls = ReturnType<typeof createSealedCalls>;

/** What is stored of calls, sealed for their rows, and the marks by which a call is found again. */
export function createSealedCalls({ vault }: { vault: Pick<Vault, 'seal' | 'open' | 'marksFor'> }) {
  const place = (column: string, { id, projectId }: Pick<Approval, 'id' | 'projectId'>) => ({
    table: 'approvals',
    column,
    rowId: id,
    projectId,
  });
  return {
    describe(question: ApprovalQuestion, body: Buffer, said: Asker): AskedCall {
      const asker = said.actors.length > 0 ? said : { ...said, actors: listActors(question) };
      const bodySha256 = createHash('sha256').update(body).digest('hex');
      const digest = digestOf(question, { bodySha256, bodyBytes: body.length, asker });
      const { rawPath: path, rawQuery: query, host = null, fields, needed } = question;
      return {
        stored: {
          ...{ digest, host, path, query, fields, bodyBytes: body.length, bodySha256, asker },
          organization: question.user.membership?.organization ?? null,
          entry: readEntry(needed.entryKey),
        },
        marks: vault.marksFor(`${MARK_PURPOSE} ${digest}`),
        entryHash: hashEntry(needed.entryKey),
      };
    },
    seal: (of: Pick<Approval, 'id' | 'projectId'>, call: StoredCall, body: Buffer) => ({
      callSealed: vault.seal(JSON.stringify(call), place('call_sealed', of)),
      bodySealed: body.length === 0 ? null : vault.seal(body.toString('base64'), place('body_sealed', of)),
    }),
    open: (of: Pick<Approval, 'id' | 'projectId'>, sealed: string): StoredCall =>
      storedCall.parse(JSON.parse(vault.open(sealed, place('call_sealed', of)))),
    openBody: (of: Pick<Approval, 'id' | 'projectId'>, sealed: string): Buffer =>
      Buffer.from(vault.open(sealed, place('body_sealed', of)), 'base64'),
  };
}

/** Of a token that says nothing itself, such as those of clients that have signed in, as it was verified. */
function listActors({ user }: ApprovalQuestion): Actor[] {
  return (user.actors ?? []).map(({ id, name = null }) => ({ id, name }));
}

export function hashEntry(entryKey: string): Buffer {
  return createHash('sha256').update(entryKey).digest();
}

/**
 * All that has to be the same: what is sent, with which connection, who asks and by which entry. Names of fields have no case
 * and no order (RFC 9110 sections 5.1 and 5.3); values of one name have.
 */
function digestOf(
  question: ApprovalQuestion,
  rest: Pick<StoredCall, 'bodyBytes' | 'bodySha256'> & { readonly asker: Asker },
): string {
  const { connection, provider, host = null, method, rawPath, rawQuery, needed } = question;
  const { client, actors, declaredClient } = rest.asker;
  const parts = [
    ...[connection.projectId, connection.endUserId, connection.connectionId, provider, host],
    ...[method, rawPath, rawQuery, sortFields(question.fields), rest.bodyBytes, rest.bodySha256],
    ...[client, actors, needed.mode, needed.entryKey],
    ...(declaredClient === null ? [] : [declaredClient]),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function sortFields(fields: readonly string[]): [name: string, value: string][] {
  const pairs = fields.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name.toLowerCase(), fields[index + 1] ?? '']] : [],
  );
  return pairs.toSorted(([left], [right]) => (left < right ? -1 : Number(left > right)));
}

function readEntry(entryKey: string): StoredCall['entry'] {
  try {
    return mandateEntrySchema.parse(JSON.parse(entryKey));
  } catch {
    return null;
  }
}
