'use client';

import { createGateway, type Gateway } from '@integration-gateway/sdk';
import { ConnectButton, GatewayProvider, useConnections, useGateway } from '@integration-gateway/sdk/react';
import { type FormEvent, useCallback, useEffect, useState } from 'react';

type Settings = { gatewayUrl: string; projectId: string; provider: string };
type Contact = { id: string; properties: { email: string } };
type Received = { id: string; type: string; object: { id: string } | null };

const CONTACTS = '/crm/v3/objects/contacts';

export function Account({ gatewayUrl, projectId, provider }: Settings) {
  const [gateway, setGateway] = useState<Gateway>();
  // In the browser alone, once.
  useEffect(() => {
    const token = async () => (await fetch('/token', { method: 'POST' })).text();
    setGateway(createGateway({ url: gatewayUrl, projectId, token, returnUrl: `${location.origin}/` }));
  }, [gatewayUrl, projectId]);
  return (
    <>
      <h1>Contacts</h1>
      {gateway === undefined ? (
        <p role="status">Looking …</p>
      ) : (
        <GatewayProvider gateway={gateway}>
          <Connected provider={provider} />
        </GatewayProvider>
      )}
      <Events />
    </>
  );
}

function Connected({ provider }: { provider: string }) {
  const gateway = useGateway();
  const { connections, isLoading, error } = useConnections();
  const connection = connections.find(({ serviceProvider }) => serviceProvider === provider);
  if (error) return <p role="status">{error.message}</p>;
  if (isLoading && connection === undefined) return <p role="status">Looking …</p>;
  if (connection === undefined) {
    return (
      <>
        <p role="status">Not connected</p>
        <ConnectButton provider={provider}>Connect</ConnectButton>
      </>
    );
  }
  return (
    <>
      <p role="status">Connected to {connection.accountName}</p>
      <button type="button" onClick={() => gateway.disconnect(connection.id)}>
        Disconnect
      </button>
      <Contacts provider={provider} />
    </>
  );
}

function Contacts({ provider }: { provider: string }) {
  const gateway = useGateway();
  const [contacts, setContacts] = useState<Contact[]>([]);
  const [fault, setFault] = useState('');

  /** The provider's own API; the gateway adds the credential. */
  const call = useCallback(
    async (path: string, init?: RequestInit) => {
      const response = await gateway.fetch(provider, path, init);
      if (!response.ok) throw new Error(`The CRM answered ${response.status}`);
      return response.json();
    },
    [gateway, provider],
  );
  const show = useCallback(
    () =>
      call(`${CONTACTS}?limit=10&properties=email`).then(
        ({ results }) => setContacts(results),
        (error) => setFault(error.message),
      ),
    [call],
  );
  useEffect(() => {
    show();
  }, [show]);

  async function create(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const properties = Object.fromEntries(new FormData(form));
    const headers = { 'content-type': 'application/json' };
    try {
      await call(CONTACTS, { method: 'POST', headers, body: JSON.stringify({ properties }) });
      form.reset();
      await show();
    } catch (error) {
      setFault(String(error));
    }
  }

  return (
    <>
      <p role="alert">{fault}</p>
      <form onSubmit={create}>
        <label>
          E-mail <input name="email" type="email" required />
        </label>
        <button>Create contact</button>
      </form>
      <ul aria-label="Contacts">
        {contacts.map(({ id, properties }) => (
          <li key={id}>{properties.email}</li>
        ))}
      </ul>
    </>
  );
}

/** What the gateway has sent to this application for the user. */
function Events() {
  const [events, setEvents] = useState<Received[]>([]);
  useEffect(() => {
    const show = async () => setEvents(await (await fetch('/received')).json());
    show();
    const timer = setInterval(show, 2000);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <h2>Events</h2>
      <ul aria-label="Events">
        {events.map(({ id, type, object }) => (
          <li key={id}>
            {type} {object?.id}
          </li>
        ))}
      </ul>
    </>
  );
}
