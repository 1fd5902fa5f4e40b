import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { SessionDetails } from '../../activity/actions.ts';
import type { RecordActivity } from '../../activity/record.ts';
import { HttpError } from '../../http/errors.ts';
import type { Principal } from '../../http/principal.ts';
import { sha256 } from '../../lib/opaque-tokens.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { OperatorsStore } from '../accounts/operators.store.ts';
import type { KnownDevices } from './known-devices.ts';
import { readSessionCookie, sessionCookie } from './session-cookie.ts';
import { type sessionSchema, toSessionWire } from './sessions.schema.ts';
import type { ProvedAt, SessionsStore } from './sessions.store.ts';

/** What is read of a request that signs in. */
export type BrowserRequest = Pick<IncomingMessage, 'headers'> & { readonly ip?: string | undefined };

type BegunSession = {
  readonly body: z.input<typeof sessionSchema>;
  /** `Set-Cookie` fields for the browser. */
  readonly cookies: readonly string[];
};

export type BrowserSessions = ReturnType<typeof createBrowserSessions>;

/** Begins and ends the sessions of operators' browsers, each in the transaction of what causes it. */
export function createBrowserSessions(deps: {
  sessions: SessionsStore;
  operators: OperatorsStore;
  devices: KnownDevices;
  publicUrl: string;
  recordActivity: RecordActivity;
}) {
  const { sessions, operators, devices, publicUrl } = deps;

  /**
   * A new session; the one that the browser had before ends, so that no cookie outlives a sign-in. `provedAt` is given
   * where the operator has proved nothing just now.
   */
  async function begin(
    trx: Db,
    operatorId: string,
    request: BrowserRequest,
    details: SessionDetails,
    provedAt: ProvedAt = 'now',
  ): Promise<BegunSession> {
    const before = readSessionCookie(request, publicUrl);
    if (before) await sessions.removeByHash(trx, sha256(before));
    const { session, token } = await sessions.insert(trx, {
      operatorId,
      provedAt,
      sourceAddress: request.ip ?? null,
      userAgent: request.headers['user-agent'] ?? null,
    });
    await deps.recordActivity(trx, {
      projectId: null,
      actor: { kind: 'operator', operatorId, sourceAddress: request.ip },
      action: 'session.created',
      subjectId: session.id,
      details,
    });
    const operator = await operators.findProfile(trx, operatorId);
    if (operator === undefined) throw new HttpError('sign_in_refused');
    return {
      body: toSessionWire(session, operator, session.id),
      cookies: [sessionCookie(token, publicUrl), devices.cookie(operatorId)],
    };
  }

  return {
    begin,

    /**
     * A new session in place of the browser's own, where an operator changes their own role in a browser. Answers its
     * cookies; none where another operator or a token makes the change.
     */
    async renewOwn(
      trx: Db,
      operatorId: string,
      { principal, request }: { readonly principal: Principal; readonly request: BrowserRequest },
      method: SessionDetails['method'],
    ): Promise<readonly string[]> {
      const isOwn = principal.kind === 'operator' && principal.operatorId === operatorId;
      const own = isOwn ? principal.sessionId : undefined;
      if (own === undefined) return [];
      const provedAt = await sessions.findProvedAt(trx, operatorId, own);
      return (await begin(trx, operatorId, request, { method, secondFactor: false }, provedAt)).cookies;
    },

    /**
     * Ends every session of an operator whose password changes. Answers the cookies of a new session where the
     * operator makes the change from a browser, none otherwise.
     */
    async renewAll(
      trx: Db,
      operatorId: string,
      by: { readonly principal: Principal; readonly request: BrowserRequest },
      method: SessionDetails['method'],
    ): Promise<readonly string[]> {
      const { principal, request } = by;
      const isOwn = principal.kind === 'operator' && principal.operatorId === operatorId;
      const own = isOwn ? principal.sessionId : undefined;
      const provedAt = own === undefined ? null : await sessions.findProvedAt(trx, operatorId, own);
      await sessions.removeAll(trx, operatorId);
      if (own === undefined) return [];
      return (await begin(trx, operatorId, request, { method, secondFactor: false }, provedAt)).cookies;
    },
  };
}
