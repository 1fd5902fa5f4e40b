import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { useProjectId } from '../../app/project.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './calls.module.css';

/** What the audit log tells of a request; nothing where it tells nothing. */
export function RequestActivity({ requestId, title }: { requestId: string; title: string }) {
  const { timeline } = useTexts().connections;
  const projectId = useProjectId();
  const found = useQuery({
    ...apiQuery('/activity', { query: { projectId, requestId, limit: 20 } }),
    retry: false,
  });
  const entries = found.data?.activity ?? [];
  if (entries.length === 0) return null;
  return (
    <Section title={title}>
      <ul className={`bare-list ${styles.linkList}`}>
        {entries.map((entry) => (
          <li key={entry.id}>
            <strong>{timeline.actions[entry.action] ?? entry.action}</strong>{' '}
            {timeline.by(timeline.actors[entry.actorKind])}, <Time at={entry.createdAt} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
