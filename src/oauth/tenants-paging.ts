import type { TenantsFile } from '../catalog/schema/provider-tenants.schema.ts';
import { readPath, toFilledText } from '../lib/json-path.ts';
import { findNextLink } from '../lib/link-header.ts';
import type { OutboundResponse } from '../platform/outbound.ts';

/** A page of the list: where it stands, how many came before it, and of `offset` how many elements these had. */
export type TenantsPage = { readonly number: number; readonly url: string; readonly listed?: number };

type PageAnswer = {
  readonly answer: OutboundResponse;
  readonly body: unknown;
  /** Elements of the page. */
  readonly count: number;
  /** It had tenants that no page before it had. */
  readonly hasNew: boolean;
};

/**
 * The page after this one; undefined where it was the last. A page that the provider itself addresses has to be of the
 * same origin as the first: any other must not see the credential.
 */
export function nextTenantsPage(
  { paging }: TenantsFile,
  page: TenantsPage,
  { answer, body, count, hasNew }: PageAnswer,
): TenantsPage | undefined {
  const after = (url: string, listed?: number): TenantsPage => ({
    number: page.number + 1,
    url,
    ...(listed !== undefined && { listed }),
  });
  const linked = (link: string | undefined): TenantsPage | undefined => {
    const url = link === undefined ? null : URL.parse(link, page.url);
    const isOwn =
      url !== null && url.origin === new URL(page.url).origin && url.username + url.password === '';
    return isOwn && url.href !== page.url ? after(url.href) : undefined;
  };
  switch (paging.by) {
    case 'none':
      return undefined;
    case 'link':
      return linked(toFilledText(readPath(body, paging.path)));
    case 'link-header':
      return linked(findNextLink(answer.headers.link) ?? undefined);
    case 'token': {
      const token = toFilledText(readPath(body, paging.path));
      return token === undefined || !hasNew
        ? undefined
        : after(withParameter(page.url, paging.parameter, token));
    }
    case 'page': {
      const next = String(paging.first + page.number + 1);
      return hasNew ? after(withParameter(page.url, paging.parameter, next)) : undefined;
    }
    case 'offset': {
      const listed = (page.listed ?? 0) + count;
      return hasNew ? after(withParameter(page.url, paging.parameter, String(listed)), listed) : undefined;
    }
  }
}

function withParameter(address: string, name: string, value: string): string {
  const url = new URL(address);
  url.searchParams.set(name, value);
  return url.href;
}
