import type { ProviderFile } from '../schema/provider.schema.ts';
import { type Fault, fault } from './fault.ts';
import { listLoginNames } from './login-rules.ts';

export function accountFaults(file: ProviderFile): Fault[] {
  const { account } = file;
  const fields = [['id', account?.id] as const, ['name', account?.name] as const];
  const ofFields = fields.flatMap(([name, field]) => {
    if (field === undefined) return [];
    const unknown = [field.path].flat().filter((path) => !isVariablePath(file, path));
    if (field.from !== 'variable' || unknown.length === 0) return [];
    return [
      fault(['account', name, 'path'], `names ${unknown.join(', ')}, which is not among the variables`),
    ];
  });
  const request = account?.request;
  if (request === undefined) return [...ofFields, ...requestNeeded(file)];
  if (request.body === undefined || request.method === 'POST') return ofFields;
  return [...ofFields, fault(['account', 'request', 'body'], 'needs method: POST')];
}

/**
 * A variable, what stands in one that is a pasted file, or the user name of Basic; not where it stands alone, since it is the
 * key then.
 */
function isVariablePath(file: ProviderFile, path: string): boolean {
  const { password = '{password}' } = file.basic ?? {};
  if (path === 'username' && file.auth === 'basic' && password.includes('{password}')) return true;
  return Object.hasOwn(file.variables, path) || listLoginNames(file).includes(path);
}

function requestNeeded(file: ProviderFile): Fault[] {
  const needing = [
    ...(file.account?.id.from === 'request' ? [['account', 'id']] : []),
    ...(file.account?.name?.from === 'request' ? [['account', 'name']] : []),
    ...Object.entries(file.variables)
      .filter(([, given]) => typeof given !== 'string' && given.from === 'account')
      .map(([name]) => ['variables', name]),
  ];
  return needing.map((path) => fault([...path, 'from'], 'needs account.request'));
}
