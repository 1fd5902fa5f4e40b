import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { fieldErrors } from '../api/problem.ts';
import { api, refresh } from '../api/queries.ts';
import { useTexts } from '../texts/texts.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';

/** Makes a project and goes to its Home. */
export function NewProjectForm({ onDone }: { onDone: () => void }) {
  const { frame } = useTexts();
  const [name, setName] = useState('');
  const navigate = useNavigate();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: () => api.post('/projects', { body: { name } }),
    onSuccess: async (project) => {
      await refresh(client, '/projects');
      onDone();
      await navigate({ to: '/p/$projectId', params: { projectId: project.id } });
    },
  });
  const faults = fieldErrors(create.error);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      {create.isError && faults.name === undefined && <ProblemNotice error={create.error} />}
      <TextInput
        label={frame.newProjectName}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={faults.name}
        required
        maxLength={100}
        data-autofocus
      />
      <Button type="submit" mt="md" loading={create.isPending}>
        {frame.createProject}
      </Button>
    </form>
  );
}
