import http, { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isMessageField } from '../lib/sent-fields.ts';
import { createLookup, type ResolveName } from './address-guard.ts';
import { createCertificatePools } from './certificate-pools.ts';
import type { ClientCertificate } from './client-certificate.ts';
import { decodeBody, LOST_BODY } from './content-coding.ts';
import { GuardedHttpAgent, GuardedHttpsAgent } from './guarded-agents.ts';
import { createHandshakeFailures, type HandshakeFailures } from './handshake-failures.ts';
import {
  createLateResponses,
  type LateExchange,
  type LateResponse,
  type LateResponses,
} from './late-responses.ts';
import { classifyFailure, type FailureKind, parseFailureCode, readFailureCode } from './outbound-failures.ts';
import { createResolver } from './resolver.ts';

const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 64 * 1024;
/** Each may hold a connection and `responseBytesMax`. */
const LATE_ANSWERS_MAX = 2_000;

export type OutboundErrorKind =
  | 'invalid_url'
  | 'invalid_request'
  | 'refused_address'
  | 'network'
  | 'tls'
  /** The server refuses the client's certificate, or wants one; it has read nothing of the request. */
  | 'certificate_refused'
  /** No handshake can be made with the client's certificate and key. */
  | 'certificate_unusable'
  | 'timeout'
  | 'too_large'
  | 'aborted';

/** A call that brought no complete answer. Its message names the origin at most: paths and queries may hold secrets. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly kind: OutboundErrorKind;
  /** True when the first byte of the request was written, so that the server may have acted on it. */
  readonly mayHaveBeenProcessed: boolean;

  /**
   * What Node or the resolver calls it (ENOTFOUND, ECONNREFUSED, CERT_HAS_EXPIRED), or the alert of a server that refuses
   * the certificate (ALERT_CERTIFICATE_EXPIRED); left out where there is no name.
   */
  readonly code: string | undefined;

  constructor(kind: OutboundErrorKind, message: string, mayHaveBeenProcessed: boolean, code?: string) {
    super(message);
    this.kind = kind;
    this.mayHaveBeenProcessed = mayHaveBeenProcessed;
    this.code = code;
  }
}

export type OutboundRequest = {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** For the whole exchange, name resolution included. Default 10 s. */
  readonly timeoutMs?: number;
  /** Of the body as it comes, and decoded. Default 64 KiB. */
  readonly responseBytesMax?: number;
  /** Takes the beginning of an answer that is larger than that. Without it such an answer is a failure. */
  readonly isCutWhereTooLarge?: boolean;
  /** Takes what came of an answer that breaks off, or of one other than 2xx that does not end in time. */
  readonly isCutTaken?: boolean;
  readonly signal?: AbortSignal;
  /** Shown to the server where it asks for one (https only). */
  readonly clientCertificate?: ClientCertificate | undefined;
  /** Takes an answer that arrives after the time-out. Without it the connection ends then. */
  readonly lateAnswer?: LateResponse<OutboundResponse>;
};

export type OutboundResponse = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Without the content coding in which it came, which the headers still name. */
  readonly body: Buffer;
  /** Only the beginning of the body came, or was kept. */
  readonly isCut?: true;
};

export type Outbound = {
  /** One request, one whole answer. Redirects are answers like any other. Rejects with OutboundError only. */
  request(request: OutboundRequest): Promise<OutboundResponse>;
};

type OutboundOptions = {
  /** Lets calls go over http and to loopback and private addresses. For development. */
  readonly allowPrivateNetworks: boolean;
  /** One for the whole process, so that names are asked for once. Default: a resolver of its own. */
  readonly resolveName?: ResolveName;
  /** How many exchanges may stay open after their time-out. */
  readonly lateAnswersMax?: number;
  /** Further certificate authorities, in PEM. Node's own list stays in force when left out. */
  readonly ca?: string | readonly string[];
};

