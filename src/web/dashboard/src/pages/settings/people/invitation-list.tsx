import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, apiQuery } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { Table } from '../../../ui/list/table.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Section } from '../../../ui/page.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import { Time } from '../../../ui/time.tsx';
import { useAction } from '../../../ui/use-action.ts';
import styles from '../settings.module.css';
import type { Member } from './member.ts';

type Invitation = Schema<'Invitation'>;

/** Invitations that can still be accepted. */
export function InvitationList({ members }: { members: readonly Member[] }) {
  const { members: texts } = useTexts().settings;
  const projectId = useProjectId();
  const query = useQuery(
    apiQuery('/projects/{projectId}/invitations', { path: { projectId }, query: { limit: 100 } }),
  );
  return (
    <div className={styles.spaced}>
      <Section title={texts.pending} flush>
        <Loaded query={query}>
          {({ invitations }) =>
            invitations.length === 0 ? (
              <p className={styles.emptyLine}>{texts.pendingEmpty}</p>
            ) : (
              <InvitationTable invitations={invitations} members={members} />
            )
          }
        </Loaded>
      </Section>
    </div>
  );
}

function InvitationTable(props: { invitations: readonly Invitation[]; members: readonly Member[] }) {
  const { settings, common } = useTexts();
  const { members: texts } = settings;
  const canEdit = useCanEdit(useProjectId());
  const nameOf = (operatorId: string | null) => {
    const inviter = props.members.find((member) => member.operatorId === operatorId);
    return inviter ? (inviter.name ?? inviter.email) : texts.formerMember;
  };
  return (
    <Table
      bare
      label={texts.pending}
      rows={props.invitations}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'email',
          header: texts.email,
          render: ({ email }) => (
            <>
              <strong className="breaks">{email}</strong>
              <div>
                <StateBadge tone="info">{texts.invited}</StateBadge>
              </div>
            </>
          ),
        },
        { key: 'role', header: texts.role, render: ({ role }) => common.roles[role] },
        {
          key: 'mail',
          header: texts.mail,
          render: ({ mailed }) => (
            <StateBadge tone={mailed ? 'good' : 'neutral'} icon={mailed ? 'mail' : 'minus'}>
              {mailed ? texts.wasMailed : texts.wasNotMailed}
            </StateBadge>
          ),
          wide: true,
        },
        { key: 'by', header: texts.invitedBy, render: ({ createdBy }) => nameOf(createdBy), wide: true },
        {
          key: 'expires',
          header: texts.expires,
          render: ({ expiresAt }) => <Time at={expiresAt} />,
          wide: true,
        },
        {
          key: 'actions',
          header: '',
          align: 'end',
          render: (invitation) => canEdit && <Withdraw invitation={invitation} />,
        },
      ]}
    />
  );
}

function Withdraw({ invitation: { id, email } }: { invitation: Invitation }) {
  const { members: texts } = useTexts().settings;
  const projectId = useProjectId();
  const withdraw = useAction({
    question: {
      title: texts.withdrawTitle(email),
      consequences: [texts.withdrawText],
      confirmLabel: texts.withdraw,
    },
    send: () => api.delete('/projects/{projectId}/invitations/{id}', { path: { projectId, id } }),
    done: texts.withdrawn(email),
    refresh: ['/projects/{projectId}/invitations', '/activity'],
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`${texts.withdraw}: ${email}`}
      onClick={() => withdraw.mutate()}
    >
      {texts.withdraw}
    </Button>
  );
}
