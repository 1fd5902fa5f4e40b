import { assertScopes } from '../http/assert-scopes.ts';
import type { Deprecation } from '../http/deprecation.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from '../projects/access.ts';
import type { ClientDiagnosis } from './client-diagnosis.ts';
import type { ConnectAttempts } from './connect-attempts.ts';
import {
  connectAttemptsQuery,
  connectAttemptsSchema,
  diagnosisQuery,
  diagnosisSchema,
  idParams,
  impactSchema,
  integrationStatesSchema,
  probeBody,
  probeSchema,
  projectParams,
} from './diagnosis.schema.ts';
import type { DeletionImpact } from './impact.ts';
import type { ReadIntegrationStates } from './integration-states.ts';
import type { ProbeUnsaved } from './probe-unsaved.ts';

/** Its first name said sign-in, which is what operators do. */
const SIGN_INS_DEPRECATED: Deprecation = {
  since: '2026-11-27',
  sunset: '2027-06-01',
  instead: 'Call `GET /integrations/{id}/connect-attempts`, which answers the same.',
};

type DiagnosisDependencies = {
  db: Db;
  access: Access;
  integrations: IntegrationsStore;
  diagnosis: ClientDiagnosis;
  connectAttempts: ConnectAttempts;
  impact: DeletionImpact;
  probeUnsaved: ProbeUnsaved;
  readStates: ReadIntegrationStates;
};

/** What is wrong with an integration, how far users come, and what deleting it would break. */
export function createDiagnosisEndpoints(deps: DiagnosisDependencies): Endpoint[] {
  return [
    createDiagnose(deps),
    createProbe(deps),
    ...createListConnectAttempts(deps),
    createShowIntegrationImpact(deps),
    createShowProjectImpact(deps),
    createListStates(deps),
  ];
}

function findIntegration(
  { db, access, integrations }: DiagnosisDependencies,
  principal: Principal,
  id: string,
) {
  return access.find(principal, 'read', 'integration_not_found', (projectIds) =>
    integrations.find(db, id, projectIds),
  );
}

/** Having a provider asked is more than reading. */
async function assertMayAsk(access: Access, principal: Principal, projectId: string): Promise<void> {
  assertScopes(principal, 'integrations:write');
  await access.requireProjectAccess(principal, projectId, 'write');
}

async function mayAskAgain(access: Access, principal: Principal, projectId: string): Promise<boolean> {
  try {
    await assertMayAsk(access, principal, projectId);
    return true;
  } catch (error) {
    if (error instanceof HttpError) return false;
    throw error;
  }
}

function createDiagnose(deps: DiagnosisDependencies): Endpoint {
  return endpoint({
    operationId: 'diagnoseIntegration',
    method: 'get',
    path: '/integrations/{id}/diagnosis',
    summary: 'Diagnose an integration',
    description:
      'What is wrong and what to do about it. The provider is asked at most every ten minutes; `refresh=true` asks again (owners, admins and API keys with `integrations:write`), at most every ten seconds.',
    tag: 'Diagnosis',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'integrations:read',
    params: idParams,
    query: diagnosisQuery,
    success: { status: 200, schema: diagnosisSchema, description: 'The findings' },
    errors: ['integration_not_found', 'insufficient_role'],
    async handler({ principal, params, query }) {
      const integration = await findIntegration(deps, principal, params.id);
      const isForced = query.refresh === 'true';
      if (isForced) await assertMayAsk(deps.access, principal, integration.projectId);
      const mayAsk = isForced || (await mayAskAgain(deps.access, principal, integration.projectId));
      const probing = isForced ? 'always' : mayAsk ? 'if_outdated' : 'never';
      return { body: await deps.diagnosis.diagnose(integration, probing) };
    },
  });
}

