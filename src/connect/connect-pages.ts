import type { Response } from 'express';
import { html, type PageReply, sendPage } from '../http/html.ts';
import { getRequestContext } from '../http/request-context.ts';
import type { ReadClientIdentity } from './client-identity.ts';
import type { ConnectSession } from './connect-session.ts';
import { type Brand, brandBanner, brandStyle, findLogoOrigin } from './pages/brand.ts';
import { failurePage, type HandOver, type WayOn } from './pages/outcome-page.ts';
import type { Refusal } from './refusals.ts';
import { chooseLanguage, type FailureReason, isFailureReason, type Language } from './texts/language.ts';

/** What went wrong while an account was being connected, for log, metrics and activity. */
export type ConnectFailure = Omit<Refusal, 'ok'> & {
  /** As the page shows it. */
  readonly requestId: string;
  readonly session: ConnectSession | undefined;
  readonly provider: string | undefined;
};

/** Must not throw. */
export type NoteConnectFailure = (failure: ConnectFailure) => void;

export type EndedProvider = { readonly id: string; readonly name: string };

/** What all pages of one answer share: brand and language. */
export type Frame = { readonly language: Language; readonly brand: Brand | undefined };

type FramedPage = Omit<PageReply, 'lang' | 'dir' | 'banner' | 'imageOrigin' | 'head'>;

type FailedReply = {
  readonly status: number;
  readonly error: string;
  readonly reason?: FailureReason;
  readonly providerCode?: string;
  readonly operatorsWords?: string;
  readonly provider: string;
  readonly handOver?: HandOver;
  readonly wayOn?: WayOn | undefined;
};

export type ConnectPagesDependencies = {
  findBrand(projectId: string): Promise<Brand | undefined>;
  noteFailure: NoteConnectFailure;
  publicUrl: string;
  readClientIdentity: ReadClientIdentity;
};

/** Sends pages in the language of their user, with the brand of their project. */
export function createConnectPages(deps: ConnectPagesDependencies) {
  async function frameFor(response: Response, session?: ConnectSession): Promise<Frame> {
    const { query, headers, path } = response.req;
    // A provider's own `locale` in its answer says nothing of what the application wants.
    const isLink = path.startsWith('/connect/');
    const asked = isLink && typeof query.locale === 'string' ? query.locale : undefined;
    return {
      language: chooseLanguage([asked, session?.locale], headers['accept-language']),
      brand: session && (await deps.findBrand(session.projectId)),
    };
  }

  function send(response: Response, { language, brand }: Frame, page: FramedPage): void {
    sendPage(response, {
      ...page,
      title: brand === undefined ? page.title : `${page.title} – ${brand.name}`,
      lang: language.tag,
      dir: language.dir,
      ...(brand && { banner: brandBanner(brand), imageOrigin: findLogoOrigin(brand) }),
      head: (nonce) => html`${brand && brandStyle(brand, nonce)}`,
    });
  }

  /** Records the failure under the page's request id, and marks the answer with its code. */
  function note(
    response: Response,
    refusal: Omit<Refusal, 'ok'>,
    session: ConnectSession | undefined,
    provider?: EndedProvider,
  ): void {
    const { requestId } = getRequestContext(response);
    response.set('Gateway-Error', refusal.error);
    deps.noteFailure({ ...refusal, requestId, session, provider: provider?.id });
  }

  function sendFailure(response: Response, frame: Frame, reply: FailedReply): void {
    const { status, handOver, wayOn, ...failed } = reply;
    const { texts } = frame.language;
    const reason = failed.reason ?? chooseFailureReason(failed.error, failed.provider);
    const { requestId } = getRequestContext(response);
    send(response, frame, {
      status,
      title: `${texts.outcome.failedTitle}: ${texts.failures[reason].title}`,
      body: (nonce) => failurePage(texts, { ...failed, reason, requestId }, { handOver, wayOn }, nonce),
      formAction: wayOn?.again === undefined ? 'self' : 'any',
    });
  }

  return { frameFor, send, note, sendFailure };
}

/** The code as a reason; an unknown one gets the general explanation. */
export function chooseFailureReason(error: string, provider: string): FailureReason {
  if (isFailureReason(error)) return error;
  return provider === '' ? 'internal_error' : 'provider_error';
}
