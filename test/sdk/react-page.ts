import { createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createGateway } from '../../src/web/sdk/connect.ts';
import {
  ConnectButton,
  Connections,
  GatewayProvider,
  useConnections,
  useIntegrations,
} from '../../src/web/sdk/react.ts';

declare const GATEWAY_URL: string;
declare const PROJECT_ID: string;

/** What an application in React makes of the SDK. */
function Accounts() {
  const { connections, isLoading, error } = useConnections();
  const { integrations } = useIntegrations();
  const [connected, setConnected] = useState('');
  return createElement(
    'main',
    null,
    ...integrations.map(({ id, name, serviceProvider }) =>
      createElement(
        ConnectButton,
        {
          key: id,
          provider: serviceProvider,
          className: 'own-style',
          onConnect: (connection) => setConnected(connection.accountName ?? ''),
        },
        `Connect ${name}`,
      ),
    ),
    createElement(
      'ul',
      { 'aria-busy': isLoading },
      connections.map(({ id, accountName }) => createElement('li', { key: id }, accountName)),
    ),
    createElement('output', null, connected, error?.message),
  );
}

/** What may be connected, and a button that asks again where that was not learned. */
function Offered() {
  const { integrations, error, refresh } = useIntegrations();
  return createElement(
    'main',
    null,
    integrations.map(({ id, name }) => createElement('p', { key: id }, name)),
    error && createElement('button', { type: 'button', onClick: refresh }, 'Try again'),
  );
}

/** Connections in one state, and a button for the other one. */
function OfOneState() {
  const [status, setStatus] = useState<'active' | 'reauthorization_required'>('active');
  const { connections, isLoading } = useConnections({ status });
  return createElement(
    'main',
    null,
    createElement(
      'button',
      { type: 'button', onClick: () => setStatus('reauthorization_required') },
      'Broken ones',
    ),
    createElement(
      'ul',
      { 'aria-busy': isLoading },
      connections.map(({ id, accountName }) => createElement('li', { key: id }, accountName)),
    ),
  );
}

const gateway = createGateway({
  url: GATEWAY_URL,
  projectId: PROJECT_ID,
  token: () => fetch('/token').then((response) => response.text()),
});
Object.assign(window, { gateway });
const root = document.getElementById('root');
if (root !== null) {
  const pages = {
    '#list': createElement(Connections, { className: 'own-list' }),
    '#offered': createElement(Offered),
    '#one-state': createElement(OfOneState),
  };
  const shown = pages[location.hash as keyof typeof pages] ?? createElement(Accounts);
  createRoot(root).render(createElement(GatewayProvider, { gateway }, shown));
}
