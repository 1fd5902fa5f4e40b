import { notFound, useParams } from '@tanstack/react-router';
import { type ComponentType, Suspense } from 'react';
import { useProjectId } from '../../app/project.ts';
import { useTitle } from '../../frame/root.tsx';
import type { Texts } from '../../texts/area-texts.ts';
import { useTexts } from '../../texts/texts.tsx';
import { useCurrentInView } from '../../ui/current-in-view.ts';
import { Icon, type IconName } from '../../ui/icons.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { TextLink } from '../../ui/link.tsx';
import { Bars } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page.tsx';
import styles from './events.module.css';

type SectionName = keyof Texts['events']['tabs'];
type Section = { readonly icon: IconName; readonly content: ComponentType };

/** In the order of the tabs. Each is a script of its own. */
const SECTIONS: Readonly<Record<SectionName, Section>> = {
  stream: {
    icon: 'events',
    content: lazyPart(() => import('./stream/stream-section.tsx'), 'StreamSection'),
  },
  destinations: {
    icon: 'send',
    content: lazyPart(() => import('./destinations/destinations-section.tsx'), 'DestinationsSection'),
  },
  deliveries: {
    icon: 'check',
    content: lazyPart(() => import('./deliveries/deliveries-section.tsx'), 'DeliveriesSection'),
  },
  webhooks: {
    icon: 'webhook',
    content: lazyPart(() => import('./webhooks/webhooks-section.tsx'), 'WebhooksSection'),
  },
  polls: {
    icon: 'refresh',
    content: lazyPart(() => import('./polls/polls-section.tsx'), 'PollsSection'),
  },
};

function isSection(name: string): name is SectionName {
  return Object.hasOwn(SECTIONS, name);
}

/** `/p/<projectId>/events/<section>`; without a section, the stream. */
export function EventsPage() {
  const { events: texts } = useTexts();
  const { section = 'stream' } = useParams({ strict: false });
  if (!isSection(section)) throw notFound();
  const { content: Content } = SECTIONS[section];
  useTitle(`${texts.tabs[section]} · ${texts.title}`);
  return (
    <>
      <PageHead title={texts.title} />
      <SectionTabs current={section} />
      <Suspense fallback={<Bars rows={6} height={24} />}>
        <Content key={section} />
      </Suspense>
    </>
  );
}

function SectionTabs({ current }: { current: SectionName }) {
  const { events: texts } = useTexts();
  const projectId = useProjectId();
  const list = useCurrentInView(current);
  return (
    <nav aria-label={texts.title} className={styles.tabs} ref={list}>
      {Object.keys(SECTIONS)
        .filter(isSection)
        .map((section) => (
          <TextLink
            key={section}
            {...(section === 'stream'
              ? { to: '/p/$projectId/events', params: { projectId }, activeOptions: { exact: true } }
              : { to: '/p/$projectId/events/$section', params: { projectId, section } })}
            className={styles.tab}
            data-section={section}
            aria-current={section === current ? 'page' : undefined}
          >
            <Icon name={SECTIONS[section].icon} size={15} />
            {texts.tabs[section]}
          </TextLink>
        ))}
    </nav>
  );
}
