import type { Texts } from '../../texts/area-texts.ts';
import type { Finding } from '../../ui/finding-list.tsx';
import { formatSpan } from './format-span.ts';

/** What the log keeps of a finding, in the API's words. */
type RecordedFinding = Pick<Finding, 'code' | 'title' | 'remedy'>;

type Entry = { readonly action: string; readonly details: Readonly<Record<string, unknown>> };

export function isKey<T extends object>(labels: T, name: string): name is keyof T & string {
  return Object.hasOwn(labels, name);
}

/** The action in words; its own name where a newer gateway has one that these texts do not know. */
export function nameOfAction({ activity }: Texts, action: string): string {
  return isKey(activity.actions, action) ? activity.actions[action] : action;
}

/** Whether the entry tells of something that did not work. */
export function isFailure(action: string): boolean {
  return /(failed|reauthorization_required|\.disabled)$/.test(action);
}

/**
 * What is special about this entry, in words: names, roles, what was changed. Empty where there is nothing. `titleOf` words a
 * finding in the operator's language.
 */
export function describeEntry(
  texts: Texts,
  { action, details }: Entry,
  titleOf: (finding: RecordedFinding) => string,
): string {
  const { activity } = texts;
  const text = (name: string) => toText(details[name]);
  switch (action.split('.')[0]) {
    case 'member':
    case 'invitation':
      return activity.asRole({ email: text('email'), role: nameRole(texts, text('role')) });
    case 'api_key':
      if (action === 'api_key.rotated') return describeRotation(texts, details);
      return [text('name'), listFields(texts, toList(details.fields))].filter(Boolean).join(': ');
    case 'signing_key':
      return [text('jwksUrl') || text('kid'), text('issuer')].filter(Boolean).join(' · ');
    case 'user_token':
      return activity.forUser({
        user: text('userId').startsWith('operator:') ? activity.testUser : text('userId'),
        time: formatSpan(Number(details.expiresInSeconds), texts),
      });
    case 'token_revocation':
      if (text('jti') !== '') return activity.tokenWithId(text('jti'));
      return text('userId') === '' ? activity.tokensOfEveryone : activity.tokensOfUser(text('userId'));
    case 'connect_session':
      return action === 'connect_session.failed' ? describeFailure(details, titleOf) : '';
    default:
      return describeOthers(texts, { action, details });
  }
}

function describeOthers(texts: Texts, { action, details }: Entry): string {
  const text = (name: string) => toText(details[name]);
  if (Array.isArray(details.fields))
    return [text('provider'), listFields(texts, details.fields)].filter(Boolean).join(': ');
  if (action === 'connection.reauthorization_required') return text('reason');
  const attempts = typeof details.attempts === 'number' ? texts.activity.attempts(details.attempts) : '';
  const named = text('name') || text('serviceProvider') || text('provider');
  return [named, attempts].filter(Boolean).join(' ');
}

function describeRotation({ activity }: Texts, details: Entry['details']): string {
  const name = toText(details.name);
  const seconds = Number(details.overlapSeconds);
  return seconds > 0
    ? activity.untilOldEnds({ name, time: formatSpan(seconds, { activity }) })
    : activity.endedAtOnce(name);
}

function describeFailure(details: Entry['details'], titleOf: (finding: RecordedFinding) => string): string {
  const [finding] = toList(details.findings);
  const title = isRecordedFinding(finding) ? titleOf(finding) : toText(details.code);
  return [toText(details.serviceProvider), title].filter(Boolean).join(': ');
}

export function isRecordedFinding(value: unknown): value is RecordedFinding {
  return typeof value === 'object' && value !== null && 'code' in value && 'title' in value;
}

/** The names of changed fields, as people call them. */
export function listFields({ activity }: Texts, fields: readonly unknown[]): string {
  return fields
    .map(toText)
    .map((name) => (isKey(activity.fields, name) ? activity.fields[name] : name))
    .join(', ');
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function nameRole({ common }: Texts, role: string): string {
  return isKey(common.roles, role) ? common.roles[role] : role;
}

export function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