/**
 * Calls to addresses that others chose (token endpoints, destinations, key sets), each bounded in time and size, to
 * public addresses only. By Node's client, which tolerates more than undici does: decision 0013. Connections are not
 * kept: a request on a connection that the server is closing would leave open whether a one-use token has been spent.
 * `stop` gives up the exchanges that wait for a late answer.
 */
export function createOutbound(options: OutboundOptions): Outbound & { stop(): Promise<void> } {
  const { allowPrivateNetworks } = options;
  const lookup = createLookup(options.resolveName ?? createResolver(), allowPrivateNetworks);
  const connections = { keepAlive: false, lookup };
  const openAgent = (failures: HandshakeFailures, tls: https.AgentOptions) =>
    new GuardedHttpsAgent({ ...connections, ...tls }, allowPrivateNetworks, failures);
  const secure = openAgent(createHandshakeFailures(Date.now), options.ca ? { ca: [options.ca].flat() } : {});
  // An agent resumes TLS sessions, which a server knows by their certificate.
  const certified = createCertificatePools({
    open: (secureContext, failures) => openAgent(failures, { secureContext }),
    release: (agent) => agent.release(),
    destroy: (agent) => agent.destroy(),
    ca: options.ca,
    now: Date.now,
  });
  const plain = new GuardedHttpAgent(connections, allowPrivateNetworks);
  const clientFor = ({ protocol }: URL, certificate: ClientCertificate | undefined): Client => {
    if (protocol !== 'https:') return { request: http.request, agent: plain };
    const agent = certificate === undefined ? secure : certified.find(certificate);
    return { request: https.request, agent };
  };
  const lateAnswers = createLateResponses<OutboundResponse>(options.lateAnswersMax ?? LATE_ANSWERS_MAX);

  return {
    async request(request) {
      const url = URL.parse(request.url);
      if (url === null || !isAllowed(url, allowPrivateNetworks))
        throw new OutboundError('invalid_url', 'not an https address without user and password', false);
      // Whatever brought the field: with it, the server would read other messages than the client has written.
      if (Object.keys(request.headers ?? {}).some(isMessageField))
        throw new OutboundError('invalid_request', 'a header field that the client sets was given', false);
      return new Exchange(url, request, findClient(url, request), lateAnswers).answer;
    },
    async stop() {
      await lateAnswers.stop();
      certified.destroy();
    },
  };

  function findClient(url: URL, { clientCertificate }: OutboundRequest): Client {
    try {
      return clientFor(url, clientCertificate);
    } catch {
      const reason = 'the client certificate and its key cannot be used';
      throw new OutboundError('certificate_unusable', `${url.origin}: ${reason}`, false);
    }
  }
}

type Client = { readonly request: typeof http.request; readonly agent: http.Agent };

function isAllowed(url: URL, allowPrivateNetworks: boolean): boolean {
  const isWeb = url.protocol === 'https:' || (allowPrivateNetworks && url.protocol === 'http:');
  return isWeb && url.username === '' && url.password === '';
}

/** One request on a connection of its own, until its answer is complete, given up, or has come too late. */
class Exchange {
  readonly answer: Promise<OutboundResponse>;
  readonly #resolve: (response: OutboundResponse) => void;
  readonly #reject: (error: OutboundError) => void;
  readonly #origin: string;
  readonly #request: OutboundRequest;
  readonly #lateAnswers: LateResponses<OutboundResponse>;
  readonly #message: ClientRequest;
  readonly #timer: NodeJS.Timeout;
  #isSent = false;
  #isSettled = false;
  #late: LateExchange<OutboundResponse> | undefined;
  #succeedUnended: (() => void) | undefined;

  constructor(
    url: URL,
    request: OutboundRequest,
    { request: open, agent }: Client,
    lateAnswers: LateResponses<OutboundResponse>,
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<OutboundResponse>();
    this.answer = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#origin = url.origin;
    this.#request = request;
    this.#lateAnswers = lateAnswers;
    const headers = buildHeaders(request);
    try {
      this.#message = open(url, { agent, method: request.method ?? 'GET', headers });
    } catch {
      // Node quotes the value of a header that no message can carry.
      throw new OutboundError('invalid_request', `${url.origin}: a header cannot be sent`, false);
    }
    this.#timer = setTimeout(this.#onTimeout, request.timeoutMs ?? TIMEOUT_MS);
    this.#listen(url.protocol === 'https:' ? 'secureConnect' : 'connect');
    request.signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (request.signal?.aborted) this.#onAbort();
    else this.#message.end(request.body);
  }

