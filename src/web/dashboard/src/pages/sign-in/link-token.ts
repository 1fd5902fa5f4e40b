import { useState } from 'react';

/**
 * The one-time token of the page's fragment, which no server sees. Once read it is gone from the address and so from the
 * history, and a reload asks for the link again. Empty where the link has none.
 */
export function useLinkToken(): string {
  const [token] = useState(() => {
    const { hash, pathname, search } = window.location;
    if (hash.length <= 1) return '';
    history.replaceState(history.state, '', pathname + search);
    return decodeURIComponent(hash.slice(1));
  });
  return token;
}
