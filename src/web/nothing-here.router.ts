import type { Request, RequestHandler } from 'express';
import { HttpError } from '../http/errors.ts';
import { explainAddress } from '../http/explain-address.ts';
import { html, sendPage } from '../http/html.ts';
import { getRequestContext } from '../http/request-context.ts';

/** What programs ask for: a page would hide the problem from them, whatever they accept. */
const OF_PROGRAMS = /^\/(v1|webhooks|projects|assets|sdk|logos|\.well-known)(\/|$)/;

const TEXTS = {
  en: {
    title: 'There is no page here',
    text: 'The address may be mistyped, or a link may be out of date.',
    link: 'To the dashboard',
  },
  de: {
    title: 'Hier ist keine Seite',
    text: 'Vielleicht ist die Adresse falsch geschrieben oder ein Link veraltet.',
    link: 'Zum Dashboard',
  },
  es: {
    title: 'Aquí no hay ninguna página',
    text: 'Puede que la dirección esté mal escrita o que un enlace haya caducado.',
    link: 'Al panel',
  },
} as const;

/** Answers an address at which nothing is: a person in a browser with a page, everything else with the problem. */
export function createNothingHere({ publicUrl }: { readonly publicUrl: string }): RequestHandler {
  return (request, response) => {
    const { detail } = explainAddress(request.path);
    if (!isOfBrowser(request)) throw new HttpError('not_found', detail === undefined ? {} : { detail });
    getRequestContext(response).errorCode = 'not_found';
    const language = request.acceptsLanguages(['en', 'de', 'es']);
    const lang = language === 'de' || language === 'es' ? language : 'en';
    const { title, text, link } = TEXTS[lang];
    response.vary('Accept').vary('Accept-Language');
    sendPage(response, {
      status: 404,
      title,
      lang,
      body: () => html`<h1>${title}</h1>
<p class="lead">${text}</p>
${detail !== undefined && html`<p lang="en">${detail}</p>`}
<p><a href="${publicUrl}/">${link}</a></p>`,
    });
  };
}

function isOfBrowser(request: Request): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return isRead && !OF_PROGRAMS.test(request.path) && request.accepts(['json', 'html']) === 'html';
}
