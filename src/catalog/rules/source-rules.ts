import { listSources } from '../facts/evidence.ts';
import type { ProviderFile } from '../schema/provider.schema.ts';
import { type Fault, fault } from './fault.ts';

/** A file that has got further hosts since must not go on saying that a source knows of one only. */
export function sourceFaults({ sources, hosts }: Pick<ProviderFile, 'sources' | 'hosts'>): Fault[] {
  const saysOne = listSources({ sources }).some(({ says }) => says.includes('oneHost'));
  return saysOne && Object.keys(hosts).length > 0
    ? [fault(['sources'], 'says oneHost, and the file has further hosts')]
    : [];
}
