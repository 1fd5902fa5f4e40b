import { compilePattern } from '../facts/pattern.ts';
import type { ProviderFile } from '../schema/provider.schema.ts';
import type { Fault } from './fault.ts';

/** What is wrong with the `tenants` block of a file, and with variables that take their values from a tenant. */
export function tenantFaults(file: ProviderFile): Fault[] {
  const { tenants } = file;
  if (tenants === undefined) {
    return tenantVariables(file).map((name) => ({
      path: ['variables', name, 'from'],
      reason: 'needs tenants, which says where the list of them stands',
    }));
  }
  return [...requestFaults(tenants), ...conditionFaults(tenants), ...usageFaults(file, tenants)];
}

type Tenants = NonNullable<ProviderFile['tenants']>;

function requestFaults({ request, items, paging }: Tenants): Fault[] {
  const faults: Fault[] = [];
  if (request.body !== undefined && request.method === 'GET')
    faults.push({ path: ['tenants', 'request', 'body'], reason: 'needs method: POST' });
  const needsObject = paging.by === 'link' || paging.by === 'token';
  if (needsObject && items === undefined) {
    faults.push({
      path: ['tenants', 'paging', 'by'],
      reason: 'reads the next page from a member of the answer, so the list must be a member too: say items',
    });
  }
  return faults;
}

function conditionFaults({ where }: Tenants): Fault[] {
  return where.flatMap(({ is, not, matches }, index) => {
    const path = ['tenants', 'where', index];
    const given = [is, not, matches].filter((one) => one !== undefined).length;
    if (given !== 1) return [{ path, reason: 'must say exactly one of is, not and matches' }];
    const compiled = matches === undefined ? undefined : compilePattern(matches);
    return compiled?.ok === false ? [{ path: [...path, 'matches'], reason: compiled.reason }] : [];
  });
}

function usageFaults(file: ProviderFile, { asked }: Tenants): Fault[] {
  return tenantVariables(file).flatMap((name) => {
    const path = ['variables', name];
    const given = file.variables[name];
    if (typeof given !== 'string' && given?.secret) {
      return [
        { path: [...path, 'secret'], reason: 'cannot be true: what identifies a tenant is stored in plain' },
      ];
    }
    const isAddressed = file.apiBaseUrl.includes(`{${name}}`);
    return isAddressed && !asked
      ? [{ path: ['tenants', 'asked'], reason: `cannot be false: apiBaseUrl needs {${name}} of a tenant` }]
      : [];
  });
}

function tenantVariables({ variables }: ProviderFile): string[] {
  return Object.entries(variables)
    .filter(([, given]) => typeof given !== 'string' && given.from === 'tenant')
    .map(([name]) => name);
}
