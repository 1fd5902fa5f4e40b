import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { takeOutdated } from '../api/build.ts';
import { giveUpUnsaved, hasUnsaved } from '../api/unsaved.ts';
import type { Texts } from '../texts/area-texts.ts';
import type { Language } from '../texts/language.ts';
import { rememberLanguage, speak, TextsProvider } from '../texts/texts.tsx';
import { cssVariables, themeFor } from '../theme/theme.ts';
import { ConfirmProvider } from '../ui/confirm.tsx';
import { Toasts } from '../ui/toasts.tsx';
import { makeQueryClient } from './query-client.ts';
import { makeRouter } from './router.ts';
import { onSessionChange } from './session-tabs.ts';

/** The nonce that this reply's Content-Security-Policy names. */
const NONCE = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';

/** Where the library looks that keeps the page from scrolling behind a dialog (react-style-singleton, get-nonce). */
Reflect.set(globalThis, '__webpack_nonce__', NONCE);

function makeParts() {
  const queryClient = makeQueryClient(() => {
    const { pathname, href } = router.state.location;
    // What is typed stays in sight where the operator has declined to sign in again.
    if (pathname === '/sign-in' || hasUnsaved()) return;
    queryClient.clear();
    void router.navigate({ to: '/sign-in', search: { returnTo: href } });
  });
  const router = makeRouter(queryClient);
  // After an upgrade, the next page comes with the scripts of its own build.
  router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
    if (!pathChanged || !takeOutdated()) return;
    router.history.flush();
    location.reload();
  });
  // The whole document goes, so that nothing of it stays in memory or in sight.
  onSessionChange('signed-out', () => {
    giveUpUnsaved();
    location.assign('/sign-in');
  });
  return { queryClient, router };
}

export function App({ firstLanguage, firstTexts }: { firstLanguage: Language; firstTexts: Texts }) {
  const [{ queryClient, router }] = useState(makeParts);
  const [{ language, texts }, setSpoken] = useState({ language: firstLanguage, texts: firstTexts });
  const setLanguage = useCallback(async (next: Language) => {
    rememberLanguage(next);
    setSpoken({ language: next, texts: await speak(next) });
  }, []);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const held = useMemo(() => ({ texts, language, setLanguage }), [texts, language, setLanguage]);
  const theme = useMemo(() => themeFor(texts), [texts]);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => NONCE}
    >
      <QueryClientProvider client={queryClient}>
        <TextsProvider held={held}>
          <ConfirmProvider>
            <RouterProvider router={router} />
            <Toasts />
          </ConfirmProvider>
        </TextsProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}
