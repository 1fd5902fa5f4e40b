import type { z } from 'zod';
import { splitSecretVariables } from '../catalog/facts/resolve-url.ts';
import { readAuthMethod } from '../integrations/auth-method.ts';
import { assertCompatibleVariables, assertVariables, tidyFiles } from '../integrations/integration-rules.ts';
import { chooseGrant } from '../providers/choose-auth-method.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import type { RunCheck } from './bounded-probe.ts';
import type { ProbeClient } from './client-probe.ts';
import type { ProbeBody, probeSchema } from './diagnosis.schema.ts';
import { mergeFindings } from './finding.ts';
import { hasTenant } from './integration-context.ts';
import { judgeClient, judgeWithoutClient } from './judge-client.ts';

export type ProbeUnsaved = (projectId: string, body: ProbeBody) => Promise<z.input<typeof probeSchema>>;

/** Checks a client that is not saved yet. Nothing is kept. */
export function createProbeUnsaved(deps: {
  providers: NamedProviders;
  probeClient: ProbeClient;
  runCheck: RunCheck;
  publicUrl: string;
  now(): number;
}): ProbeUnsaved {
  return async (projectId, body) => {
    const entry = await deps.providers.find(projectId, body.serviceProvider, null);
    if (entry === undefined) throw deps.providers.refusalOf(projectId, body.serviceProvider);
    const provider = chooseGrant(entry, readAuthMethod(body));
    assertVariables(provider, body.variables);
    assertCompatibleVariables(provider, body.variables, body.clientId);
    const at = new Date(deps.now()).toISOString();
    if (provider.auth !== 'oauth2' && provider.auth !== 'oauth2-client-credentials') {
      return { checkedAt: at, findings: [judgeWithoutClient(provider)] };
    }
    const variables = splitSecretVariables(provider, tidyFiles(provider, body.variables));
    const redirectUrl = `${deps.publicUrl}/oauth/callback`;
    const scopes = provider.defaultScopes;
    const client = {
      clientId: body.clientId ?? '',
      clientSecrets: body.clientSecret === undefined ? [] : [body.clientSecret],
      secretVariables: variables.secret,
    };
    const target = { provider, client, scopes, optionalScopes: [], variables: variables.open, redirectUrl };
    const probe = await deps.runCheck(projectId, (signal) => deps.probeClient(target, signal));
    // A custom provider's redirect URL has the id that only saving gives, and scopes are chosen later.
    const unknown = provider.id.startsWith('custom:')
      ? ['redirect_url_refused', 'scopes_refused']
      : ['scopes_refused'];
    const context = { provider: provider.name, redirectUrl, scopes, hasTenant: hasTenant(provider), at };
    const findings = judgeClient(probe, context).filter(({ code }) => !unknown.includes(code));
    return { checkedAt: at, findings: mergeFindings(findings) };
  };
}
