import { listCallTemplateNames } from '../../lib/call-template.ts';
import type { ProviderFile } from '../schema/provider.schema.ts';

type Places = ProviderFile['callerCredentials'];

/** Secret wherever they stand; further ones are variables that the file calls secret. */
const SECRETS: readonly string[] = ['password', 'apiKey', 'accessToken', 'clientSecret', 'clientBasic'];

/**
 * Where clients put a key or a password when the file says nothing else: there the provider wants it. Beside a grant of
 * another kind, a caller may send the field of a key for a purpose of its own; Authorization has no other purpose.
 */
export function usualCallerPlaces(file: ProviderFile): Places {
  if (file.auth === 'basic') return halvesOfBasic(file).map((part) => ({ in: 'basic', part }));
  return file.grants.length > 0 ? [] : placesOfKey(file);
}

/** The halves with a secret. Where the password holds none, the user name is the key. */
function halvesOfBasic({ basic, variables }: ProviderFile): ('username' | 'password')[] {
  const { username, password } = basic ?? { username: '{username}', password: '{password}' };
  const isSecret = (name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return SECRETS.includes(name) || (typeof variable === 'object' && variable.secret);
  };
  const holdsSecret = (template: string) => listCallTemplateNames(template).some(isSecret);
  const halves = [
    ...(holdsSecret(username) ? (['username'] as const) : []),
    ...(holdsSecret(password) ? (['password'] as const) : []),
  ];
  if (halves.length > 0) return halves;
  return listCallTemplateNames(username).length > 0 ? ['username'] : [];
}

function placesOfKey({ auth, apiKey }: ProviderFile): Places {
  if (auth !== 'api-key' || apiKey?.in !== 'header') return [];
  const { name, template } = apiKey;
  if (name.toLowerCase() !== 'authorization') return [{ in: 'header', name }];
  const scheme = /^([A-Za-z][A-Za-z0-9-]*) \{apiKey\}$/.exec(template)?.[1];
  const isUsual = scheme === undefined || ['bearer', 'basic'].includes(scheme.toLowerCase());
  return isUsual ? [] : [{ in: 'scheme', scheme }];
}
