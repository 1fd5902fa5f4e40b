import { Button, Modal, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Role } from '../../../api/operators.ts';
import { fieldErrors } from '../../../api/problem.ts';
import { api, refresh } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useRole } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import styles from '../settings.module.css';
import { type NewInvitation, rolesToGive } from './member.ts';

type DialogProps = {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onCreated: (invitation: NewInvitation) => void;
};

export function InviteDialog({ opened, onClose, onCreated }: DialogProps) {
  const { inviteTitle } = useTexts().settings.members;
  return (
    <Modal opened={opened} onClose={onClose} title={inviteTitle}>
      <InviteForm
        onClose={onClose}
        onCreated={(invitation) => {
          onClose();
          onCreated(invitation);
        }}
      />
    </Modal>
  );
}

function InviteForm({ onClose, onCreated }: Omit<DialogProps, 'opened'>) {
  const { settings, common } = useTexts();
  const { members: texts } = settings;
  const projectId = useProjectId();
  const own = useRole(projectId);
  const client = useQueryClient();
  const form = useForm<{ email: string; role: Role }>({ initialValues: { email: '', role: 'admin' } });
  const invite = useMutation({
    mutationFn: (body: typeof form.values) =>
      api.post('/projects/{projectId}/invitations', { path: { projectId }, body }),
    onSuccess: async (invitation) => {
      onCreated(invitation);
      await refresh(client, '/projects/{projectId}/invitations', '/activity');
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <form className={styles.dialogForm} onSubmit={form.onSubmit((values) => invite.mutate(values))}>
      {invite.isError && Object.keys(form.errors).length === 0 && <ProblemNotice error={invite.error} />}
      <TextInput
        type="email"
        label={texts.email}
        required
        maxLength={254}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('email')}
      />
      <fieldset className={styles.ways}>
        <legend className={styles.legend}>{texts.role}</legend>
        {rolesToGive(own).map((role) => (
          <label key={role} className={styles.way}>
            <input
              type="radio"
              name="role"
              checked={form.values.role === role}
              onChange={() => form.setFieldValue('role', role)}
            />
            <strong>{common.roles[role]}</strong>
            <small>{texts.roleTexts[role]}</small>
          </label>
        ))}
      </fieldset>
      <div className={styles.dialogFoot}>
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button type="submit" loading={invite.isPending}>
          {texts.createInvitation}
        </Button>
      </div>
    </form>
  );
}
