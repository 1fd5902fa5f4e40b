import { Button, NativeSelect, Tooltip } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Role } from '../../../api/operators.ts';
import { api, refresh } from '../../../api/queries.ts';
import { forgetProject, useProjectId } from '../../../app/project.ts';
import { useMe, useRole } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { useConfirm } from '../../../ui/confirm.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { showDone, showProblem } from '../../../ui/toasts.tsx';
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
  const texts = useTexts();
  const { members } = texts.settings;
  const projectId = useProjectId();
  const client = useQueryClient();
  const confirm = useConfirm();
  const isSelf = useMe()?.id === operatorId;
  return useMutation({
    mutationFn: async (role: Role) => {
      const label = texts.common.roles[role];
      const question = {
        title: members.ownRoleTitle,
        consequences: [members.ownRoleText(label)],
        confirmLabel: members.changeRole,
      };
      if (isSelf && !(await confirm(question))) return;
      const path = { projectId, operatorId };
      const changed = await api.patch('/projects/{projectId}/members/{operatorId}', {
        path,
        body: { role },
      });
      await refresh(client, '/projects/{projectId}/members', '/activity');
      const { liveApiKeys, liveSigningKeys } = changed;
      const liveKeys = role === 'viewer' ? liveApiKeys + liveSigningKeys : 0;
      const kept = liveKeys > 0 ? ` ${members.keysStay(liveKeys)}` : '';
      showDone(members.roleChanged({ person: name ?? email, role: label }) + kept);
    },
    onError: (error) => showProblem(error, texts),
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

function useRemove(member: Member, isSelf: boolean) {
  const { operatorId, name, email } = member;
  const liveKeys = member.liveApiKeys + member.liveSigningKeys;
  const texts = useTexts();
  const { members } = texts.settings;
  const projectId = useProjectId();
  const client = useQueryClient();
  const navigate = useNavigate();
  const confirm = useConfirm();
  const person = name ?? email;
  return useMutation({
    mutationFn: async () => {
      const isConfirmed = await confirm({
        title: isSelf ? members.leaveTitle : members.removeTitle(person),
        consequences: [
          isSelf ? members.leaveText : members.removeText,
          ...(liveKeys > 0 ? [members.keysStay(liveKeys)] : []),
        ],
        confirmLabel: isSelf ? members.leave : members.remove,
      });
      if (!isConfirmed) return;
      const path = { projectId, operatorId };
      await api.delete('/projects/{projectId}/members/{operatorId}', { path });
      showDone(members.removed(person));
      if (!isSelf) return await refresh(client, '/projects/{projectId}/members', '/activity');
      forgetProject(projectId);
      await refresh(client, '/projects');
      await navigate({ to: '/', replace: true });
    },
    onError: (error) => showProblem(error, texts),
  });
}
