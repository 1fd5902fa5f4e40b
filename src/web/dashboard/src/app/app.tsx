import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Texts } from '../texts/area-texts.ts';
import type { Language } from '../texts/language.ts';
import { rememberLanguage, speak, TextsProvider } from '../texts/texts.tsx';
import { cssVariables, themeFor } from '../theme/theme.ts';
import { ConfirmProvider } from '../ui/confirm.tsx';
import { Toasts } from '../ui/toasts.tsx';
import type { Parts } from './parts.ts';

/** The nonce that this reply's Content-Security-Policy names. */
const NONCE = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';

/** Where the library looks that keeps the page from scrolling behind a dialog (react-style-singleton, get-nonce). */
Reflect.set(globalThis, '__webpack_nonce__', NONCE);

type AppProps = {
  readonly parts: Parts;
  readonly firstLanguage: Language;
  readonly firstTexts: Texts;
};

export function App({ parts: { queryClient, router }, firstLanguage, firstTexts }: AppProps) {
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
