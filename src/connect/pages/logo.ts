import { html, type SafeHtml } from '../../http/html.ts';

/** A logo beside a name, which says all that there is to say: assistive technology skips it. Below the fold it waits. */
export function renderLogo(path: string): SafeHtml {
  return html`<img class="logo" src="${path}" alt="" width="40" height="40" loading="lazy">`;
}