  #listen(connected: 'secureConnect' | 'connect'): void {
    const message = this.#message;
    message.on('socket', (socket) => {
      // Node writes what has been waiting for the connection in answer to the same event.
      socket.once(connected, () => {
        this.#isSent = true;
      });
    });
    message.on('error', (error) => this.#fail(classifyFailure(error), readFailureCode(error)));
    message.on('upgrade', (_response, socket) => {
      socket.destroy();
      this.#fail('network', 'an upgrade that was not asked for');
    });
    message.on('response', (response) => this.#collect(response));
  }

  #collect(response: IncomingMessage): void {
    const bytesMax = this.#request.responseBytesMax ?? RESPONSE_BYTES_MAX;
    const chunks: Buffer[] = [];
    let bytes = 0;
    const { statusCode: status = 0, headers } = response;
    const failTooLarge = () => this.#fail('too_large', `the answer is larger than ${bytesMax} bytes`);
    const finish = (isCut?: true) => {
      const coded = { body: Buffer.concat(chunks), ...(isCut && { isCut }) };
      const decoded = decodeBody(headers, coded, bytesMax);
      if (decoded !== 'too_large') this.#succeed({ status, headers, ...decoded });
      else if (this.#request.isCutWhereTooLarge) this.#succeed({ status, headers, ...LOST_BODY });
      else failTooLarge();
    };
    const finishCut = () => {
      finish(true);
      this.#message.destroy();
    };
    if (this.#request.isCutTaken && (status < 200 || status > 299)) this.#succeedUnended = finishCut;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) chunks.push(chunk);
      else if (this.#request.isCutWhereTooLarge) finishCut();
      else failTooLarge();
    });
    response.on('end', () => finish());
    response.on('error', (error) => {
      if (this.#request.isCutTaken) finishCut();
      else this.#fail('network', readFailureCode(error));
    });
  }

  #succeed(response: OutboundResponse): void {
    this.#late?.answer(response);
    if (this.#settle()) this.#resolve(response);
  }

  #fail(kind: FailureKind, reason: string): void {
    if (kind === 'certificate_refused') this.#late?.lose('tls');
    else if (kind !== 'aborted' && kind !== 'refused_address') this.#late?.lose(kind);
    if (!this.#settle()) return;
    // A server judges the certificate before it reads a request, which TLS 1.3 lets go out meanwhile.
    const mayHaveBeenProcessed = this.#isSent && kind !== 'certificate_refused';
    this.#reject(
      new OutboundError(kind, `${this.#origin}: ${reason}`, mayHaveBeenProcessed, parseFailureCode(reason)),
    );
    this.#message.destroy();
  }

  readonly #onTimeout = (): void => {
    this.#succeedUnended?.();
    if (!this.#settle()) return;
    const reason = `no complete answer within ${this.#request.timeoutMs ?? TIMEOUT_MS} ms`;
    this.#reject(new OutboundError('timeout', `${this.#origin}: ${reason}`, this.#isSent));
    const close = () => this.#message.destroy();
    const { lateAnswer } = this.#request;
    if (lateAnswer === undefined || !this.#isSent) close();
    else this.#late = this.#lateAnswers.keepOpen(lateAnswer, close);
  };

  readonly #onAbort = (): void => this.#fail('aborted', 'the caller gave up');

  /** False when the promise has been settled before. */
  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}

function buildHeaders({ headers, body }: OutboundRequest): Record<string, string> {
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  // Decoding costs more than the bytes that it would save: most answers have a few hundred.
  return { 'Accept-Encoding': 'identity', 'User-Agent': 'integration-gateway', ...headers, ...length };
}
