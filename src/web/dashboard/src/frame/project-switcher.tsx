import { type ComponentProps, forwardRef } from 'react';
import { useProjectName } from '../app/project.ts';
import { useTexts } from '../texts/texts.tsx';
import { Icon } from '../ui/icons.tsx';
import { LazyMenu } from '../ui/lazy-menu.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import styles from './frame.module.css';

const ProjectMenu = lazyPart(() => import('./project-menu.tsx'), 'ProjectMenu');

/** The project of the page, and a menu of the others. */
export function ProjectSwitcher({ projectId }: { projectId: string | undefined }) {
  const name = useProjectName(projectId);
  return (
    <LazyMenu
      button={<SwitcherButton name={name} />}
      menu={(button) => <ProjectMenu projectId={projectId}>{button}</ProjectMenu>}
    />
  );
}

type SwitcherButtonProps = ComponentProps<'button'> & { readonly name: string | undefined };

const SwitcherButton = forwardRef<HTMLButtonElement, SwitcherButtonProps>(({ name, ...rest }, ref) => {
  const { frame } = useTexts();
  return (
    <button type="button" {...rest} ref={ref} className={styles.switcher}>
      <span className={styles.initial} aria-hidden="true">
        {name === undefined ? '' : initial(name)}
      </span>
      <span>
        <span className="unseen">{frame.switchProject}: </span>
        {name ?? frame.project}
      </span>
      <Icon name="chevronsUpDown" size={15} />
    </button>
  );
});

function initial(name: string): string {
  return [...name.trim()][0]?.toUpperCase() ?? '';
}
