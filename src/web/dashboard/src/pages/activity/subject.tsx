import { useProviderNames } from '../../app/providers.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { shortId } from '../../ui/id-chip.tsx';
import { TextLink } from '../../ui/link.tsx';
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
  return (
    <span className={styles.subject}>
      {subjectKind === 'connection' ? (
        <TextLink
          to="/p/$projectId/connections/$connectionId"
          params={{ projectId, connectionId: subjectId }}
        >
          {name}
        </TextLink>
      ) : subjectKind === 'integration' ? (
        <TextLink
          to="/p/$projectId/integrations/$integrationId"
          params={{ projectId, integrationId: subjectId }}
        >
          {name}
        </TextLink>
      ) : subjectKind === 'event_destination' ? (
        <TextLink
          to="/p/$projectId/events/destinations/$destinationId"
          params={{ projectId, destinationId: subjectId }}
        >
          {name}
        </TextLink>
      ) : subjectKind === 'poll' ? (
        <TextLink to="/p/$projectId/events/polls/$pollId" params={{ projectId, pollId: subjectId }}>
          {name}
        </TextLink>
      ) : (
        <span className="soft">{name}</span>
      )}
      <CopyButton value={subjectId} label={common.copyId(subjectId)} size={20} />
    </span>
  );
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
  token_revocation: 'revocations',
};
