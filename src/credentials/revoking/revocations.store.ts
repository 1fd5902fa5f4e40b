import { z } from 'zod';
import { newId } from '../../lib/ids.ts';
import { type RevocationRequest, revocationCertificate, revocationRequest } from '../../oauth/revocation.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import type { Consent } from './shared-consent.ts';

/** Rows of one origin that are taken at once: a provider that does not answer holds up only its own. */
const PER_ORIGIN_MAX = 4;
/** A process that ends in mid-attempt leaves its rows to others after this time. */
const CLAIM_SECONDS = 60;

/** Whose grant it was. */
export type RevokedGrant = Readonly<{
  projectId: string;
  integrationId: string;
  /** Null for a grant that never became a connection. */
  connectionId: string | null;
  serviceProvider: string;
}>;

/** A grant with the requests that end it at its provider, and what else they would end. */
export type GrantToRevoke = RevokedGrant & {
  readonly request: RevocationRequest;
  readonly consent: Consent;
};

export type DueRevocation = GrantToRevoke &
  Readonly<{
    id: string;
    origin: string;
    attempts: number;
    ageSeconds: number;
    /** The party that owns, or owned, the project. */
    party: string;
  }>;

/** The columns that name a person. */
const consentSchema = z.object({
  accountId: z.string().nullable(),
  accountName: z.string().nullable(),
  endUserId: z.string().nullable(),
});

type Row = {
  id: string;
  project_id: string;
  integration_id: string;
  connection_id: string | null;
  service_provider: string;
  origin: string;
  request_sealed: string;
  certificate_sealed: string | null;
  ends: Consent['ends'];
  client_id: string | null;
  account_id: string | null;
  account_name: string | null;
  end_user_id: string | null;
  /** The report of an erasure, which may begin while the provider is asked. */
  erasure_id: string | null;
  consent_sealed: string | null;
  attempts: number;
  age_seconds: number;
  party: string;
};

/** Takes, for a minute, the rows of each party that are due first. Bound: busy origins, excluded parties, a limit. */
const CLAIM_DUE = `WITH RECURSIVE projects AS (
     (SELECT project_id FROM grants_to_revoke ORDER BY project_id LIMIT 1)
     UNION ALL
     SELECT (SELECT g.project_id FROM grants_to_revoke AS g
              WHERE g.project_id > p.project_id ORDER BY g.project_id LIMIT 1)
       FROM projects AS p WHERE p.project_id IS NOT NULL
   ), owned AS MATERIALIZED (
     SELECT project_id, party_of_project(project_id) AS party FROM projects WHERE project_id IS NOT NULL
   ), first_of_party AS (
     SELECT DISTINCT ON (o.party) g.id, o.party, g.attempt_at, g.origin
       FROM owned AS o
      CROSS JOIN LATERAL (
        SELECT id, attempt_at, origin FROM grants_to_revoke
         WHERE project_id = o.project_id AND attempt_at <= now() AND origin <> ALL (?::text[])
         ORDER BY attempt_at LIMIT 1) AS g
      WHERE o.party <> ALL (?::uuid[])
      ORDER BY o.party, g.attempt_at
   ), due AS (
     SELECT id, party FROM (
       SELECT *, row_number() OVER (PARTITION BY origin ORDER BY attempt_at) AS place FROM first_of_party
     ) AS ranked
     WHERE place <= ${PER_ORIGIN_MAX} ORDER BY attempt_at LIMIT ?
   )
   UPDATE grants_to_revoke AS g
      SET attempts = g.attempts + 1, attempt_at = now() + make_interval(secs => ${CLAIM_SECONDS})
     FROM due
    WHERE g.id = due.id AND g.attempt_at <= now()
   RETURNING g.*, due.party, extract(epoch FROM now() - g.created_at)::integer AS age_seconds`;

export type RevocationsStore = ReturnType<typeof createRevocationsStore>;

