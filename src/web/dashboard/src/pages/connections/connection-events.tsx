import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { useProjectId } from '../../app/project.ts';
import { useTexts } from '../../texts/texts.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './connections.module.css';

const SHOWN = 6;

/** The connection's latest events that are kept. */
export function ConnectionEvents({ connectionId }: { connectionId: string }) {
  const { connections: texts } = useTexts();
  const projectId = useProjectId();
  const found = useQuery(apiQuery('/events/latest', { query: { projectId, connectionId, limit: SHOWN } }));
  return (
    <Section
      title={texts.latestEvents}
      actions={
        <TextLink to="/p/$projectId/events" params={{ projectId }} search={{ connectionId }}>
          {texts.allEvents}
        </TextLink>
      }
    >
      <Loaded query={found}>
        {({ events }) =>
          events.length === 0 ? (
            <p className="soft">{texts.noEvents}</p>
          ) : (
            <ul className={`bare-list ${styles.events}`}>
              {events.map(({ id, type, object, createdAt }) => (
                <li key={id}>
                  <TextLink
                    to="/p/$projectId/events"
                    params={{ projectId }}
                    search={{ connectionId, event: id }}
                  >
                    {type}
                  </TextLink>
                  <span className="soft small">{object?.id}</span>
                  <Time at={createdAt} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
