import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Brand, brandBanner, brandStyle, findLogoOrigin } from '../connect/pages/brand.ts';
import { chooseLanguage } from '../connect/texts/language.ts';
import type { HttpError } from '../http/errors.ts';
import { html, raw, sendPage } from '../http/html.ts';
import type { VerifiedUser } from '../identity/verification/user-rights.ts';
import type { Providers } from '../providers/custom-providers.ts';
import type { Interaction } from './authorization-server.ts';
import { describeClient } from './consent.ts';
import { CONSENT_STYLE, consentPage, wordsPage } from './pages/consent-page.ts';
import { describeMandate, listProviders } from './pages/describe-mandate.ts';
import { DE } from './texts/de.ts';
import { EN, type Texts } from './texts/en.ts';
import { ES } from './texts/es.ts';

const TEXTS: Readonly<Record<string, Texts>> = { en: EN, de: DE, es: ES };
const PROVIDERS_NAMED_MAX = 32;

export type PagesDependencies = {
  readonly providers: Pick<Providers, 'find'>;
  findBrand(projectId: string): Promise<Brand | undefined>;
};

/** The pages of signing in, in the language of the browser. */
export function createPages({ providers, findBrand }: PagesDependencies) {
  async function consent(
    request: IncomingMessage,
    response: ServerResponse,
    shown: {
      readonly interaction: Interaction;
      readonly user: VerifiedUser;
      readonly shownAs: string;
      readonly formToken: string;
      readonly action: string;
    },
  ): Promise<void> {
    const { interaction, user, shownAs, formToken, action } = shown;
    const { projectId, clientId, clientName, redirectUri } = interaction;
    const { texts, language } = wordsFor(request);
    const brand = await findBrand(projectId);
    const { host } = describeClient(clientId, clientName);
    const names = new Map<string, string>();
    for (const id of listProviders(user.mandate).slice(0, PROVIDERS_NAMED_MAX))
      names.set(id, (await providers.find(projectId, id, null))?.name ?? id);
    const asked = {
      ...{ clientName, clientHost: host, redirectUri, formToken, action },
      application: brand?.name ?? '',
      user: shownAs,
      sentences: describeMandate(texts, user.mandate, (id) => names.get(id) ?? id),
    };
    sendPage(response, {
      status: 200,
      lang: language.tag,
      dir: language.dir,
      title: texts.title(clientName ?? host ?? texts.unnamed),
      // The answer goes on to the client, wherever that is.
      formAction: 'any',
      ...(brand && { banner: brandBanner(brand), imageOrigin: findLogoOrigin(brand) }),
      head: (nonce) =>
        html`<style nonce="${nonce}">${raw(CONSENT_STYLE)}</style>${brand && brandStyle(brand, nonce)}`,
      body: (nonce) => consentPage(texts, asked, nonce),
    });
  }

  function words(
    request: IncomingMessage,
    response: ServerResponse,
    error: HttpError,
    requestId: string,
  ): void {
    const { texts, language } = wordsFor(request);
    const chosen = chooseWords(texts, error.code);
    sendPage(response, {
      status: error.status,
      lang: language.tag,
      dir: language.dir,
      title: chosen.title,
      body: () => wordsPage(texts, { ...chosen, code: error.code, requestId }),
    });
  }

  return { consent, words };
}

function wordsFor(request: IncomingMessage) {
  const language = chooseLanguage([], request.headers['accept-language']);
  return { texts: TEXTS[language.tag] ?? EN, language };
}

function chooseWords(texts: Texts, code: string) {
  if (code === 'agent_sign_in_unavailable') return texts.unavailable;
  if (code === 'agent_sign_in_provider_unavailable') return texts.providerAway;
  if (code === 'mandate_required') return texts.noLimits;
  if (PROVIDER_CODES.has(code)) return texts.providerFailed;
  return code === 'agent_sign_in_invalid' ? texts.invalid : texts.failed;
}

const PROVIDER_CODES = new Set([
  'agent_sign_in_client_refused',
  'agent_sign_in_provider_failed',
  'agent_sign_in_user_unknown',
]);
