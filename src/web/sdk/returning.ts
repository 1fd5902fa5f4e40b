/** What the gateway hands back in the fragment of the return URL. */
export type Return = {
  readonly sessionId: string;
  readonly completionCode: string | null;
  readonly error: string | null;
};

const STATE_KEY = 'integrationGateway';

/**
 * What this page was opened with, if it is the return URL of an authorization. Takes it out of the address at once, and
 * keeps it in the history entry's state, which only this tab has, so that a reload in the middle loses nothing.
 */
export function takeReturn(): Return | undefined {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const sessionId = parameters.get('connect_session');
  if (sessionId === null) return history.state?.[STATE_KEY];
  const found = {
    sessionId,
    completionCode: parameters.get('completion_code'),
    error: parameters.get('error'),
  };
  const state = { ...history.state, [STATE_KEY]: found };
  history.replaceState(state, '', location.pathname + location.search);
  return found;
}

/** Nothing is to be done again after a reload. */
export function forgetReturn(): void {
  const { [STATE_KEY]: _done, ...state } = history.state ?? {};
  history.replaceState(Object.keys(state).length > 0 ? state : null, '');
}

const POPUP_KEY = 'integration-gateway:popup';

/** Keeps the session of this tab's popup, for the case that this page is reloaded while its user is in there. */
export function rememberPopup(sessionId: string): void {
  withSessionStorage((storage) => storage.setItem(POPUP_KEY, sessionId));
}

export function forgetPopup(): void {
  withSessionStorage((storage) => storage.removeItem(POPUP_KEY));
}

/** The session of a popup that this page had opened before it was reloaded. */
export function rememberedPopup(): string | undefined {
  return withSessionStorage((storage) => storage.getItem(POPUP_KEY)) ?? undefined;
}

/** Undefined in a browser that is set to keep nothing for this site. */
function withSessionStorage<Result>(access: (storage: Storage) => Result): Result | undefined {
  try {
    return access(sessionStorage);
  } catch {
    return undefined;
  }
}
