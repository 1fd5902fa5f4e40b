import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { escapeHtml } from '../lib/escape-html.ts';
import { PAGE_STYLE } from './page-style.ts';

/** Markup that is safe to send: made by `html`, or vouched for with `raw`. */
export class SafeHtml {
  readonly #markup: string;

  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

type HtmlValue = SafeHtml | string | number | false | null | undefined | readonly HtmlValue[];

/**
 * A template tag that escapes every value, in text and in quoted attributes. Arrays are joined; false, null and
 * undefined are nothing. Values are not safe in unquoted attributes, in scripts (see `jsonScript`) or as a URL
 * whose scheme the caller chose.
 */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): SafeHtml {
  return new SafeHtml(parts.map((part, index) => part + markupOf(values[index])).join(''));
}

/** Markup that is known to be safe, taken as it is. Never with anything that came from outside. */
export function raw(markup: string): SafeHtml {
  return new SafeHtml(markup);
}

function markupOf(value: HtmlValue): string {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof SafeHtml) return value.toString();
  if (typeof value === 'object') return value.map(markupOf).join('');
  return escapeHtml(String(value));
}

/** A JSON data block for a script to read by id; `<` is escaped, so that no value can end the element. */
export function jsonScript(id: string, value: unknown): SafeHtml {
  const json = JSON.stringify(value).replaceAll('<', '\\u003c');
  return html`<script type="application/json" id="${id}">${raw(json)}</script>`;
}

type PageOptions = {
  readonly title: string;
  readonly body: SafeHtml;
  readonly nonce: string;
  /** `card`: one task in the middle of the window; `wide`: something to read. */
  readonly layout?: 'card' | 'wide';
  /** Further elements of the head. */
  readonly head?: SafeHtml;
  /** Whose page it is, above the main part. */
  readonly banner?: SafeHtml;
  /** BCP 47 tag of the page's words; English where left out. */
  readonly lang?: string;
  readonly dir?: 'ltr' | 'rtl';
};

/** A whole document in the gateway's look: light and dark, from phone width up. */
export function renderPage(page: PageOptions): string {
  const { title, body, nonce, layout = 'card', head, banner, lang = 'en', dir = 'ltr' } = page;
  return html`<!doctype html>
<html lang="${lang}"${dir === 'rtl' && raw(' dir="rtl"')}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${raw(PAGE_STYLE)}</style>
${head}
</head>
<body class="${layout}">
<div class="panel">
${banner && html`<header class="banner">${banner}</header>`}
<main>
${body}
</main>
</div>
</body>
</html>
`.toString();
}

/** A fresh value for the nonce of one reply's Content-Security-Policy. */
function createNonce(): string {
  return randomBytes(16).toString('base64url');
}

/** What a page may do beyond showing itself. */
type PagePermissions = {
  /** `any` for a form whose answer redirects elsewhere: browsers hold the redirect to form-action too. */
  readonly formAction?: 'self' | 'any' | undefined;
  /** The one other origin that an image may come from, as browsers write it. */
  readonly imageOrigin?: string | undefined;
  /** For a page that the dashboard shows within its own: it may be framed by this origin, and runs no script. */
  readonly isFramed?: boolean | undefined;
};

/**
 * Header fields of a page: only its own scripts and styles run, no other site may frame it, and no Referer carries its
 * address. The opener is kept, since a connect page talks to the page that opened it (COOP would cut it off).
 */
function pageHeaders(nonce: string, permissions: PagePermissions = {}): Record<string, string> {
  const { formAction = 'self', imageOrigin, isFramed = false } = permissions;
  const policy = [
    "default-src 'none'",
    isFramed ? "script-src 'none'" : `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `img-src 'self' data:${imageOrigin === undefined ? '' : ` ${imageOrigin}`}`,
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    `frame-ancestors ${isFramed ? "'self'" : "'none'"}`,
    ...(formAction === 'self' ? ["form-action 'self'"] : []),
  ];
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Opener-Policy': 'unsafe-none',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': isFramed ? 'SAMEORIGIN' : 'DENY',
    'Cache-Control': 'no-store',
  };
}

/** A page before its nonce is made; what carries the nonce is a function of it. */
export type PageReply = Omit<PageOptions, 'nonce' | 'body' | 'head'> &
  PagePermissions & {
    readonly status: number;
    readonly body: (nonce: string) => SafeHtml;
    readonly head?: (nonce: string) => SafeHtml;
  };

/** Renders a page with its header fields; `body` and `head` get the nonce that their scripts and styles must carry. */
export function preparePage(page: Omit<PageReply, 'status'>): {
  readonly headers: Readonly<Record<string, string>>;
  readonly document: string;
} {
  const nonce = createNonce();
  const { formAction, imageOrigin, isFramed, body, head, ...options } = page;
  const document = renderPage({
    ...options,
    body: body(nonce),
    nonce,
    ...(head && { head: head(nonce) }),
  });
  return { headers: pageHeaders(nonce, { formAction, imageOrigin, isFramed }), document };
}

/** Renders and sends a page. */
export function sendPage(response: ServerResponse, { status, ...page }: PageReply): void {
  const { headers, document } = preparePage(page);
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // As problem replies have it; who refuses may have named another time.
  if (status === 503 && !response.hasHeader('Retry-After')) response.setHeader('Retry-After', '1');
  response.setHeader('Content-Length', Buffer.byteLength(document));
  response.end(document);
}
