import { TextInput } from '@mantine/core';
import type { Role } from '../../../api/operators.ts';
import { api } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useRole } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { DialogForm } from '../../../ui/dialog-form.tsx';
import { useForm } from '../../../ui/form.ts';
import { useSave } from '../../../ui/use-save.ts';
import { WayChoice } from '../way-choice.tsx';
import { type NewInvitation, rolesToGive } from './member.ts';

type DialogProps = {
  readonly onClose: () => void;
  readonly onCreated: (invitation: NewInvitation) => void;
};

export function InviteDialog({ onClose, onCreated }: DialogProps) {
  const { settings, common } = useTexts();
  const { members: texts } = settings;
  const projectId = useProjectId();
  const own = useRole(projectId);
  const form = useForm<{ email: string; role: Role }>({ initialValues: { email: '', role: 'admin' } });
  const invite = useSave({
    send: (body: typeof form.values) =>
      api.post('/projects/{projectId}/invitations', { path: { projectId }, body }),
    form,
    isSecret: true,
    onClose,
    onDone: onCreated,
    refresh: ['/projects/{projectId}/invitations', '/activity'],
  });
  return (
    <DialogForm
      title={texts.inviteTitle}
      onClose={onClose}
      save={invite}
      onSubmit={form.onSubmit(invite.mutate)}
      submit={texts.createInvitation}
    >
      <TextInput
        type="email"
        label={texts.email}
        required
        maxLength={254}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('email')}
      />
      <WayChoice
        legend={texts.role}
        ways={rolesToGive(own).map((role) => ({
          value: role,
          title: common.roles[role],
          text: texts.roleTexts[role],
        }))}
        value={form.values.role}
        onChange={(role) => form.setField('role', role)}
      />
    </DialogForm>
  );
}
