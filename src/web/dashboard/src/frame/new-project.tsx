import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, refresh } from '../api/queries.ts';
import { useTexts } from '../texts/texts.tsx';
import { useForm } from '../ui/form.ts';
import { FormBody } from '../ui/form-body.tsx';
import { useSave } from '../ui/use-save.ts';

/** Makes a project and goes to its Home. `onClose` is that of the dialog around it. */
export function NewProjectForm({ onClose }: { onClose?: () => void }) {
  const { frame } = useTexts();
  const navigate = useNavigate();
  const client = useQueryClient();
  const form = useForm({ initialValues: { name: '' } });
  const create = useSave({
    send: (body: typeof form.values) => api.post('/projects', { body }),
    form,
    onDone: async (project) => {
      await refresh(client, '/projects');
      onClose?.();
      await navigate({ to: '/p/$projectId', params: { projectId: project.id } });
    },
  });
  return (
    <FormBody
      save={create}
      onSubmit={form.onSubmit(create.mutate)}
      submit={frame.createProject}
      {...(onClose && { onCancel: onClose })}
    >
      <TextInput
        label={frame.newProjectName}
        required
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
    </FormBody>
  );
}
