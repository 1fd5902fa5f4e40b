import '@mantine/core/styles/Group.layer.css';
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ownInvitationsQuery } from '../../api/operators.ts';
import { api } from '../../api/queries.ts';
import type { Schema } from '../../api/schemas.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { useAction } from '../../ui/use-action.ts';

type OwnInvitation = Schema<'OwnInvitation'>;

/** Projects that the operator is invited to; nothing where there are none. */
export function OwnInvitations() {
  const query = useQuery(ownInvitationsQuery);
  return (
    <Loaded query={query} skeleton={null}>
      {({ invitations }) => invitations.length > 0 && <InvitationTable invitations={invitations} />}
    </Loaded>
  );
}

function InvitationTable({ invitations }: { invitations: readonly OwnInvitation[] }) {
  const { ownInvitations: texts, common } = useTexts();
  return (
    <Section title={texts.title} lead={texts.lead} flush>
      <Table
        bare
        label={texts.title}
        rows={invitations}
        rowKey={({ id }) => id}
        columns={[
          { key: 'project', header: texts.project, render: ({ project }) => <strong>{project.name}</strong> },
          { key: 'role', header: texts.role, render: ({ role }) => common.roles[role] },
          {
            key: 'by',
            header: texts.invitedBy,
            render: ({ invitedBy }) => invitedBy?.email ?? common.unknown,
            wide: true,
          },
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
            render: (invitation) => <Answer invitation={invitation} />,
          },
        ]}
      />
    </Section>
  );
}

function Answer({ invitation: { id, project } }: { invitation: OwnInvitation }) {
  const { ownInvitations: words } = useTexts();
  const path = { id };
  const answer = useAction({
    send: async (isAccepted: boolean) => {
      if (isAccepted) await api.post('/operators/me/invitations/{id}/accept', { path });
      else await api.delete('/operators/me/invitations/{id}', { path });
      return isAccepted;
    },
    done: (isAccepted) => (isAccepted ? words.joined(project.name) : words.declined(project.name)),
    refresh: ['/operators/me/invitations', '/projects'],
  });
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`${words.decline}: ${project.name}`}
        disabled={answer.isPending}
        onClick={() => answer.mutate(false)}
      >
        {words.decline}
      </Button>
      <Button
        size="compact-sm"
        aria-label={`${words.accept}: ${project.name}`}
        loading={answer.isPending}
        onClick={() => answer.mutate(true)}
      >
        {words.accept}
      </Button>
    </Group>
  );
}
