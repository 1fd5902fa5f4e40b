import { MantineProvider, mergeThemeOverrides } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Texts } from '../texts/en.ts';
import { type Language, loadTexts, rememberLanguage, TextsProvider } from '../texts/texts.tsx';
import { cssVariables, theme } from '../theme/theme.ts';
import { ConfirmProvider } from '../ui/confirm.tsx';
import { makeQueryClient } from './query-client.ts';
import { makeRouter } from './router.ts';

/** The nonce that this reply's Content-Security-Policy names. */
const NONCE = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';

/** Where the library looks that keeps the page from scrolling behind a dialog (react-style-singleton, get-nonce). */
Reflect.set(globalThis, '__webpack_nonce__', NONCE);

function makeParts() {
  const queryClient = makeQueryClient(() => {
    const { pathname, href } = router.state.location;
    if (pathname === '/sign-in') return;
    queryClient.clear();
    void router.navigate({ to: '/sign-in', search: { returnTo: href } });
  });
  const router = makeRouter(queryClient);
  return { queryClient, router };
}

export function App({ firstLanguage, firstTexts }: { firstLanguage: Language; firstTexts: Texts }) {
  const [{ queryClient, router }] = useState(makeParts);
  const [{ language, texts }, setSpoken] = useState({ language: firstLanguage, texts: firstTexts });
  const setLanguage = useCallback(async (next: Language) => {
    rememberLanguage(next);
    setSpoken({ language: next, texts: await loadTexts(next) });
  }, []);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const held = useMemo(() => ({ texts, language, setLanguage }), [texts, language, setLanguage]);
  const spoken = useMemo(() => nameButtons(texts), [texts]);
  return (
    <MantineProvider
      theme={spoken}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => NONCE}
    >
      <QueryClientProvider client={queryClient}>
        <TextsProvider held={held}>
          <ConfirmProvider>
            <RouterProvider router={router} />
            <Notifications position="bottom-right" />
          </ConfirmProvider>
        </TextsProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** The theme, with names for the buttons that Mantine draws itself, which are icons alone. */
function nameButtons({ common }: Texts) {
  return mergeThemeOverrides(theme, {
    components: { CloseButton: { defaultProps: { 'aria-label': common.close } } },
  });
}
