import { isSignedKind } from '../facts/auth-kinds.ts';
import type { ProviderFile } from '../schema/provider.schema.ts';
import type { Fault } from './fault.ts';

type Probing = Pick<ProviderFile, 'probe' | 'noProbe' | 'account' | 'tenants'>;

/** What is wrong with the proof of a credential as a file declares it. */
export function probeFaults({ probe, noProbe, account, tenants }: Probing): Fault[] {
  if (probe === undefined) return [];
  const { url, method, headers, body, refused = [], accepted = [] } = probe;
  const isOfAccount = url === undefined;
  const foreign = Object.entries({ method, headers, body }).filter(
    ([, given]) => isOfAccount && given !== undefined,
  );
  const both = accepted.filter((status) => refused.includes(status));
  const faults: [isFault: boolean, path: readonly string[], reason: string][] = [
    [noProbe !== undefined, ['noProbe'], 'does not belong where there is a probe'],
    [
      isOfAccount && account?.request === undefined && tenants === undefined,
      ['probe', 'url'],
      'is needed where there is no account.request',
    ],
    [body !== undefined && method !== 'POST', ['probe', 'body'], 'needs method: POST'],
    [both.length > 0, ['probe', 'accepted'], `names ${both.join(', ')}, which refused names as well`],
  ];
  return [
    ...faults.flatMap(([isFault, path, reason]) => (isFault ? [{ path, reason }] : [])),
    ...foreign.map(([name]) => ({
      path: ['probe', name],
      reason: 'needs url: without it the account call is made',
    })),
  ];
}

/** Credentials that people type are never taken unproved, unless the file says why they cannot be proved. */
export function proofFaults({
  auth,
  probe,
  noProbe,
  account,
  tenants,
  oauth1,
}: Probing & Pick<ProviderFile, 'auth' | 'oauth1'>): Fault[] {
  if (auth !== 'api-key' && auth !== 'basic' && !isSignedKind(auth)) return [];
  if (oauth1?.requestTokenUrl !== undefined) return [];
  const isAsked = account?.request !== undefined || tenants !== undefined;
  if (probe !== undefined || noProbe !== undefined || isAsked) return [];
  const reason =
    'is needed, or account.request, or noProbe with the reason why no request proves a credential';
  return [{ path: ['probe'], reason }];
}
