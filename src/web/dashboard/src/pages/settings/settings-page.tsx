import { notFound, useParams } from '@tanstack/react-router';
import { type ComponentType, Suspense } from 'react';
import { useProjectId } from '../../app/project.ts';
import { useRole } from '../../app/session.ts';
import { useTitle } from '../../frame/root.tsx';
import type { Texts } from '../../texts/area-texts.ts';
import { useTexts } from '../../texts/texts.tsx';
import { useCurrentInView } from '../../ui/current-in-view.ts';
import { Icon, type IconName } from '../../ui/icons.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { TextLink } from '../../ui/link.tsx';
import { Bars } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHead } from '../../ui/page.tsx';
import styles from './settings.module.css';

type SectionName = keyof Texts['settings']['sections'];
type Section = { readonly icon: IconName; readonly content: ComponentType };

/** In the order of the list beside them. Each is a script of its own. */
const SECTIONS: Readonly<Record<SectionName, Section>> = {
  project: {
    icon: 'settings',
    content: lazyPart(() => import('./project/project-section.tsx'), 'ProjectSection'),
  },
  branding: {
    icon: 'eye',
    content: lazyPart(() => import('./branding/branding-section.tsx'), 'BrandingSection'),
  },
  'api-keys': {
    icon: 'key',
    content: lazyPart(() => import('./keys/api-keys-section.tsx'), 'ApiKeysSection'),
  },
  'signing-keys': {
    icon: 'shield',
    content: lazyPart(() => import('./tokens/signing-keys-section.tsx'), 'SigningKeysSection'),
  },
  revocations: {
    icon: 'error',
    content: lazyPart(() => import('./tokens/revocations-section.tsx'), 'RevocationsSection'),
  },
  users: {
    icon: 'user',
    content: lazyPart(() => import('./people/users-section.tsx'), 'UsersSection'),
  },
  organizations: {
    icon: 'globe',
    content: lazyPart(() => import('./people/organizations-section.tsx'), 'OrganizationsSection'),
  },
  members: {
    icon: 'users',
    content: lazyPart(() => import('./people/members-section.tsx'), 'MembersSection'),
  },
  configuration: {
    icon: 'code',
    content: lazyPart(() => import('./configuration/configuration-section.tsx'), 'ConfigurationSection'),
  },
};

function isSection(name: string): name is SectionName {
  return Object.hasOwn(SECTIONS, name);
}

/** `/p/<projectId>/settings/<section>`; without a section, the project's own facts. */
export function SettingsPage() {
  const { settings } = useTexts();
  const { section = 'project' } = useParams({ strict: false });
  if (!isSection(section)) throw notFound();
  const { content: Content } = SECTIONS[section];
  useTitle(`${settings.sections[section]} · ${settings.title}`);
  return (
    <>
      <PageHead title={settings.title} />
      <div className={styles.layout}>
        <SectionList current={section} />
        <div className={styles.content}>
          <ViewerNote />
          <Suspense fallback={<Bars rows={6} height={24} />}>
            <Content />
          </Suspense>
        </div>
      </div>
    </>
  );
}

function SectionList({ current }: { current: SectionName }) {
  const projectId = useProjectId();
  const { settings } = useTexts();
  const names = Object.keys(SECTIONS).filter(isSection);
  const list = useCurrentInView(current);
  return (
    <nav aria-label={settings.title} className={styles.sections} ref={list}>
      {names.map((section) => (
        <TextLink
          key={section}
          to="/p/$projectId/settings/$section"
          params={{ projectId, section }}
          className={styles.section}
          data-section={section}
          aria-current={section === current ? 'page' : undefined}
        >
          <Icon name={SECTIONS[section].icon} size={15} />
          {settings.sections[section]}
        </TextLink>
      ))}
    </nav>
  );
}

function ViewerNote() {
  const { common } = useTexts();
  const role = useRole(useProjectId());
  return role === 'viewer' ? <Notice tone="info" title={common.viewerNote} /> : null;
}