/** SQL over the grants that are to be revoked. */
export function createRevocationsStore({ db, vault }: { db: Db; vault: Vault }) {
  const context = (rowId: string, projectId: string, column = 'request_sealed') => ({
    table: 'grants_to_revoke',
    column,
    rowId,
    projectId,
  });
  const ofCertificate = (rowId: string, projectId: string) => context(rowId, projectId, 'certificate_sealed');
  const ofConsent = (rowId: string, projectId: string) => context(rowId, projectId, 'consent_sealed');

  return {
    /** In the transaction that erases the grants, so that each is revoked or still known, never neither. */
    async insert(trx: Db, revoked: readonly GrantToRevoke[]): Promise<void> {
      if (revoked.length === 0) return;
      await trx('grants_to_revoke').insert(
        revoked.map(({ request, consent, ...grant }) => {
          const id = newId();
          const { clientCertificate, ...messages } = request;
          return {
            id,
            project_id: grant.projectId,
            integration_id: grant.integrationId,
            connection_id: grant.connectionId,
            service_provider: grant.serviceProvider,
            origin: originOf(request),
            request_sealed: vault.seal(JSON.stringify(messages), context(id, grant.projectId)),
            certificate_sealed:
              clientCertificate === undefined
                ? null
                : vault.seal(JSON.stringify(clientCertificate), ofCertificate(id, grant.projectId)),
            ends: consent.ends,
            client_id: consent.clientId,
            account_id: consent.accountId,
            account_name: consent.accountName,
            end_user_id: consent.endUserId,
          };
        }),
      );
    },

    /**
     * Takes rows that are due, one of each party and a few per origin, and none of the origins in `busy` or the parties
     * in `excluded`; each goes to one process.
     */
    async claimDueOfAnyProject(
      limit: number,
      { busy, excluded }: { busy: readonly string[]; excluded: readonly string[] },
    ): Promise<DueRevocation[]> {
      const { rows } = await db.raw<{ rows: Row[] }>(CLAIM_DUE, [[...busy], [...excluded], limit]);
      return rows.map(fromRow);
    },

    async postpone(id: string, seconds: number, errorCode: string): Promise<void> {
      await db('grants_to_revoke')
        .where({ id })
        .update({
          attempt_at: db.raw('now() + make_interval(secs => ?)', [seconds]),
          last_error: errorCode,
        });
    },

    /**
     * Seals what grants of a person who is being erased say about them, and leads their outcome to the report. Answers
     * the connections of those that it found.
     */
    async hidePerson(
      trx: Db,
      { erasureId, projectId, endUserId }: Record<'erasureId' | 'projectId' | 'endUserId', string>,
    ): Promise<readonly (string | null)[]> {
      const rows: Row[] = await trx('grants_to_revoke')
        .where({ project_id: projectId, end_user_id: endUserId })
        .forUpdate()
        .select('*');
      for (const row of rows) {
        const { account_id: accountId, account_name: accountName } = row;
        const sealed = vault.seal(
          JSON.stringify({ accountId, accountName, endUserId }),
          ofConsent(row.id, projectId),
        );
        await trx('grants_to_revoke').where({ id: row.id }).update({
          erasure_id: erasureId,
          consent_sealed: sealed,
          account_id: null,
          account_name: null,
          end_user_id: null,
        });
      }
      return rows.map((row) => row.connection_id);
    },

    /** Answers the report that waits for the outcome, if one does; undefined where another process has removed the row. */
    async remove(trx: Db, id: string): Promise<{ readonly erasureId: string | null } | undefined> {
      const [row] = await trx<Row>('grants_to_revoke').where({ id }).delete().returning('erasure_id');
      return row && { erasureId: row.erasure_id };
    },
  };

  function fromRow(row: Row): DueRevocation {
    const opened = vault.open(row.request_sealed, context(row.id, row.project_id));
    return {
      id: row.id,
      projectId: row.project_id,
      integrationId: row.integration_id,
      connectionId: row.connection_id,
      serviceProvider: row.service_provider,
      origin: row.origin,
      consent: {
        ends: row.ends,
        clientId: row.client_id,
        ...personOf(row),
      },
      request: { ...revocationRequest.parse(JSON.parse(opened)), ...certificateOf(row) },
      attempts: row.attempts,
      ageSeconds: Number(row.age_seconds),
      party: row.party,
    };
  }

  function personOf(row: Row): Pick<Consent, 'accountId' | 'accountName' | 'endUserId'> {
    if (row.consent_sealed !== null) {
      return consentSchema.parse(
        JSON.parse(vault.open(row.consent_sealed, ofConsent(row.id, row.project_id))),
      );
    }
    return { accountId: row.account_id, accountName: row.account_name, endUserId: row.end_user_id };
  }

  function certificateOf(row: Row): Pick<RevocationRequest, 'clientCertificate'> {
    if (row.certificate_sealed === null) return {};
    const opened = vault.open(row.certificate_sealed, ofCertificate(row.id, row.project_id));
    return { clientCertificate: revocationCertificate.parse(JSON.parse(opened)) };
  }
}

function originOf({ messages: [message] }: RevocationRequest): string {
  return message === undefined ? '' : new URL(message.url).origin;
}
