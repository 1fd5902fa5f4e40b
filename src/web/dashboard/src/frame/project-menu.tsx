import { Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { useProjects } from '../app/project.ts';
import { useLanguage, useTexts } from '../texts/texts.tsx';
import { Icon } from '../ui/icons.tsx';
import styles from './frame.module.css';
import { NewProjectDialog } from './new-project-dialog.tsx';

type ProjectMenuProps = { readonly projectId: string | undefined; readonly children: ReactElement };

/** Fewer are seen at a glance. */
const SEARCH_FROM = 8;

/** The operator's projects by name, and a new one. `children` is the button that opens it; it is open at first. */
export function ProjectMenu({ projectId, children }: ProjectMenuProps) {
  const { frame } = useTexts();
  const [isCreating, creating] = useDisclosure();
  return (
    <>
      <Menu position="bottom-start" width={280} defaultOpened>
        <Menu.Target>{children}</Menu.Target>
        <Menu.Dropdown>
          <ProjectItems projectId={projectId} />
          <Menu.Item leftSection={<Icon name="plus" size={15} />} onClick={creating.open}>
            {frame.newProject}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isCreating && <NewProjectDialog onClose={creating.close} />}
    </>
  );
}

/** The list scrolls by itself, so that what stands below it is always in reach. */
function ProjectItems({ projectId }: Pick<ProjectMenuProps, 'projectId'>) {
  const { frame, palette } = useTexts();
  const { language } = useLanguage();
  const projects = useProjects().data?.projects ?? [];
  const navigate = useNavigate();
  const [words, setWords] = useState('');
  if (projects.length === 0) return null;
  const wanted = words.trim().toLocaleLowerCase(language);
  const byName = new Intl.Collator(language, { numeric: true }).compare;
  const shown = projects
    .filter(({ name }) => name.toLocaleLowerCase(language).includes(wanted))
    .sort((one, other) => byName(one.name, other.name));
  return (
    <>
      {projects.length >= SEARCH_FROM && (
        <input
          className={styles.projectSearch}
          type="search"
          data-autofocus
          aria-label={frame.findProject}
          placeholder={frame.findProject}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
      )}
      <div className={styles.projects}>
        {shown.map(({ id, name }) => (
          <Menu.Item
            key={id}
            title={name}
            onClick={() => navigate({ to: '/p/$projectId', params: { projectId: id } })}
            rightSection={id === projectId && <Icon name="check" size={15} />}
          >
            {name}
          </Menu.Item>
        ))}
        {shown.length === 0 && <Menu.Label>{palette.nothing(words.trim())}</Menu.Label>}
      </div>
      <Menu.Divider />
    </>
  );
}
