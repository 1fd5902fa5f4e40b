import { templateValues } from '../../catalog/facts/template-values.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import type { Outbound, OutboundResponse } from '../../platform/outbound.ts';
import type { Credential } from '../../proxy/contract.ts';
import { signMessage } from '../../request-signing/own-message.ts';
import { type ApiAddress, type ApiRequest, buildApiMessage, type RequestLimits } from './api-message.ts';
import { isCallRefused } from './call-refusal.ts';

type Values = Readonly<Record<string, string>>;

/** Whose requests a client sends: where the API is, what signs and certifies them, and the credential they carry. */
export type ClientIdentity = {
  readonly provider: Provider;
  readonly api: ApiAddress;
  /** What the certificate is made of, for calls that templates outside of the API describe. */
  readonly certificateValues?: Values;
  /** The credential for the next request, refreshed where that is due. */
  credential(): Promise<Credential>;
  /** What follows a credential that the provider has refused; null: its answer stands. */
  credentialAfter(used: Credential): Promise<Credential | null>;
};

/**
 * Calls a provider for the gateway itself, beside the proxy. Calls reject with OutboundError, and with what getting the
 * credential rejects with: refusals of a refresh, or ClientTokenError.
 */
export type ProviderClient = {
  /** One request, and one more with the next credential where the provider refuses it. */
  call(request: ApiRequest, limits: RequestLimits): Promise<OutboundResponse>;
  /**
   * The same for an address that the provider gave (the next page). Undefined where it leads to another origin, which
   * must not see the credential.
   */
  follow(link: string, request: ApiRequest, limits: RequestLimits): Promise<OutboundResponse> | undefined;
  /**
   * The same for calls outside of the API: `ask` gets the values that fill the catalog's templates, the credential among
   * them, and once more with the next one where `isRefused` says that the provider refused it.
   */
  ask<Answer>(
    ask: (values: Values) => Promise<Answer>,
    isRefused: (answer: Answer) => boolean,
  ): Promise<Answer>;
  /** Gets what is at an address that the provider gave, wherever it is, without a credential. */
  fetchFile(url: string, limits: RequestLimits): Promise<OutboundResponse>;
};

export function createProviderClient(
  { outbound, now }: { readonly outbound: Outbound; now(): number },
  { provider, api, certificateValues, ...identity }: ClientIdentity,
): ProviderClient {
  async function attempt<Answer>(
    send: (credential: Credential) => Promise<Answer>,
    isRefused: (answer: Answer) => boolean,
  ): Promise<Answer> {
    const used = await identity.credential();
    const answer = await send(used);
    if (!isRefused(answer)) return answer;
    const next = await identity.credentialAfter(used);
    return next === null ? answer : send(next);
  }

  function send(request: ApiRequest, limits: RequestLimits, basePath: string): Promise<OutboundResponse> {
    return attempt(
      (credential) => {
        const { clientCertificate, signer } = api;
        const message = {
          ...buildApiMessage(request, { ...api, apiBase: { ...api.apiBase, basePath } }, credential),
          ...(clientCertificate && { clientCertificate }),
        };
        const { values } = credential;
        return outbound.request({ ...signMessage(signer, message, { values, nowMs: now() }), ...limits });
      },
      (response) => isCallRefused(provider, response),
    );
  }

  return {
    call: (request, limits) => send(request, limits, api.apiBase.basePath),
    follow(link, request, limits) {
      const url = resolveLink(link, api.apiBase.origin, request.path);
      return url && send({ ...request, path: url.pathname, query: url.search }, limits, '');
    },
    ask: (ask, isRefused) =>
      attempt(
        ({ values }) => ask(templateValues({ connection: values, gateway: certificateValues })),
        isRefused,
      ),
    fetchFile: (url, limits) => outbound.request({ url, headers: { Accept: 'application/json' }, ...limits }),
  };
}

/** Undefined where the link leads to another origin than the API's. */
function resolveLink(link: string, origin: string, path: string): URL | undefined {
  const url = URL.parse(link, `${origin}${path}`);
  const isOwn = url?.origin === origin && url.username === '' && url.password === '';
  return isOwn ? url : undefined;
}
