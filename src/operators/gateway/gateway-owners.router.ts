import { z } from 'zod';
import type { RecordActivity } from '../../activity/record.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { emailAddress, givenPassword } from '../accounts/operators.schema.ts';
import type { OperatorsStore } from '../accounts/operators.store.ts';
import { requireProfile } from '../accounts/require-profile.ts';
import type { ProvePresence } from '../sessions/prove-presence.ts';
import { assertGatewayOwner } from './assert-gateway-owner.ts';
import type { GatewayOwner, GatewayOwnersStore } from './gateway-owners.store.ts';

type GatewayOwnersDependencies = {
  db: Db;
  operators: OperatorsStore;
  gatewayOwners: GatewayOwnersStore;
  presence: ProvePresence;
  recordActivity: RecordActivity;
};

const TAG = 'Signing in';

const gatewayOwnerSchema = z
  .object({
    operatorId: z.uuid(),
    email: z.string(),
    name: z.string().nullable(),
    since: z.iso.datetime(),
  })
  .meta({ id: 'GatewayOwner' });

const gatewayOwnerList = z
  .object({ owners: z.array(gatewayOwnerSchema), nextCursor: z.null() })
  .meta({ id: 'GatewayOwnerList' });

/** Who owns the gateway itself, as owners of the gateway see and decide it. */
export function createGatewayOwnersEndpoints(deps: GatewayOwnersDependencies): Endpoint[] {
  return [listOwners(deps), addOwner(deps), removeOwner(deps)];
}

function listOwners({ db, gatewayOwners }: GatewayOwnersDependencies): Endpoint {
  return endpoint({
    operationId: 'listGatewayOwners',
    method: 'get',
    path: '/gateway/owners',
    summary: 'List the owners of the gateway',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    success: { status: 200, schema: gatewayOwnerList, description: 'All of them' },
    errors: ['forbidden'],
    async handler({ principal }) {
      const owners = await gatewayOwners.list(db);
      assertGatewayOwner(owners.some(({ id }) => id === principal.operatorId));
      return { body: { owners: owners.map(toWire), nextCursor: null } };
    },
  });
}

function addOwner({
  db,
  operators,
  gatewayOwners,
  presence,
  recordActivity,
}: GatewayOwnersDependencies): Endpoint {
  return endpoint({
    operationId: 'addGatewayOwner',
    method: 'post',
    path: '/gateway/owners',
    summary: 'Make an operator an owner of the gateway',
    description:
      'An operator whose e-mail address is verified. Takes your password; an operator without one must have signed in within the last ten minutes.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    body: z.strictObject({ email: emailAddress, password: givenPassword.optional() }),
    requestExample: { email: 'grace@example.com', password: 'correct horse battery staple' },
    success: { status: 201, schema: gatewayOwnerSchema, description: 'The owner' },
    errors: ['forbidden', 'sign_in_too_old', 'overloaded'],
    async handler({ principal, body, request, commitReply }) {
      const { operatorId } = principal;
      const profile = await requireProfile(operators, db, operatorId);
      assertGatewayOwner(profile.gatewayOwner);
      await presence.assertPresent(principal, request, profile, body.password);
      return commitReply(db, async (trx) => {
        assertGatewayOwner((await gatewayOwners.lockAll(trx)).includes(operatorId));
        const account = await operators.findByEmail(trx, body.email);
        if (account?.isEmailVerified !== true) throw refuse('No operator has this address, verified');
        if (!(await gatewayOwners.add(trx, account.id))) throw refuse('An owner of the gateway already');
        await recordActivity(trx, {
          projectId: null,
          actor: principal,
          action: 'gateway_owner.added',
          subjectId: account.id,
          details: { email: account.email },
        });
        const added = (await gatewayOwners.list(trx)).find(({ id }) => id === account.id);
        if (added === undefined) throw new HttpError('not_found');
        return { body: toWire(added), headers: { Location: `owners/${added.id}` } };
      });
    },
  });
}

function removeOwner({ db, gatewayOwners, recordActivity }: GatewayOwnersDependencies): Endpoint {
  return endpoint({
    operationId: 'removeGatewayOwner',
    method: 'delete',
    path: '/gateway/owners/{operatorId}',
    summary: 'Remove an owner of the gateway',
    description: 'The operator stays what they are in projects. The last owner cannot go.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    params: z.strictObject({ operatorId: z.uuid() }),
    success: { status: 204, description: 'Removed, at once' },
    errors: ['not_found', 'forbidden'],
    async handler({ principal, params: { operatorId } }) {
      await db.transaction(async (trx) => {
        const owners = await gatewayOwners.lockAll(trx);
        assertGatewayOwner(owners.includes(principal.operatorId));
        if (!owners.includes(operatorId)) throw new HttpError('not_found');
        if (owners.length === 1) {
          throw new HttpError('forbidden', {
            detail: 'This is the last owner of the gateway. Appoint another one first.',
          });
        }
        await gatewayOwners.remove(trx, operatorId);
        await recordActivity(trx, {
          projectId: null,
          actor: principal,
          action: 'gateway_owner.removed',
          subjectId: operatorId,
          details: {},
        });
      });
      return {};
    },
  });
}

function refuse(message: string): HttpError {
  return new HttpError('invalid_request', { errors: [{ path: 'body.email', message }] });
}

function toWire({ id, since, ...owner }: GatewayOwner): z.input<typeof gatewayOwnerSchema> {
  return { operatorId: id, ...owner, since: since.toISOString() };
}
