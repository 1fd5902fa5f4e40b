import { TOKEN_FAULTS, type TokenFault } from '../http/token-refusal.ts';
import { createFinding, type Evidence, type Finding } from './finding.ts';
import type { NoticedFault } from './observed-faults.store.ts';

/** Strangers may send a token that no key of the project signed: fewer are no fault of the application. */
const UNSIGNED_MIN = 3;
const SINCE_MS = 24 * 60 * 60 * 1_000;

/** Each reason in English with its remedy, as the label of evidence; translations know it by these words. */
export const TOKEN_FAULT_LABELS: Readonly<Record<TokenFault, string>> = {
  not_a_jwt: 'No JWT, perhaps the text “undefined”. Send the token that your backend made:',
  header_refused: 'A header with crit, jku, jwk, x5u or another typ than JWT. Leave these out:',
  algorithm: 'Another algorithm than that of the key. Sign with the key’s, never with HS256:',
  unknown_kid: 'A kid that no key of the project has. Register the key, or correct the kid:',
  signature: 'Not signed with the registered key. Sign with its private half, or register yours:',
  audience: 'An aud without the project id. Set aud to it, or to the audience of the key set:',
  issuer: 'Another iss than the key was registered with. Correct one of the two:',
  subject: 'A sub that is no string of 1 to 255 characters. Send the id of the user as a string:',
  subject_reserved: 'A sub that begins with “operator:”. Choose other ids for users:',
  organization:
    'An org that is no string of 1 to 255 characters. Send the id of the organization as a string, or leave it out:',
  no_expiry: 'No exp, or one that is no number. Set exp in seconds since 1970:',
  lifetime: 'Valid for more than 24 hours. Set exp at most a day after iat:',
  issued_in_future: 'An iat in the future. Let NTP set the clock of the application:',
  not_yet_valid: 'An nbf in the future. Let NTP set the clock of the application, or leave nbf out:',
  expired: 'Expired. Get a new token for the user when the old one ends:',
  unrelated: 'For another project, by its aud and kid:',
};

/** Why user tokens of the last day were refused, the most frequent reason first. Pure. */
export function judgeTokens(noticed: readonly NoticedFault[], nowMs: number): Finding[] {
  const refused = noticed
    .filter(({ kind, lastAt }) => kind === 'token' && lastAt.getTime() > nowMs - SINCE_MS)
    .toSorted((left, right) => right.count - left.count);
  const evidence = refused.flatMap(evidenceOf);
  if (evidence.length === 0) return [];
  const count = String(refused.reduce((sum, fault) => sum + fault.count, 0));
  return [createFinding('tokens_refused', { count }, { evidence, severity: severityOf(refused) })];
}

/** Tokens end: that alone is no fault. What a key of the project signed is the application's, and its users wait. */
function severityOf(refused: readonly NoticedFault[]): Finding['severity'] {
  const others = refused.filter(({ value }) => !value.startsWith('expired'));
  if (others.length === 0) return 'info';
  if (others.some(({ value }) => value.endsWith(' signed'))) return 'error';
  return others.reduce((sum, { count }) => sum + count, 0) >= UNSIGNED_MIN ? 'warning' : 'info';
}

function evidenceOf({ value, count, lastAt }: NoticedFault): Evidence[] {
  const [name, signed] = value.split(' ');
  const fault = TOKEN_FAULTS.find((known) => known === name);
  if (fault === undefined) return [];
  const isTheirs = signed === 'signed' && fault !== 'expired';
  const shown = `${count} ×${isTheirs ? ', signed with a key of the project' : ''}`;
  return [{ label: TOKEN_FAULT_LABELS[fault], value: shown, at: lastAt.toISOString() }];
}
