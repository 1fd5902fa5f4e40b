import { templateValues } from '../catalog/facts/template-values.ts';
import type { Provider, ProviderVariable } from '../catalog/schema/provider.schema.ts';
import { listPlaceholders } from '../lib/template.ts';
import { createAuthorizationProbe, type ProbeTarget } from './authorization-probe.ts';
import type { ClientProbe, TokenResponse } from './client-probe.schema.ts';
import { askTokenEndpoint, type TokenProbeDependencies } from './token-endpoint-probe.ts';

/** Regions that are tried where the given one refuses the client. */
const REGIONS_MAX = 6;

export type ProbeClient = (target: ProbeTarget, signal: AbortSignal) => Promise<ClientProbe>;

/** Its answer, or a code for why it was not asked. */
type AskTokenEndpoint = (target: ProbeTarget, signal: AbortSignal) => Promise<TokenResponse | string>;

/**
 * Asks a provider about a client: its token endpoint with a code that it never issued, which no server can exchange, and
 * its authorization endpoint as a browser without cookies would. Never throws for what a provider or a network does.
 */
export function createClientProbe(deps: TokenProbeDependencies): ProbeClient {
  const authorizationProbe = createAuthorizationProbe(deps);
  const ask: AskTokenEndpoint = (target, signal) => askTokenEndpoint(deps, target, signal);

  return async (asked, signal) => {
    const target = { ...asked, variables: withDefaults(asked.provider, asked.variables) };
    const [answer, authorization] = await Promise.all([
      ask(withSecret(target, 0), signal),
      authorizationProbe.ask(target, signal),
    ]);
    const isRefused = typeof answer !== 'string' && answer.verdict === 'refused';
    const isCompared = authorization !== null && (isRefused || (authorization.status ?? 0) >= 400);
    const known = isCompared
      ? await authorizationProbe.compare(target, authorization, signal)
      : authorization;
    const none = { older: null, otherRegion: null, isSwapped: false, authorization: known };
    if (typeof answer === 'string') return { token: null, reason: answer, ...none };
    if (answer.verdict !== 'refused') return { token: answer, reason: null, ...none };
    return {
      token: answer,
      reason: null,
      authorization: known,
      ...(await explainRefusal(ask, target, signal)),
    };
  };
}

/** What the token endpoint makes of the older secret, of other regions, and of id and secret in each other's place. */
async function explainRefusal(
  ask: AskTokenEndpoint,
  target: ProbeTarget,
  signal: AbortSignal,
): Promise<Pick<ClientProbe, 'older' | 'otherRegion' | 'isSwapped'>> {
  const hasOlder = target.client.clientSecrets.length > 1;
  const ofOlder = hasOlder ? await ask(withSecret(target, 1), signal) : null;
  const otherRegion = await findOtherRegion(ask, withSecret(target, 0), signal);
  const older = ofOlder === null || typeof ofOlder === 'string' ? null : ofOlder.verdict;
  const isSwapped = older !== 'accepted' && (await acceptsSwapped(ask, target, signal));
  return { older, otherRegion, isSwapped };
}

/** The target with one of its secrets, the newest of which is the first. */
function withSecret(target: ProbeTarget, index: number): ProbeTarget {
  const secret = target.client.clientSecrets[index];
  return {
    ...target,
    client: {
      ...target.client,
      clientSecrets: secret === undefined ? [] : [secret],
      noteVerdict: (_index, verdict) => target.client.noteVerdict?.(index, verdict),
    },
  };
}

/** The first of the provider's other regions whose token endpoint knows the client. */
async function findOtherRegion(
  ask: AskTokenEndpoint,
  target: ProbeTarget,
  signal: AbortSignal,
): Promise<ClientProbe['otherRegion']> {
  const variable = regionOf(target.provider);
  const region = variable && target.variables[variable.name];
  if (variable === undefined || region === undefined) return null;
  const others = (variable.options ?? []).map(({ value }) => value).filter((value) => value !== region);
  for (const otherRegion of others.slice(0, REGIONS_MAX)) {
    const tried = { [variable.name]: otherRegion };
    const variables = templateValues({ before: target.variables, entered: tried });
    const answer = await ask({ ...target, variables }, signal);
    if (typeof answer !== 'string' && answer.verdict === 'accepted') {
      return { variable: variable.name, region, otherRegion };
    }
  }
  return null;
}

/** Whether the token endpoint takes the client id for the secret, and the other way round. */
async function acceptsSwapped(
  ask: AskTokenEndpoint,
  target: ProbeTarget,
  signal: AbortSignal,
): Promise<boolean> {
  const { clientId, clientSecrets } = target.client;
  const [newest] = clientSecrets;
  // The secret goes to the token endpoint alone, in the place of the id.
  if (newest === undefined || clientId === '') return false;
  const { noteVerdict: _, ...client } = target.client;
  const swapped = { ...target, client: { ...client, clientId: newest, clientSecrets: [clientId] } };
  const answer = await ask(swapped, signal);
  return typeof answer !== 'string' && answer.verdict === 'accepted';
}

/** The variable of the addresses that names one of the provider's regions: it has a list of values. */
function regionOf({ variables, tokenUrl = '' }: Provider): ProviderVariable | undefined {
  const named = listPlaceholders(tokenUrl);
  return variables.find(({ name, options }) => options !== undefined && named.includes(name));
}

/** What users choose later has a usual value, or any of those that there are. */
function withDefaults(
  { variables }: Provider,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const usual = variables.flatMap(({ name, default: value, options }) => {
    const first = value ?? options?.[0]?.value;
    return first === undefined ? [] : [[name, first] as const];
  });
  return templateValues({ defaults: Object.fromEntries(usual), integration: given });
}
