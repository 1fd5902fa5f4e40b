import { useProviderNames } from '../../app/providers.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { shortId } from '../../ui/id-chip.tsx';
import { HrefLink, TextLink } from '../../ui/link.tsx';
import styles from './activity.module.css';
import { isKey } from './describe-entry.ts';
import type { Entry } from './entry.ts';

/** What the entry concerns, as a link to its page where it has one and is still there. */
export function SubjectLink({ entry }: { entry: Entry }) {
  const { activity, common } = useTexts();
  const { subjectKind, subjectId, projectId, action } = entry;
  const label = isKey(activity.subjects, subjectKind) ? activity.subjects[subjectKind] : subjectKind;
  const section = SECTIONS[subjectKind];
  const named = useSubjectName(entry, label);
  if (projectId !== null && section !== undefined)
    return (
      <span className={styles.subject}>
        <TextLink to="/p/$projectId/settings/$section" params={{ projectId, section }}>
          {named}
        </TextLink>
      </span>
    );
  const isThere = !action.endsWith('.deleted') && !action.startsWith('connection.rev');
  if (projectId === null || subjectId === null || !isThere) return <span className="soft">{label}</span>;
  // What has no name differs from others by its id.
  const name = entry.subjectName === null ? `${label} ${shortId(subjectId)}` : named;
  const page = findPage(entry);
  return (
    <span className={styles.subject}>
      {page === undefined ? <span className="soft">{name}</span> : <HrefLink href={page}>{name}</HrefLink>}
      <CopyButton value={subjectId} label={common.copyId(subjectId)} size={20} />
    </span>
  );
}

/** The address of the subject's own page. */
function findPage({ subjectKind, subjectId, subjectName, projectId }: Entry): string | undefined {
  if (subjectKind === 'custom_provider' && subjectName !== null)
    return `/providers/custom/${subjectName}?projectId=${projectId}`;
  const area = PAGES[subjectKind];
  return area === undefined ? undefined : `/p/${projectId}/${area}/${subjectId}`;
}

/** "Connection northwind.test"; of an integration without a name of its own the provider's. */
function useSubjectName({ subjectKind, subjectName }: Entry, label: string): string {
  const provider = subjectKind === 'integration' && subjectName !== null ? [subjectName] : [];
  const nameOf = useProviderNames(provider);
  if (subjectName === null) return label;
  return `${label} ${provider.length > 0 ? nameOf(subjectName) : subjectName}`;
}

const SECTIONS: Readonly<Record<string, string>> = {
  project: 'project',
  operator: 'members',
  invitation: 'members',
  api_key: 'api-keys',
  signing_key: 'signing-keys',
  user_token: 'users',
  organization: 'organizations',
  token_revocation: 'revocations',
};

/** Below the project's address, of kinds whose things have a page each. */
const PAGES: Readonly<Record<string, string>> = {
  connection: 'connections',
  integration: 'integrations',
  event_destination: 'events/destinations',
  poll: 'events/polls',
  mandate: 'mandates',
  approval: 'approvals',
};
