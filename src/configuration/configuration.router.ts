import { formatEtag } from '../http/conditional.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import { once } from '../lib/once.ts';
import {
  appliedSchema,
  applyBody,
  applyQuery,
  BODY_BYTES_MAX,
  configurationParams,
  driftBody,
  driftSchema,
  exportBody,
  exportSchema,
  planBody,
  planSchema,
  schemaSchema,
  summarize,
  toChangesWire,
  toPlanWire,
} from './configuration.schema.ts';
import type { ConfigurationService } from './configuration-service.ts';
import { describeDocument } from './document.schema.ts';
import { writeYamlDocument } from './yaml/write-document.ts';

const TAG = 'Configuration';
const EXAMPLE = {
  configuration: {
    version: 1,
    mandates: [
      {
        name: 'Reading contacts',
        entries: [{ type: 'gateway_access', provider: 'hubspot', access: 'read' }],
      },
    ],
  },
} as const;

/** A project as a file: exported, compared, applied. */
export function createConfigurationEndpoints(service: ConfigurationService): Endpoint[] {
  return [
    readSchema(),
    exportConfiguration(service),
    planConfiguration(service),
    applyConfiguration(service),
    compareConfiguration(service),
    readConfiguration(service),
  ];
}

function readSchema(): Endpoint {
  // Made when it is first asked for.
  const describe = once(describeDocument);
  return endpoint({
    operationId: 'getConfigurationSchema',
    method: 'get',
    path: '/configuration/schema',
    summary: 'Read the JSON Schema of configuration files',
    description: 'For editors: `# yaml-language-server: $schema=<this address>` in the first line of a file.',
    tag: TAG,
    principals: [],
    success: { status: 200, schema: schemaSchema, description: 'JSON Schema, 2020-12' },
    handler: async () => ({ body: describe() }),
  });
}

function exportConfiguration(service: ConfigurationService): Endpoint {
  return endpoint({
    operationId: 'exportConfiguration',
    method: 'post',
    path: '/projects/{projectId}/configuration/export',
    summary: 'Export a project as a file',
    description:
      'With references in the place of secrets. With `Accept: application/yaml` the answer is the file itself. Members are for operators alone.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'configuration:read',
    params: configurationParams,
    body: exportBody,
    requestExample: {},
    changesNothing: true,
    success: {
      ...{ status: 200, schema: exportSchema, description: 'The file' },
      mediaTypes: ['application/yaml'],
    },
    errors: ['project_not_found'],
    async handler({ principal, params, request }) {
      const { configuration, stateHash } = await service.export(principal, params.projectId);
      const yaml = await writeYamlDocument(configuration);
      const etag = formatEtag(stateHash);
      if (request.accepts(['application/json', 'application/yaml', 'text/yaml']) !== 'application/json')
        return { bodyText: yaml, headers: { 'Content-Type': 'application/yaml; charset=utf-8' }, etag };
      return { body: { stateHash, configuration, yaml }, etag };
    },
  });
}

function planConfiguration(service: ConfigurationService): Endpoint {
  return endpoint({
    operationId: 'planConfiguration',
    method: 'post',
    path: '/projects/{projectId}/configuration/plan',
    summary: 'Compare a project with a file',
    description:
      'What an apply of the file would change; nothing is changed. Secrets are compared for those alone who may apply. The body may be the file itself, as `application/yaml`.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'configuration:read',
    params: configurationParams,
    body: planBody,
    yamlMember: 'configuration',
    bodyBytesMax: BODY_BYTES_MAX,
    requestExample: EXAMPLE,
    changesNothing: true,
    success: { status: 200, schema: planSchema, description: 'The plan' },
    errors: ['project_not_found'],
    async handler({ principal, params, body }) {
      const { plan, stateHash } = await service.plan(principal, params.projectId, body);
      return { body: toPlanWire(plan, stateHash), etag: formatEtag(stateHash) };
    },
  });
}

function applyConfiguration(service: ConfigurationService): Endpoint {
  return endpoint({
    operationId: 'applyConfiguration',
    method: 'post',
    path: '/projects/{projectId}/configuration/apply',
    summary: 'Make a project what a file says',
    description:
      'In one transaction, by the rules of the other operations, whose refusals it gives. Objects that an earlier file listed and this one does not are deleted; those that were made by hand stay. With a body in YAML `stateHash` is a parameter of the address.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'configuration:write',
    params: configurationParams,
    query: applyQuery,
    body: applyBody,
    yamlMember: 'configuration',
    bodyBytesMax: BODY_BYTES_MAX,
    requestExample: { ...EXAMPLE, stateHash: 'of-the-plan' },
    success: { status: 200, schema: appliedSchema, description: 'What was changed' },
    errors: [
      'project_not_found',
      'configuration_moved',
      'precondition_failed',
      'connections_exist',
      'mandate_in_use',
      'limit_reached',
    ],
    handler: ({ principal, params, query, body, ...rest }) => {
      const stateHash = body.stateHash ?? query.stateHash;
      if (stateHash === undefined)
        throw new HttpError('invalid_request', {
          errors: [{ path: 'body.stateHash', message: 'required: the one of the plan that is applied' }],
        });
      return service.apply(
        principal,
        params.projectId,
        { ...body, stateHash },
        {
          ...rest,
          replyOf: (plan, hash) => replyOf({ changes: toChangesWire(plan), summary: summarize(plan), hash }),
        },
      );
    },
  });
}

function replyOf(applied: {
  readonly changes: ReturnType<typeof toChangesWire>;
  readonly summary: ReturnType<typeof summarize>;
  readonly hash: string;
}) {
  const { changes, summary, hash } = applied;
  return { body: { stateHash: hash, applied: changes, summary }, etag: formatEtag(hash) };
}

function compareConfiguration(service: ConfigurationService): Endpoint {
  return endpoint({
    operationId: 'findConfigurationDrift',
    method: 'post',
    path: '/projects/{projectId}/configuration/drift',
    summary: 'Find what was changed by hand',
    description:
      'Compares the objects that files manage with what the last apply made of them; with a file, with what that says.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'configuration:read',
    params: configurationParams,
    body: driftBody,
    yamlMember: 'configuration',
    bodyBytesMax: BODY_BYTES_MAX,
    requestExample: {},
    changesNothing: true,
    success: { status: 200, schema: driftSchema, description: 'Every managed object, with its drift' },
    errors: ['project_not_found'],
    async handler({ principal, params, body }) {
      return { body: await service.drift(principal, params.projectId, body) };
    },
  });
}

function readConfiguration(service: ConfigurationService): Endpoint {
  return endpoint({
    operationId: 'getConfiguration',
    method: 'get',
    path: '/projects/{projectId}/configuration',
    summary: 'Read what files manage in a project',
    description: 'With what was changed by hand since.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'configuration:read',
    params: configurationParams,
    success: { status: 200, schema: driftSchema, description: 'Every managed object, with its drift' },
    errors: ['project_not_found'],
    handler: async ({ principal, params }) => ({
      body: await service.drift(principal, params.projectId, { overlays: [], secrets: {} }),
    }),
  });
}
