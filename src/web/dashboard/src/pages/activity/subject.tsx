import { useTexts } from '../../texts/texts.tsx';
import { IdChip } from '../../ui/id-chip.tsx';
import { TextLink, type TextLinkProps } from '../../ui/link.tsx';
import type { Entry } from './activity-page.tsx';
import { isKeyOf } from './describe-entry.ts';

/** What the entry concerns, as a link to its page where it has one. */
export function SubjectLink({ entry }: { entry: Entry }) {
  const { activity } = useTexts();
  const { subjectKind, subjectId, projectId } = entry;
  const label = isKeyOf(activity.subjects, subjectKind) ? activity.subjects[subjectKind] : subjectKind;
  const link = projectId === null ? undefined : linkOf(entry, projectId);
  const isPageOfItsOwn = subjectKind === 'connection' || subjectKind === 'integration';
  if (link === undefined) return <span className="soft">{label}</span>;
  if (isPageOfItsOwn && subjectId !== null)
    return (
      <>
        {label} <IdChip id={subjectId} link={link} />
      </>
    );
  return <TextLink {...link}>{label}</TextLink>;
}

/** Undefined for what has no page, or is no longer there. */
function linkOf(entry: Entry, projectId: string): TextLinkProps | undefined {
  const { action, subjectKind, subjectId } = entry;
  const section = SECTIONS[subjectKind];
  if (section !== undefined)
    return { to: '/p/$projectId/settings/$section', params: { projectId, section } };
  if (action.endsWith('.deleted') || subjectId === null) return undefined;
  if (subjectKind === 'connection')
    return { to: '/p/$projectId/connections/$connectionId', params: { projectId, connectionId: subjectId } };
  if (subjectKind === 'integration')
    return { to: '/p/$projectId/integrations/$integrationId', params: { projectId, integrationId: subjectId } };
  return undefined;
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
