import { listCallTemplateNames, listTexts } from '../../lib/call-template.ts';
import { suggestName } from '../../lib/closest-name.ts';
import { listPlaceholders, writePlaceholder } from '../../lib/template.ts';
import { listFileUrls } from '../facts/file-urls.ts';
import { isLoginKind, LOGIN_KINDS } from '../facts/login-kinds.ts';
import { namesOfPasted } from '../facts/pasted-values.ts';
import type { ProviderFile } from '../schema/provider.schema.ts';
import type { Fault } from './fault.ts';

type Call = NonNullable<ProviderFile['logout']>;
type Step = NonNullable<ProviderFile['login']>['steps'][number];
type Given = Exclude<ProviderFile['variables'][string], string>;

/** What is wrong with the fields of a log-in, and with the variables that are pasted files. */
export function loginFaults(file: ProviderFile): Fault[] {
  return [...kindFaults(file), ...templateFaults(file), ...installationFaults(file), ...variableFaults(file)];
}

function kindFaults(file: ProviderFile): Fault[] {
  const { auth, jwt, login, tokenUrl } = file;
  const faults: [boolean, string, string][] = [
    [
      auth === 'jwt-bearer' && login === undefined && (jwt === undefined || tokenUrl === undefined),
      'jwt',
      'is needed with tokenUrl, or a login, where auth is jwt-bearer',
    ],
    [
      (auth === 'token-login' || auth === 'github-app') && login === undefined,
      'login',
      `is needed where auth is ${auth}`,
    ],
    [auth === 'github-app' && jwt === undefined, 'jwt', 'is needed where auth is github-app'],
    [
      auth === 'github-app' && file.installation === undefined,
      'installation',
      'is needed where auth is github-app',
    ],
    [
      auth !== 'github-app' && file.installation !== undefined,
      'installation',
      'belongs where auth is github-app',
    ],
  ];
  const foreign = (['jwt', 'login', 'logout'] as const).map((field): [boolean, string, string] => [
    !isLoginKind(auth) && file[field] !== undefined,
    field,
    `belongs where auth is one of ${LOGIN_KINDS.join(', ')}`,
  ]);
  return [...faults, ...foreign].flatMap(([isFault, field, reason]) =>
    isFault ? [{ path: [field], reason }] : [],
  );
}

/** Names that templates of a log-in may take beside the variables. */
const GATEWAY_NAMES = ['clientId', 'clientSecret', 'scopes', 'random'];

/** Names that templates of a log-in take beside the variables: of the gateway's own, and of what is in pasted files. */
export function listLoginNames({ variables }: Pick<ProviderFile, 'variables'>): string[] {
  const ofFiles = Object.entries(variables).flatMap(([name, given]) =>
    typeof given === 'string' ? [] : namesOfPasted(name, given),
  );
  return [...ofFiles, ...GATEWAY_NAMES];
}

function templateFaults(file: ProviderFile): Fault[] {
  const { jwt, login, logout, installation } = file;
  const names = [...Object.keys(file.variables), ...listLoginNames(file)];
  const ofCall = jwt === undefined ? names : [...names, 'jwt'];
  const check = (path: readonly PropertyKey[], value: unknown, known: readonly string[], steps = 0) =>
    listTexts(value).flatMap((text) => unknownNames(path, text, known, steps));
  const checkCall = (path: readonly PropertyKey[], call: Call | Step, known: string[], steps = 0) => [
    ...check([...path, 'headers'], call.headers, known, steps),
    ...check([...path, 'body'], call.body, known, steps),
    ...('awsSigV4' in call ? check([...path, 'awsSigV4'], call.awsSigV4, names) : []),
  ];
  const { steps = [], identity, refresh, credential } = login ?? {};
  return [
    ...(jwt ? check(['jwt'], [jwt.header, jwt.claims, jwt.key, jwt.passphrase], names) : []),
    ...steps.flatMap((step, index) => checkCall(['login', 'steps', index], step, ofCall, index)),
    ...(identity ? checkCall(['login', 'identity'], identity, ofCall) : []),
    ...(refresh ? checkCall(['login', 'refresh'], refresh, [...ofCall, 'refreshToken']) : []),
    ...check(['login', 'credential'], credential, [...names, 'accessToken'], steps.length),
    ...(logout
      ? checkCall(['logout'], logout, [...ofCall, 'accessToken', ...(login?.refresh ? ['refreshToken'] : [])])
      : []),
    ...check(['installation', 'list', 'headers'], installation?.list.headers, [...names, 'accessToken']),
  ];
}

/** Names that are neither known nor members of the answer of one of the first `steps` steps. */
function unknownNames(
  path: readonly PropertyKey[],
  template: string,
  known: readonly string[],
  steps: number,
): Fault[] {
  const isOfStep = (name: string) => {
    const step = Number(/^step(\d)\./.exec(name)?.[1] ?? 0);
    return step >= 1 && step <= steps;
  };
  return listCallTemplateNames(template)
    .filter((name) => !known.includes(name) && !isOfStep(name))
    .map((name) => ({
      path,
      reason: `names {${name}}, which is not among the variables${suggestName(name, known, writePlaceholder)}`,
    }));
}

function installationFaults({ installation, variables }: ProviderFile): Fault[] {
  if (installation === undefined) return [];
  const given = Object.hasOwn(variables, installation.variable)
    ? variables[installation.variable]
    : undefined;
  if (typeof given === 'object' && given.from === 'callback') return [];
  const reason = `names ${installation.variable}, which is no variable with from: callback`;
  return [{ path: ['installation', 'variable'], reason }];
}

function variableFaults(file: ProviderFile): Fault[] {
  const addressed = new Set(listFileUrls(file).flatMap(([, url]) => listPlaceholders(url)));
  return Object.entries(file.variables).flatMap(([name, given]) =>
    typeof given === 'string'
      ? []
      : reasonsAgainst(given, addressed.has(name)).map((reason) => ({ path: ['variables', name], reason })),
  );
}

function reasonsAgainst(given: Given, isInAddress: boolean): string[] {
  const { input, members, optional, secret, pattern, options } = given;
  const isFile = input !== undefined;
  const faults: [boolean, string][] = [
    [isFile && input !== 'certificate' && !secret, 'holds a key and needs secret: true'],
    [isFile && isInAddress, 'is a pasted file and cannot stand in an address'],
    [isFile && (pattern !== undefined || options !== undefined), 'is a pasted file: no pattern or options'],
    [input === 'json' && members === undefined, 'is a JSON file and needs the members that are used'],
    [input !== 'json' && members !== undefined, 'has members, which belong to input: json'],
    [optional === true && isInAddress, 'stands in an address and cannot be optional'],
  ];
  return faults.flatMap(([isFault, reason]) => (isFault ? [reason] : []));
}
