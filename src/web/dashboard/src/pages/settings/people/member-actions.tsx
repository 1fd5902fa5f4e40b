import { Button, NativeSelect, Tooltip } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Role } from '../../../api/operators.ts';
import { api, refresh } from '../../../api/queries.ts';
import { forgetProject, useProjectId } from '../../../app/project.ts';
import { useMe, useRole } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { useAction } from '../../../ui/use-action.ts';
import styles from '../settings.module.css';
import { isRole, type Member, rolesToGive } from './member.ts';

type MemberProps = { readonly member: Member; readonly isLastOwner: boolean };

/** The member's role; a choice where the operator may change it, and else why not. */
export function RoleChoice({ member, isLastOwner }: MemberProps) {
  const { settings, common } = useTexts();
  const { members: texts } = settings;
  const own = useRole(useProjectId());
  const change = useChangeRole(member);
  const { role, email, name } = member;
  if (isLastOwner) return <FixedRole role={role} why={texts.lastOwner} />;
  if (own === 'admin' && role === 'owner') return <FixedRole role={role} why={texts.ownersOnly} />;
  if (own === undefined || own === 'viewer') return <>{common.roles[role]}</>;
  return (
    <NativeSelect
      size="xs"
      w="8rem"
      aria-label={texts.roleOf(name ?? email)}
      value={change.isPending ? change.variables : role}
      disabled={change.isPending}
      onChange={({ currentTarget }) => isRole(currentTarget.value) && change.mutate(currentTarget.value)}
      data={rolesToGive(own).map((value) => ({ value, label: common.roles[value] }))}
    />
  );
}

function FixedRole({ role, why }: { role: Role; why: string }) {
  const { common } = useTexts();
  return (
    <Tooltip label={why} multiline w={260}>
      <span className={styles.fixed} tabIndex={0}>
        {common.roles[role]}
        <Icon name="info" size={14} label={why} />
      </span>
    </Tooltip>
  );
}

function useChangeRole({ operatorId, name, email }: Member) {
  const { settings, common } = useTexts();
  const { members: texts } = settings;
  const projectId = useProjectId();
  const isSelf = useMe()?.id === operatorId;
  return useAction({
    question: (role: Role) =>
      isSelf
        ? {
            title: texts.ownRoleTitle,
            consequences: [texts.ownRoleText(common.roles[role])],
            confirmLabel: texts.changeRole,
          }
        : undefined,
    send: (role) =>
      api.patch('/projects/{projectId}/members/{operatorId}', {
        path: { projectId, operatorId },
        body: { role },
      }),
    done: ({ role, liveApiKeys, liveSigningKeys }) => {
      const liveKeys = role === 'viewer' ? liveApiKeys + liveSigningKeys : 0;
      const kept = liveKeys > 0 ? ` ${texts.keysStay(liveKeys)}` : '';
      return texts.roleChanged({ person: name ?? email, role: common.roles[role] }) + kept;
    },
    refresh: ['/projects/{projectId}/members', '/activity'],
  });
}

/** Removes a member; of any role, an operator may leave. */
export function RemoveMember({ member, isLastOwner }: MemberProps) {
  const { members: texts } = useTexts().settings;
  const own = useRole(useProjectId());
  const isSelf = useMe()?.id === member.operatorId;
  const remove = useRemove(member, isSelf);
  const mayRemove = own === 'owner' || (own === 'admin' && member.role !== 'owner');
  if (isLastOwner || own === undefined || !(isSelf || mayRemove)) return null;
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={isSelf ? texts.leave : `${texts.remove}: ${member.name ?? member.email}`}
      onClick={() => remove.mutate()}
    >
      {isSelf ? texts.leave : texts.remove}
    </Button>
  );
}

function useRemove({ operatorId, name, email, ...member }: Member, isSelf: boolean) {
  const { members: texts } = useTexts().settings;
  const liveKeys = member.liveApiKeys + member.liveSigningKeys;
  const projectId = useProjectId();
  const client = useQueryClient();
  const navigate = useNavigate();
  const person = name ?? email;
  return useAction({
    question: {
      title: isSelf ? texts.leaveTitle : texts.removeTitle(person),
      consequences: [
        isSelf ? texts.leaveText : texts.removeText,
        ...(liveKeys > 0 ? [texts.keysStay(liveKeys)] : []),
      ],
      confirmLabel: isSelf ? texts.leave : texts.remove,
    },
    send: () => api.delete('/projects/{projectId}/members/{operatorId}', { path: { projectId, operatorId } }),
    done: texts.removed(person),
    onDone: async () => {
      if (!isSelf) return await refresh(client, '/projects/{projectId}/members', '/activity');
      await forgetProject(client, projectId);
      await navigate({ to: '/', replace: true });
    },
  });
}
