import type { ServerResponse } from 'node:http';
import type { rateLimitHeaders } from '../http/rate-limits.ts';
import type { RequestContext } from '../http/request-context.ts';

/** The reply to a call of the usual form. Its fields go out in one piece: setting each by itself costs Node far more. */
export class QuickReply {
  readonly #response: ServerResponse;
  readonly #context: RequestContext;
  readonly #fields: string[];

  constructor(response: ServerResponse, context: RequestContext) {
    this.#response = response;
    this.#context = context;
    this.#fields = [
      ...['Gateway-Request-Id', context.requestId],
      ...['Vary', 'Origin', 'X-Content-Type-Options', 'nosniff'],
    ];
  }

  get requestId(): string {
    return this.#context.requestId;
  }

  addLimit(headers: ReturnType<typeof rateLimitHeaders>): void {
    this.#fields.push('RateLimit-Policy', headers['RateLimit-Policy'], 'RateLimit', headers.RateLimit);
  }

  /** For a reply that other code sends. */
  setFields(): void {
    if (this.#response.headersSent) return;
    for (let index = 0; index + 1 < this.#fields.length; index += 2)
      this.#response.setHeader(this.#fields[index] ?? '', this.#fields[index + 1] ?? '');
  }

  /** `bytes`: what the text takes in UTF-8. */
  send({ json, bytes }: { readonly json: string; readonly bytes: number }): void {
    this.#context.replyBytes = bytes;
    this.#fields.push('Content-Type', 'application/json', 'Cache-Control', 'no-store');
    this.#fields.push('Content-Length', String(bytes));
    this.#response.writeHead(200, this.#fields);
    // In ASCII, where both codings are the same, Latin-1 is copied as it is.
    this.#response.end(json, bytes === json.length ? 'latin1' : 'utf8');
  }
}
