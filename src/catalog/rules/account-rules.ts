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

/** A variable, or what stands in one that is a pasted file. */
function isVariablePath(file: ProviderFile, path: string): boolean {
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
