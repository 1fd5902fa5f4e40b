import express, { type RequestHandler, type Response, type Router } from 'express';
import { z } from 'zod';
import { maskToNetwork } from '../http/client-address.ts';
import { HttpError } from '../http/errors.ts';
import { readLate } from '../http/late-body.ts';
import { refuseOtherMethods } from '../http/other-methods.ts';
import { spendShared } from '../http/rate-limits.ts';
import { getRequestContext } from '../http/request-context.ts';
import { isUuid, newId } from '../lib/ids.ts';
import { isStorableJson, NOT_STORABLE } from '../lib/storable-text.ts';
import type { SharedLimits } from '../platform/limits/shared-limits.ts';
import type { Db } from '../platform/postgres/database.ts';
import { REGISTRATION_PATH } from './addresses.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import { pickMembers } from './client-documents.ts';
import type { RegisteredClientsStore } from './registered-clients.store.ts';

const BODY_BYTES_MAX = 32 * 1024;
const REDIRECT_URIS_MAX = 20;
const HOUR_SECONDS = 60 * 60;
const PER_NETWORK = {
  ...{ name: 'registrations of a network', limit: 30, windowSeconds: HOUR_SECONDS },
  isKept: true,
};
const PER_PROJECT = {
  ...{ name: 'registrations of a project', limit: 500, windowSeconds: HOUR_SECONDS },
  isKept: true,
};

const bodySchema = z.looseObject({ redirect_uris: z.array(z.string()).min(1).max(REDIRECT_URIS_MAX) });

export type RegistrationDependencies = {
  readonly db: Db;
  readonly clients: RegisteredClientsStore;
  readonly sharedLimits: Pick<SharedLimits, 'limiter'>;
  loadServerOf(projectId: string): Promise<AuthorizationServer>;
  findAgentSignIn(projectId: string): Promise<{ readonly dynamicRegistration: boolean } | null>;
  now(): number;
};

/** Lets clients register themselves (RFC 7591) with projects that want it: public ones, of which a few members are kept. */
export function createRegistrationRouter(deps: RegistrationDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  const perNetwork = deps.sharedLimits.limiter(PER_NETWORK);
  const perProject = deps.sharedLimits.limiter(PER_PROJECT);
  const json = readLate(express.json({ limit: BODY_BYTES_MAX }));

  /** Pages of any origin may ask: nothing of a browser counts here. */
  const prepare: RequestHandler = (request, response, next) => {
    if (!isUuid(String(request.params.projectId))) return next('route');
    getRequestContext(response).route = REGISTRATION_PATH.replace(':projectId', '{projectId}');
    response.set({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store' });
    next();
  };
  const preflight: RequestHandler = (_request, response) => {
    response.set({ 'Access-Control-Allow-Methods': 'POST', 'Access-Control-Allow-Headers': 'content-type' });
    response.sendStatus(204);
  };
  const limit: RequestHandler = async (request, response, next) => {
    const projectId = String(request.params.projectId).toLowerCase();
    await spendShared(perNetwork, maskToNetwork(request.ip ?? 'unknown'), response);
    const setting = await deps.findAgentSignIn(projectId);
    if (setting?.dynamicRegistration !== true) throw new HttpError('agent_registration_off');
    await spendShared(perProject, projectId, response);
    next();
  };

  const register: RequestHandler = async (request, response) => {
    const projectId = String(request.params.projectId).toLowerCase();
    const body = bodySchema.safeParse(request.body);
    if (!body.success)
      return refuse(
        response,
        'invalid_client_metadata',
        `redirect_uris: 1 to ${REDIRECT_URIS_MAX} addresses`,
      );
    const id = newId();
    // A server may set what a client asks otherwise (RFC 7591 section 3.2.1): there are public clients alone.
    const metadata = { ...pickMembers(body.data), client_id: id, token_endpoint_auth_method: 'none' };
    if (!isStorableJson(metadata)) return refuse(response, 'invalid_client_metadata', NOT_STORABLE);
    const server = await deps.loadServerOf(projectId);
    const fault = await server.judgeClient(id, metadata);
    if (fault !== undefined) return refuse(response, fault.error, fault.description);
    const outcome = await deps.db.transaction((trx) => deps.clients.insert(trx, { id, projectId, metadata }));
    if (outcome === 'off') throw new HttpError('agent_registration_off');
    if (outcome === 'full') throw new HttpError('agent_registration_full');
    response.status(201).json({ ...metadata, client_id_issued_at: Math.floor(deps.now() / 1000) });
  };

  router.options(REGISTRATION_PATH, prepare, preflight);
  router.post(REGISTRATION_PATH, prepare, limit, json, register);
  router.all(REGISTRATION_PATH, refuseOtherMethods(REGISTRATION_PATH, ['POST', 'OPTIONS']));
  return router;
}

/** RFC 7591 section 3.2.2. */
function refuse(response: Response, error: string, description: string): void {
  response.status(400).json({ error, error_description: description });
}
