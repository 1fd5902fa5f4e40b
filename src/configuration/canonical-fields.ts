import type { Destination } from '../events/destinations/destination.ts';
import type { NamedMandate } from '../identity/mandates/mandates.store.ts';
import type { Integration } from '../integrations/integration.ts';
import type { Poll } from '../polls/api/polls.store.ts';
import type { Project } from '../projects/projects.store.ts';
import type { Fields } from './objects.ts';

/** Rows in the form of the file, every default filled in. What is not here is not configured by files. */

export function fieldsOfProject(project: Project, mandateNames: ReadonlyMap<string, string>): Fields {
  const { agentSignIn } = project;
  const openid = agentSignIn?.openid ?? null;
  return {
    name: project.name,
    allowedOrigins: project.allowedOrigins,
    returnUrls: project.returnUrls,
    approvalPage: project.approvalPage,
    agentSignIn: agentSignIn && {
      page: agentSignIn.page,
      openid: openid && {
        issuer: openid.issuer,
        clientId: openid.clientId,
        scopes: openid.scopes,
        userIdClaim: openid.userIdClaim,
        mandate: openid.mandateId === null ? null : (mandateNames.get(openid.mandateId) ?? openid.mandateId),
      },
      dynamicRegistration: agentSignIn.dynamicRegistration,
    },
    limits: project.limits,
    branding: project.branding,
    tagClaims: project.tagClaims,
    requireMandate: project.requireMandate,
  };
}

/** A client that the gateway has registered for itself is none of the operator's. */
export function fieldsOfIntegration(integration: Integration): Fields {
  const { client } = integration.authorizationServer ?? {};
  const isOwn = client === undefined || client === null || client.by === 'operator';
  return {
    displayName: integration.name,
    serviceProvider: integration.serviceProvider,
    authMethod: integration.grant,
    clientId: isOwn ? integration.clientId : null,
    scopes: integration.scopes,
    optionalScopes: integration.optionalScopes,
    variables: integration.variables,
    settings: integration.settings,
    disabled: integration.disabled && { reason: integration.disabled.reason },
  };
}

export function fieldsOfMandate({ name, entries, state }: NamedMandate): Fields {
  return { name, entries, state };
}

export function fieldsOfPoll(poll: Poll, integrationName: string): Fields {
  return {
    integration: integrationName,
    resource: poll.resource,
    custom: poll.custom,
    intervalSeconds: poll.intervalSeconds,
    fields: poll.fields,
    parameters: poll.parameters,
    backfill: poll.backfill,
    deletes: poll.deletes,
    scanIntervalSeconds: poll.scanIntervalSeconds,
    paused: poll.pausedAt !== null,
  };
}

export function fieldsOfDestination(destination: Destination): Fields {
  const { url, kafka, types, connectionIds, tags, description, ordered, format } = destination;
  const place = kafka === null ? { url } : { kind: 'kafka', kafka };
  return { ...place, types, connectionIds, tags, description, ordered, format };
}

/** The id is the name of the object. */
export function fieldsOfProvider(description: Readonly<Record<string, unknown>>): Fields {
  const { id: _id, ...definition } = description;
  return { definition };
}
