import { useTexts } from '../../texts/texts.tsx';
import { Icon } from '../../ui/icons.tsx';
import { PageHead } from '../../ui/page.tsx';
import styles from './events.module.css';

/** What this release does not have yet, in plain words: no button that leads nowhere. */
export function EventsPage() {
  const { events: texts } = useTexts();
  const [webhooks, polls, stream] = texts.coming;
  return (
    <>
      <PageHead title={texts.title} />
      <section className={styles.coming}>
        <h2>{texts.emptyTitle}</h2>
        <p>{texts.emptyText}</p>
        <ul>
          <li>
            <Icon name="webhook" size={20} />
            {webhooks}
          </li>
          <li>
            <Icon name="refresh" size={20} />
            {polls}
          </li>
          <li>
            <Icon name="events" size={20} />
            {stream}
          </li>
        </ul>
        <p>{texts.meanwhile}</p>
      </section>
    </>
  );
}
