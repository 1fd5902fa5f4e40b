import { logoPath } from '../../catalog/loading/logos.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { html, type SafeHtml } from '../../http/html.ts';

/** A provider's logo beside its name, which says all that there is to say: assistive technology skips it. */
export function renderLogo({ id }: Pick<Provider, 'id'>): SafeHtml {
  return html`<img class="logo" src="${logoPath(id)}" alt="" width="40" height="40">`;
}