function createProbe(deps: DiagnosisDependencies): Endpoint {
  return endpoint({
    operationId: 'probeClient',
    method: 'post',
    path: '/integrations/probe',
    summary: 'Check a client before it is saved',
    description: 'Asks the provider whether it accepts this client. Nothing is stored.',
    tag: 'Diagnosis',
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'integrations:write',
    body: probeBody,
    bodyBytesMax: 128 * 1024,
    requestExample: {
      serviceProvider: 'hubspot',
      clientId: 'client-id-of-your-app',
      clientSecret: 'client-secret-of-your-app',
    },
    changesNothing: true,
    success: { status: 200, schema: probeSchema, description: 'The findings' },
    errors: ['provider_unknown', 'project_not_found', 'variable_invalid', 'grant_unknown', 'rate_limited'],
    async handler({ principal, body }) {
      const projectId = await deps.access.projectToChange(principal, body.projectId);
      return { body: await deps.probeUnsaved(projectId, body) };
    },
  });
}

function createListConnectAttempts(deps: DiagnosisDependencies): Endpoint[] {
  const declare = (operationId: string, path: string, deprecated?: Deprecation) =>
    endpoint({
      operationId,
      method: 'get',
      path,
      summary: 'How far users come when they connect',
      description:
        'How many connect sessions of the last days were opened, sent to the provider, came back and were completed, and why others failed.',
      ...(deprecated && { deprecated }),
      tag: 'Diagnosis',
      principals: ['operator', 'api_key'],
      leastRole: 'viewer',
      keyScope: 'integrations:read',
      params: idParams,
      query: connectAttemptsQuery,
      success: { status: 200, schema: connectAttemptsSchema, description: 'Counts and the last failures' },
      errors: ['integration_not_found'],
      async handler({ principal, params, query }) {
        const integration = await findIntegration(deps, principal, params.id);
        return { body: await deps.connectAttempts(integration, query.days) };
      },
    });
  return [
    declare('listConnectAttempts', '/integrations/{id}/connect-attempts'),
    declare('listSignIns', '/integrations/{id}/sign-ins', SIGN_INS_DEPRECATED),
  ];
}

function createShowIntegrationImpact(deps: DiagnosisDependencies): Endpoint {
  return endpoint({
    operationId: 'showIntegrationImpact',
    method: 'get',
    path: '/integrations/{id}/impact',
    summary: 'What deleting the integration would break',
    tag: 'Diagnosis',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'integrations:read',
    params: idParams,
    success: { status: 200, schema: impactSchema, description: 'What goes with it' },
    errors: ['integration_not_found'],
    async handler({ principal, params }) {
      return { body: await deps.impact.ofIntegration(await findIntegration(deps, principal, params.id)) };
    },
  });
}

function createShowProjectImpact(deps: DiagnosisDependencies): Endpoint {
  return endpoint({
    operationId: 'showProjectImpact',
    method: 'get',
    path: '/projects/{projectId}/impact',
    summary: 'What deleting the project would break',
    tag: 'Diagnosis',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'projects:read',
    params: projectParams,
    success: { status: 200, schema: impactSchema, description: 'What goes with it' },
    errors: ['project_not_found'],
    async handler({ principal, params }) {
      await deps.access.requireProjectAccess(principal, params.projectId, 'read');
      return { body: await deps.impact.ofProject(params.projectId) };
    },
  });
}

function createListStates(deps: DiagnosisDependencies): Endpoint {
  return endpoint({
    operationId: 'listIntegrationStates',
    method: 'get',
    path: '/projects/{projectId}/integration-states',
    summary: 'How the integrations of a project do',
    description:
      'In brief, from what is known: no provider is asked. For a list; the diagnosis of each has the rest. At most 1,000, the newest first.',
    tag: 'Diagnosis',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'integrations:read',
    params: projectParams,
    success: { status: 200, schema: integrationStatesSchema, description: 'A state for each integration' },
    errors: ['project_not_found'],
    async handler({ principal, params }) {
      await deps.access.requireProjectAccess(principal, params.projectId, 'read');
      return { body: { states: await deps.readStates(params.projectId) } };
    },
  });
}
