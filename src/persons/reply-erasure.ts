import { listOutcomes } from '../credentials/revoking/erasure-outcomes.store.ts';
import type { CommitReply, EndpointReply } from '../http/endpoint.ts';
import { type ErrorCode, HttpError } from '../http/errors.ts';
import type { PrincipalOf } from '../http/principal.ts';
import { beginErasure, type Erasable, findEarlierErasure } from './begin-erasure.ts';
import { type ErasureWire, toErasureWire } from './persons.schema.ts';
import type { PersonsDependencies } from './persons-dependencies.ts';

type Asked = Pick<Erasable, 'kind' | 'projectId'> & {
  /** Either id, as the caller gave it. */
  readonly id: string;
  /** Undefined: there is none by that id any more. */
  readonly found: Pick<Erasable, 'endUserId' | 'name'> | undefined;
  /** The code for one that never was. */
  readonly absent: ErrorCode;
};

/** Begins the erasure of a user or an organization, or finds the earlier one, and answers its report. */
export function replyWithErasure(
  deps: PersonsDependencies,
  principal: PrincipalOf<['operator', 'api_key']>,
  commitReply: CommitReply,
  { kind, projectId, id, found, absent }: Asked,
): Promise<EndpointReply<ErasureWire>> {
  return commitReply(deps.db, async (trx) => {
    const erasure =
      (found && (await beginErasure(deps, trx, { kind, projectId, ...found }, principal))) ??
      (await findEarlierErasure(deps, trx, { kind, projectId, id }));
    if (erasure === undefined) throw new HttpError(absent);
    return {
      body: toErasureWire(erasure, await listOutcomes(trx, { ...erasure, of: 'user' })),
      headers: { Location: `${deps.publicUrl}/v1/projects/${projectId}/user-erasures/${erasure.id}` },
    };
  });
}
