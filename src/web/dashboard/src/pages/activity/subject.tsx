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
  if (projectId !== null && section !== undefined)
    return (
      <span className={styles.subject}>
        <TextLink to="/p/$projectId/settings/$section" params={{ projectId, section }}>
          {label}
        </TextLink>
      </span>
    );
  const isThere = !action.endsWith('.deleted') && !action.startsWith('connection.rev');
  if (projectId === null || subjectId === null || !isThere) return <span className="soft">{label}</span>;
  const name = `${label} ${shortId(subjectId)}`;
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
      ) : (
        <span className="soft">{name}</span>
      )}
      <CopyButton value={subjectId} label={common.copyId(subjectId)} size={20} />
    </span>
  );
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
