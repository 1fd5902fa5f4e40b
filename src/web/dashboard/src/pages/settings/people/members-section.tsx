import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { signInOptionsQuery } from '../../../api/operators.ts';
import { apiQuery } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useCanEdit, useMe } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { TextLink } from '../../../ui/link.tsx';
import { Table } from '../../../ui/list/table.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import { Time } from '../../../ui/time.tsx';
import { OneTimeSecret } from '../one-time-secret.tsx';
import { SectionHead } from '../section-head.tsx';
import styles from '../settings.module.css';
import { InvitationList } from './invitation-list.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import type { Member, NewInvitation } from './member.ts';
import { RemoveMember, RoleChoice } from './member-actions.tsx';

/** Operators of the project, and those who are invited. */
export function MembersSection() {
  const { settings } = useTexts();
  const { members: texts, sections } = settings;
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const [made, setMade] = useState<NewInvitation>();
  const [isInviting, inviting] = useDisclosure();
  const query = useQuery(
    apiQuery('/projects/{projectId}/members', { path: { projectId }, query: { limit: 200 } }),
  );
  const invite = canEdit && (
    <Button
      leftSection={<Icon name="mail" size={15} />}
      onClick={inviting.open}
      disabled={made !== undefined}
    >
      {texts.invite}
    </Button>
  );
  return (
    <>
      <SectionHead title={sections.members} lead={texts.lead} actions={invite} />
      {made && <MadeInvitation invitation={made} onStored={() => setMade(undefined)} />}
      <Loaded query={query}>
        {({ members }) => (
          <>
            <MemberTable members={members} />
            <InvitationList members={members} />
          </>
        )}
      </Loaded>
      {isInviting && <InviteDialog onClose={inviting.close} onCreated={setMade} />}
    </>
  );
}

function MadeInvitation({ invitation, onStored }: { invitation: NewInvitation; onStored: () => void }) {
  const { members: texts } = useTexts().settings;
  const canMail = useQuery({ ...signInOptionsQuery, staleTime: 60_000 }).data?.mail;
  return (
    <OneTimeSecret
      title={texts.created(invitation.email)}
      label={texts.link}
      value={invitation.url}
      onStored={onStored}
    >
      {texts.linkOnce} {canMail === undefined ? '' : canMail ? texts.mailed : texts.notMailed}
    </OneTimeSecret>
  );
}

function MemberTable({ members }: { members: readonly Member[] }) {
  const { settings } = useTexts();
  const { members: texts, sections } = settings;
  const owners = members.filter(({ role }) => role === 'owner').length;
  const isLastOwner = ({ role }: Member) => role === 'owner' && owners === 1;
  return (
    <Table
      label={sections.members}
      rows={members}
      rowKey={({ operatorId }) => operatorId}
      columns={[
        { key: 'person', header: texts.name, render: (member) => <PersonCell member={member} /> },
        {
          key: 'role',
          header: texts.role,
          render: (member) => <RoleChoice member={member} isLastOwner={isLastOwner(member)} />,
        },
        {
          key: 'otp',
          header: texts.secondFactor,
          render: ({ otpEnabled }) => (
            <StateBadge tone={otpEnabled ? 'good' : 'neutral'} icon={otpEnabled ? 'shield' : 'minus'}>
              {otpEnabled ? texts.secondFactorOn : texts.secondFactorOff}
            </StateBadge>
          ),
          wide: true,
        },
        {
          key: 'keys',
          header: settings.sections['api-keys'],
          render: ({ liveApiKeys, liveSigningKeys }) =>
            liveApiKeys + liveSigningKeys > 0 && (
              <KeysLink count={liveApiKeys + liveSigningKeys} isApiKeys={liveApiKeys > 0} />
            ),
          wide: true,
        },
        { key: 'since', header: texts.since, render: ({ createdAt }) => <Time at={createdAt} />, wide: true },
        {
          key: 'actions',
          header: '',
          align: 'end',
          render: (member) => <RemoveMember member={member} isLastOwner={isLastOwner(member)} />,
        },
      ]}
    />
  );
}

/** What a member made goes on working, whatever becomes of the member. */
function KeysLink({ count, isApiKeys }: { count: number; isApiKeys: boolean }) {
  const { members: texts } = useTexts().settings;
  const projectId = useProjectId();
  return (
    <TextLink
      to="/p/$projectId/settings/$section"
      params={{ projectId, section: isApiKeys ? 'api-keys' : 'signing-keys' }}
    >
      {texts.liveKeys(count)}
    </TextLink>
  );
}

function PersonCell({ member }: { member: Member }) {
  const { members: texts } = useTexts().settings;
  const me = useMe();
  const { operatorId, name, email, emailVerified } = member;
  return (
    <span className={styles.person}>
      <strong>
        {name ?? email} {operatorId === me?.id && <span className="soft">({texts.you})</span>}
      </strong>
      {name !== null && <small>{email}</small>}
      {!emailVerified && <small>{texts.addressUnproved}</small>}
    </span>
  );
}
