import { createElement, type ReactElement, useCallback, useState } from 'react';
import type { AgentConsent, Connection, ConnectionFilter } from './connect.ts';
import { type ConnectionsTexts, findConnectionsTexts } from './connections-texts.ts';
import {
  ConnectButton,
  type ConnectionsState,
  toError,
  useConnections,
  useGateway,
  useLoaded,
} from './react-parts.ts';

/** What `useConnections` gives. */
export type Connections = ConnectionsState;

export type ConnectionsProps = {
  /** Which ones; all that the user has or may use where left out. */
  readonly filter?: ConnectionFilter;
  /** BCP 47 tag of the language, of which the gateway's pages have English, German and Spanish; the browser's by default. */
  readonly locale?: string;
  /** Words in the place of these. */
  readonly texts?: Partial<ConnectionsTexts>;
  readonly className?: string;
  readonly onError?: (error: Error) => void;
};

type Shown = {
  readonly words: ConnectionsTexts;
  /** Does what a button asks for, and tells its failure. Fulfilled in any case. */
  readonly run: (act: () => Promise<void>) => Promise<void>;
  readonly onError: ConnectionsProps['onError'];
};

/**
 * The user's connections as a list without style: which account, whether it needs attention, last used, and buttons to connect
 * it again and to remove it, which asks first. Of an organization's connections as well; who may not change them is refused. Below it
 * what may use them: the application, and agents that the user has allowed, each with a button that withdraws it.
 */
export function Connections({ filter, locale, texts, className, onError }: ConnectionsProps): ReactElement {
  const words = { ...findConnectionsTexts(locale ?? globalThis.navigator?.language ?? 'en'), ...texts };
  const { connections, isLoading, error, refresh } = useConnections(filter);
  const [failure, setFailure] = useState<Error>();
  const run = (act: () => Promise<void>) => {
    setFailure(undefined);
    return act().catch((thrown: unknown) => {
      setFailure(toError(thrown));
      // It may be gone, by another tab or by the application.
      refresh();
      onError?.(toError(thrown));
    });
  };
  const shown = { words, run, onError };
  const items = connections.map((connection) =>
    createElement(Item, { key: connection.id, connection, ...shown }),
  );
  const problem = failure ?? error;
  return createElement(
    'div',
    { className },
    createElement('ul', { 'aria-busy': isLoading }, items),
    items.length === 0 && !isLoading && !problem ? createElement('p', null, words.empty) : null,
    createElement(Users, shown),
    createElement('span', { role: 'alert' }, problem && words.failed(problem)),
  );
}

/** Acts once, however often it is pressed until that is done. It stays enabled, so that it keeps the focus. */
function ActButton(props: { name: string; of: string; act: () => Promise<void> }): ReactElement {
  const { name, of, act } = props;
  const [isBusy, setBusy] = useState(false);
  const press = () => {
    if (isBusy) return;
    setBusy(true);
    act().finally(() => setBusy(false));
  };
  const state = { 'aria-busy': isBusy, 'aria-disabled': isBusy };
  return createElement(
    'button',
    { type: 'button', 'aria-label': `${name}: ${of}`, ...state, onClick: press },
    name,
  );
}

function Item({ connection, words, run, onError }: Shown & { connection: Connection }): ReactElement {
  const gateway = useGateway();
  const { id, status, accountName, accountId, serviceProvider, lastUsedAt } = connection;
  const name = accountName ?? accountId ?? serviceProvider;
  const remove = async () => {
    if (window.confirm(words.confirm(name))) await run(() => gateway.disconnect(id));
  };
  return createElement(
    'li',
    null,
    createElement('strong', { dir: 'auto' }, name),
    ' ',
    createElement('span', null, serviceProvider),
    ' ',
    createElement('small', null, words.lastUsed(lastUsedAt)),
    status === 'active' ? null : createElement('em', null, ` ${words.attention} `),
    createElement(
      ConnectButton,
      {
        connectionId: id,
        'aria-label': `${words.reconnect}: ${name}`,
        renderError: words.failed,
        ...(onError && { onError }),
      },
      words.reconnect,
    ),
    createElement(ActButton, { name: words.remove, of: name, act: remove }),
  );
}

/** What may use the connections. An agent says itself what it is called. */
function Users({ words, run }: Shown): ReactElement {
  const gateway = useGateway();
  const load = useCallback(() => gateway.agents().list(), [gateway]);
  const { items, isLoading, error, refresh } = useLoaded<AgentConsent>(load);
  const renderAgent = ({ id, client, access }: AgentConsent) => {
    const name = client.name ?? client.host ?? words.unnamed;
    const withdraw = () => run(() => gateway.agents().withdraw(id).then(refresh));
    return createElement(
      'li',
      { key: id },
      createElement('span', { dir: 'auto' }, words.agent(name, access)),
      ' ',
      createElement(ActButton, { name: words.withdraw, of: name, act: withdraw }),
    );
  };
  return createElement(
    'section',
    { 'aria-label': words.users },
    createElement('h3', null, words.users),
    createElement(
      'ul',
      { 'aria-busy': isLoading },
      createElement('li', null, words.application),
      items.map(renderAgent),
    ),
    createElement('span', { role: 'alert' }, error && words.failed(error)),
  );
}
