import { Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useProjects } from '../app/project.ts';
import { useTexts } from '../texts/texts.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icons.tsx';
import { NewProjectForm } from './new-project.tsx';

type ProjectMenuProps = { readonly projectId: string | undefined; readonly children: ReactElement };

/** The operator's projects, and a new one. `children` is the button that opens it; it is open at first. */
export function ProjectMenu({ projectId, children }: ProjectMenuProps) {
  const { frame } = useTexts();
  const projects = useProjects().data?.projects ?? [];
  const navigate = useNavigate();
  const [isCreating, creating] = useDisclosure();
  return (
    <>
      <Menu position="bottom-start" width={232} defaultOpened>
        <Menu.Target>{children}</Menu.Target>
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
      {isCreating && (
        <Dialog onClose={creating.close} title={frame.newProject}>
          <NewProjectForm onClose={creating.close} />
        </Dialog>
      )}
    </>
  );
}
