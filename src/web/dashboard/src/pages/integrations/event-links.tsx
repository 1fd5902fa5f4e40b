import { useProjectId } from '../../app/project.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Icon } from '../../ui/icons.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import styles from './integrations.module.css';

/** The ways to what the integration's provider sends, and to what is asked of it. */
export function EventLinks({ integrationId }: { integrationId: string }) {
  const { title, links } = useTexts().integrations.detail.events;
  const projectId = useProjectId();
  const search = { integrationId };
  const params = { projectId };
  return (
    <Section title={title}>
      <div className={styles.eventLinks}>
        <TextLink to="/p/$projectId/events" params={params} search={search}>
          <Icon name="events" size={15} />
          {links.stream}
        </TextLink>
        <TextLink
          to="/p/$projectId/events/$section"
          params={{ ...params, section: 'webhooks' }}
          search={search}
        >
          <Icon name="webhook" size={15} />
          {links.webhooks}
        </TextLink>
        <TextLink to="/p/$projectId/events/$section" params={{ ...params, section: 'polls' }} search={search}>
          <Icon name="refresh" size={15} />
          {links.polls}
        </TextLink>
      </div>
    </Section>
  );
}
