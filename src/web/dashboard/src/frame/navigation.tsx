import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { gatewayQuery } from '../api/operators.ts';
import { useNavigationProject } from '../app/project.ts';
import { useTexts } from '../texts/texts.tsx';
import { Icon } from '../ui/icons.tsx';
import styles from './frame.module.css';
import { PROJECT_PAGES } from './pages-of-project.ts';
import { ProjectSwitcher } from './project-switcher.tsx';

/** Beside the page, and in the sheet at phone width. */
export function Navigation({ onHelp }: { onHelp: () => void }) {
  const { frame } = useTexts();
  const projectId = useNavigationProject();
  const { pathname } = useLocation();
  return (
    <nav className={styles.nav} aria-label={frame.nav.label}>
      <ProjectSwitcher projectId={projectId} />
      {projectId !== undefined && (
        <ul className={styles.list}>
          {PROJECT_PAGES.map((page) => {
            const { name, to } = page;
            const isPart = 'also' in page && pathname.startsWith(page.also);
            return (
              <li key={name}>
                <Link
                  to={to}
                  {...(isPart && { 'aria-current': 'page' })}
                  params={{ projectId }}
                  className={styles.item}
                  activeOptions={{ exact: name === 'home', includeSearch: false }}
                >
                  <Icon name={name} size={17} />
                  {frame.nav[name]}
                </Link>
              </li>
            );
          })}
        </ul>
      )}
      <span className={styles.grow} />
      <HelpLinks onHelp={onHelp} />
    </nav>
  );
}

function HelpLinks({ onHelp }: { onHelp: () => void }) {
  const { frame } = useTexts();
  const gateway = useQuery({ ...gatewayQuery, staleTime: 60_000, retry: false });
  return (
    <ul className={styles.list} aria-label={frame.help}>
      <li>
        <a href="/docs" target="_blank" rel="noreferrer" className={styles.item}>
          <Icon name="book" size={17} />
          {frame.documents}
        </a>
      </li>
      <li>
        <a href="/docs/try" target="_blank" rel="noreferrer" className={styles.item}>
          <Icon name="code" size={17} />
          {frame.apiReference}
        </a>
      </li>
      <li>
        <a href="/docs/errors" target="_blank" rel="noreferrer" className={styles.item}>
          <Icon name="help" size={17} />
          {frame.docs}
        </a>
      </li>
      <li>
        <button type="button" className={styles.item} onClick={onHelp}>
          <Icon name="keyboard" size={17} />
          {frame.keyboard}
        </button>
      </li>
      <li>
        <Link to="/gateway" className={styles.item}>
          <Icon name="server" size={17} />
          {gateway.data ? frame.gatewayVersion(gateway.data.version) : frame.gateway}
        </Link>
      </li>
    </ul>
  );
}
