import { Button, Menu, Modal, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { fieldErrors } from '../api/problem.ts';
import { api, refresh } from '../api/queries.ts';
import { useProjects } from '../app/project.ts';
import { useTexts } from '../texts/texts.tsx';
import { Icon } from '../ui/icons.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import styles from './frame.module.css';

/** The project of the page, and a menu of the others. */
export function ProjectSwitcher({ projectId }: { projectId: string | undefined }) {
  const { frame } = useTexts();
  const projects = useProjects().data?.projects ?? [];
  const navigate = useNavigate();
  const [isCreating, creating] = useDisclosure();
  const current = projects.find(({ id }) => id === projectId);
  return (
    <>
      <Menu position="bottom-start" width={232}>
        <Menu.Target>
          <button type="button" className={styles.switcher}>
            <span className={styles.initial} aria-hidden="true">
              {current ? initial(current.name) : ''}
            </span>
            <span>
              <span className="unseen">{frame.switchProject}: </span>
              {current?.name ?? frame.project}
            </span>
            <Icon name="chevronsUpDown" size={15} />
          </button>
        </Menu.Target>
        <Menu.Dropdown mah={400} style={{ overflowY: 'auto' }}>
          {projects.map(({ id, name }) => (
            <Menu.Item
              key={id}
              onClick={() => navigate({ to: '/p/$projectId', params: { projectId: id } })}
              rightSection={id === projectId && <Icon name="check" size={15} />}
            >
              {name}
            </Menu.Item>
          ))}
          {projects.length > 0 && <Menu.Divider />}
          <Menu.Item leftSection={<Icon name="plus" size={15} />} onClick={creating.open}>
            {frame.newProject}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={isCreating} onClose={creating.close} title={frame.newProject}>
        <NewProjectForm onDone={creating.close} />
      </Modal>
    </>
  );
}

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

function initial(name: string): string {
  return [...name.trim()][0]?.toUpperCase() ?? '';
}
