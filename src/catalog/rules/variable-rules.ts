import { isFreeHost, type Placements } from '../facts/file-urls.ts';
import { isLoginKind } from '../facts/login-kinds.ts';
import { compilePattern } from '../facts/pattern.ts';
import type { ProviderFile } from '../schema/provider.schema.ts';
import { type Fault, fault } from './fault.ts';

/** Instructions of all patterns of a file together: a form with all of them filled in is judged in 20 ms at worst. */
const PATTERNS_SIZE_MAX = 1_000;
/** Compiling a bad pattern costs as much as compiling a good one. */
const PATTERN_FAULTS_MAX = 3;

/** Every pattern must compile, and together they must stay cheap to run. */
export function patternFaults({ variables, account }: ProviderFile): Fault[] {
  const patterns: [path: readonly string[], pattern: string | undefined][] = [
    ...Object.entries(variables).map(([name, given]): [string[], string | undefined] => [
      ['variables', name, 'pattern'],
      typeof given === 'string' ? undefined : given.pattern,
    ]),
    ...Object.entries(variables).map(([name, given]): [string[], string | undefined] => [
      ['variables', name, 'part'],
      typeof given === 'string' ? undefined : given.part,
    ]),
    ...Object.entries(variables).flatMap(([name, given]): [string[], string | undefined][] =>
      typeof given === 'string'
        ? []
        : (given.unusable ?? []).map(({ pattern }, index) => [
            ['variables', name, 'unusable', String(index), 'pattern'],
            pattern,
          ]),
    ),
    [['account', 'id', 'pattern'], account?.id.pattern],
    [['account', 'name', 'pattern'], account?.name?.pattern],
  ];
  const faults: Fault[] = [];
  let sizeLeft = PATTERNS_SIZE_MAX;
  for (const [path, text] of patterns) {
    if (text === undefined) continue;
    const compiled = compilePattern(text);
    if (!compiled.ok) faults.push(fault(path, compiled.reason));
    if (faults.length === PATTERN_FAULTS_MAX) return faults;
    if (compiled.ok) sizeLeft -= compiled.pattern.size;
    if (sizeLeft >= 0) continue;
    // What comes after is not even compiled.
    const reason = 'repeats too much, together with the patterns before it: allow fewer characters';
    return [...faults, fault(path, reason)];
  }
  return faults;
}

/** Where a value stands in a text of the provider's, of which it may be a part. */
const READ_FROM_TEXT: readonly string[] = ['callback', 'token-response', 'account'];

export function variableFaults(file: ProviderFile, placements: Placements): Fault[] {
  return Object.entries(file.variables).flatMap(([name, given]) => {
    const path = ['variables', name];
    if (isReserved(name, file)) return [fault(path, 'is a name that the gateway itself fills in')];
    if (typeof given === 'string') return [];
    if (given.from === 'application' && given.secret)
      return [fault(path, 'is the application’s word, which is kept in plain: it cannot be secret')];
    if (given.from === 'external-id' && (given.secret || file.auth !== 'token-login'))
      return [
        fault(
          path,
          'is shown in the form of a log-in: it belongs where auth is token-login, and is no secret',
        ),
      ];
    if (given.part !== undefined && !READ_FROM_TEXT.includes(given.from))
      return [fault([...path, 'part'], `belongs where from is one of ${READ_FROM_TEXT.join(', ')}`)];
    const tooLate = explainLateValue(placements, name, given.from);
    if (tooLate !== undefined) return [fault([...path, 'from'], tooLate)];
    const isOpen = given.pattern === undefined && given.options === undefined;
    const isForeign = given.from === 'user' || given.from === 'application' || given.from === 'callback';
    const isHost = isFreeHost(placements.positionOf(name));
    if (isOpen && isForeign && isHost && placements.isInSecretUrl(name)) {
      return [
        fault(
          path,
          'needs a pattern or options: its value names the host that receives secrets of the integration',
        ),
      ];
    }
    return [];
  });
}

const GATEWAY_VALUES = [
  'accessToken',
  'accessTokenProof',
  'refreshToken',
  'clientId',
  'clientSecret',
  'clientBasic',
  'redirectUrl',
  'tokenUrl',
  'nonce',
  'authorizationServer',
];

/** What templates of a log-in take beside them. */
const LOGIN_VALUES = ['jwt', 'random', 'now', 'scopes'];

/** What stands beside the variables in templates must not be one of them. */
function isReserved(name: string, { auth }: ProviderFile): boolean {
  if (GATEWAY_VALUES.includes(name)) return true;
  if (isLoginKind(auth)) return LOGIN_VALUES.includes(name) || /^step\d(?:\.|$)/.test(name);
  if (auth === 'basic') return name === 'username' || name === 'password';
  return auth === 'api-key' && name === 'apiKey';
}

/** A request cannot use a value that only its own answer, or a later one, contains. */
function explainLateValue({ isIn }: Placements, name: string, from: string): string | undefined {
  const isKnown = from === 'user' || from === 'integration' || from === 'application';
  if (isIn('authorizationUrl', name) && !isKnown) return 'is not known yet when authorizationUrl is called';
  const isLate = from === 'token-response' || from === 'account' || from === 'tenant';
  if (isLate && isIn('login.steps.0.url', name))
    return 'is not known yet when the first request of the log-in is sent';
  if (isLate && isIn('tokenUrl', name)) return 'is not known yet when tokenUrl is called';
  if (from === 'account' && isIn('account.request.url', name)) {
    return 'is not known yet when the account is requested';
  }
  if (from === 'tenant' && (isIn('account.request.url', name) || isIn('tenants.request.url', name))) {
    return 'is not known yet when the account and the tenants are requested';
  }
  if (from === 'account' && isIn('probe.url', name)) return 'is not known yet when the credential is proved';
  return undefined;
}
