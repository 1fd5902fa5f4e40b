import { ActionIcon } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useRouter } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { rememberProject, useOptionalProjectId } from '../app/project.ts';
import { useTexts } from '../texts/texts.tsx';
import { Icon } from '../ui/icons.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { Bars } from '../ui/loaded.tsx';
import { AccountMenu } from './account-menu.tsx';
import styles from './frame.module.css';
import { FrozenNotice } from './frozen-notice.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import { Navigation } from './navigation.tsx';
import { PaletteHost } from './palette-host.tsx';
import { RoleProblem } from './role-problem.tsx';
import { useShortcuts } from './shortcuts.ts';
import { SignInAgain } from './sign-in-again.tsx';

const MenuSheet = lazyPart(() => import('./menu-sheet.tsx'), 'MenuSheet');
const NewProjectDialog = lazyPart(() => import('./new-project-dialog.tsx'), 'NewProjectDialog');
const KeyboardHelp = lazyPart(() => import('./keyboard-help.tsx'), 'KeyboardHelp');

/** The frame of every page behind the sign-in: navigation, search, account. */
export function Shell() {
  const { frame, palette } = useTexts();
  const [isMenuOpen, menu] = useDisclosure();
  const [isPaletteOpen, paletteDialog] = useDisclosure();
  const [isHelpOpen, help] = useDisclosure();
  const [isCreating, creating] = useDisclosure();
  const projectId = useOptionalProjectId();
  useRememberProject(projectId);
  useCloseAfterNavigation(menu.close);
  useShortcuts({ openPalette: paletteDialog.open, openHelp: help.open });
  return (
    <>
      <a className={styles.skip} href="#main">
        {frame.skipToContent}
      </a>
      <div className={styles.shell}>
        <aside className={styles.side}>
          <div className={styles.sideInner}>
            <Navigation onHelp={help.open} />
          </div>
        </aside>
        <div className={styles.content}>
          <header className={styles.top}>
            <ActionIcon
              className={styles.onlyPhone}
              size="lg"
              aria-label={frame.openMenu}
              onClick={menu.open}
            >
              <Icon name="menu" size={20} />
            </ActionIcon>
            <button type="button" className={styles.searchButton} onClick={paletteDialog.open}>
              <Icon name="search" size={15} />
              <span>{palette.open}</span>
              <kbd>/</kbd>
            </button>
            <span className={styles.grow} />
            <AccountMenu />
          </header>
          <main id="main" className={styles.main} tabIndex={-1}>
            {projectId !== undefined && <RoleProblem projectId={projectId} />}
            {projectId !== undefined && <FrozenNotice projectId={projectId} />}
            <Suspense fallback={<Bars rows={6} height={24} />}>
              <Outlet />
            </Suspense>
          </main>
        </div>
      </div>
      <LeaveGuard />
      <SignInAgain />
      <PaletteHost
        isOpen={isPaletteOpen}
        onClose={paletteDialog.close}
        onHelp={help.open}
        onNewProject={creating.open}
      />
      <Suspense>
        {isMenuOpen && <MenuSheet onClose={menu.close} onHelp={help.open} />}
        {isCreating && <NewProjectDialog onClose={creating.close} />}
        {isHelpOpen && <KeyboardHelp onClose={help.close} />}
      </Suspense>
    </>
  );
}

function useRememberProject(projectId: string | undefined): void {
  useEffect(() => {
    if (projectId !== undefined) rememberProject(projectId);
  }, [projectId]);
}

function useCloseAfterNavigation(close: () => void): void {
  const router = useRouter();
  useEffect(() => router.subscribe('onResolved', close), [router, close]);
}
