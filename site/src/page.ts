/** What pages do in the browser beyond Starlight: the reader's own gateway in addresses, and the filter of providers. */

const WRITTEN_ORIGIN = 'https://gateway.example.com';

/** Pages are served by the gateway that they describe, so that its own address can stand where one has to be copied. */
function fillInOrigin(): void {
  if (!location.pathname.startsWith('/docs/providers/')) return;
  for (const code of document.querySelectorAll('main code')) {
    const text = code.textContent ?? '';
    if (code.children.length === 0 && text.startsWith(WRITTEN_ORIGIN))
      code.textContent = location.origin + text.slice(WRITTEN_ORIGIN.length);
  }
}

/** A table that scrolls has to be reachable by the keyboard. */
function focusWideTables(): void {
  for (const table of document.querySelectorAll<HTMLElement>('.sl-markdown-content table'))
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
}

class ProviderFilter extends HTMLElement {
  connectedCallback(): void {
    const label = document.createElement('label');
    label.textContent = 'Find a provider';
    const input = document.createElement('input');
    input.type = 'search';
    input.autocomplete = 'off';
    const count = document.createElement('p');
    count.setAttribute('role', 'status');
    label.append(input);
    this.append(label, count);
    input.addEventListener('input', () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const list of document.querySelectorAll<HTMLElement>('.provider-list')) {
        const heading = list.previousElementSibling;
        const category = heading?.textContent?.toLowerCase() ?? '';
        let inList = 0;
        for (const item of list.querySelectorAll<HTMLElement>('li')) {
          const text = `${item.textContent?.toLowerCase()} ${category}`;
          item.hidden = !words.every((word) => text.includes(word));
          if (!item.hidden) inList += 1;
        }
        list.hidden = inList === 0;
        if (heading instanceof HTMLElement) heading.hidden = inList === 0;
        shown += inList;
      }
      count.textContent = words.length === 0 ? '' : `${shown} found`;
    });
  }
}

fillInOrigin();
focusWideTables();
customElements.define('provider-filter', ProviderFilter);
