import { useState } from 'react';
import { apiList } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { IdChip } from '../../../ui/id-chip.tsx';
import { TextLink } from '../../../ui/link.tsx';
import type { FilterDefinition } from '../../../ui/list/filters.ts';
import { ResourceList } from '../../../ui/list/resource-list.tsx';
import { Time } from '../../../ui/time.tsx';
import { SectionHead } from '../section-head.tsx';
import styles from '../settings.module.css';
import { AgentConsents } from './agent-consents.tsx';
import { EraseUser } from './erase-user.tsx';
import { ErasureReport } from './erasure-report.tsx';
import { Erasures } from './erasures.tsx';

type EndUser = Schema<'EndUser'>;

/** User ids that begin so are operators' own, for their test connections. */
const OPERATOR_PREFIX = 'operator:';

/** The users of the application, with both of their ids. */
export function UsersSection() {
  const { users: texts, ...settings } = useTexts().settings;
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const [reportId, setReportId] = useState<string>();
  const filters: readonly FilterDefinition[] = [
    { name: 'userId', label: texts.searchExact, kind: 'search' },
    { name: 'integrationUserId', label: texts.integrationUserIdFilter, kind: 'text' },
  ];
  return (
    <>
      <SectionHead title={settings.sections.users} lead={texts.lead} />
      <ResourceList<EndUser>
        label={settings.sections.users}
        filters={filters}
        query={(query) => apiList('/projects/{projectId}/users', { path: { projectId }, query })}
        rowKey={({ id }) => id}
        columns={[
          { key: 'user', header: texts.userId, render: ({ userId }) => <UserCell userId={userId} /> },
          {
            key: 'id',
            header: texts.integrationUserId,
            render: ({ id }) => <IdChip id={id} />,
            wide: true,
          },
          {
            key: 'seen',
            header: texts.firstSeen,
            render: ({ createdAt }) => <Time at={createdAt} />,
            wide: true,
          },
          {
            key: 'links',
            header: '',
            align: 'end',
            render: (user) => <Links user={user} canEdit={canEdit} onErasing={setReportId} />,
          },
        ]}
        empty={<EmptyState icon="user" title={texts.emptyTitle} text={texts.emptyText} />}
      />
      <AgentConsents filters={filters} />
      <Erasures onOpen={setReportId} />
      {reportId !== undefined && <ErasureReport id={reportId} onClose={() => setReportId(undefined)} />}
    </>
  );
}

function UserCell({ userId }: { userId: string }) {
  const { users: texts } = useTexts().settings;
  return (
    <span className={styles.person}>
      <strong className="breaks">{userId}</strong>
      {userId.startsWith(OPERATOR_PREFIX) && <small>{texts.ofOperator}</small>}
    </span>
  );
}

type LinksProps = {
  readonly user: EndUser;
  readonly canEdit: boolean;
  readonly onErasing: (erasureId: string) => void;
};

function Links({ user, canEdit, onErasing }: LinksProps) {
  const { users: texts } = useTexts().settings;
  const projectId = useProjectId();
  const { id, userId } = user;
  return (
    <span className={styles.links}>
      <TextLink to="/p/$projectId/connections" params={{ projectId }} search={{ userId }}>
        {texts.show}
      </TextLink>
      {canEdit && (
        <TextLink
          to="/p/$projectId/settings/$section"
          params={{ projectId, section: 'revocations' }}
          search={{ revoke: userId }}
        >
          {texts.revokeTokens}
        </TextLink>
      )}
      {canEdit && (
        <a href={`/v1/projects/${projectId}/users/${id}/export`} download>
          {texts.export}
        </a>
      )}
      {canEdit && <EraseUser user={user} onBegun={onErasing} />}
    </span>
  );
}
