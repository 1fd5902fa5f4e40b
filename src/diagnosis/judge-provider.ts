import type { Provider } from '../catalog/schema/provider.schema.ts';
import { createFinding, type Finding } from './finding.ts';
import type { FindingCode } from './finding-texts.ts';

const CODES: Readonly<Record<Exclude<Provider['status'], 'available' | 'unknown'>, FindingCode>> = {
  ended: 'provider_ended',
  'partner-only': 'provider_partner_only',
  'sign-in-only': 'provider_sign_in_only',
  limited: 'provider_limited',
};

/** The finding of what the catalog says of the provider's state; none where anyone can use it or nothing is known. Pure. */
export function judgeProvider({ name, status, statusDate, statusNote }: Provider): Finding[] {
  if (status === 'available' || status === 'unknown') return [];
  const evidence = [
    ...(statusDate === undefined ? [] : [{ label: 'Date', value: statusDate }]),
    ...(statusNote === undefined ? [] : [{ label: 'Catalog', value: statusNote }]),
  ];
  return [createFinding(CODES[status], { provider: name }, { evidence })];
}
