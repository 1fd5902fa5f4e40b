import {
  type ButtonHTMLAttributes,
  createContext,
  createElement,
  Fragment,
  type ReactElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import type { Connection, ConnectionFilter, ConnectOptions, Gateway, Integration } from './connect.ts';

const GatewayContext = createContext<Gateway | undefined>(undefined);

/** Gives the components below it the gateway that `createGateway` made. */
export function GatewayProvider(props: {
  readonly gateway: Gateway;
  readonly children?: ReactNode;
}): ReactElement {
  return createElement(GatewayContext.Provider, { value: props.gateway }, props.children);
}

/** The gateway of the nearest GatewayProvider. Throws where there is none. */
export function useGateway(): Gateway {
  const gateway = useContext(GatewayContext);
  if (gateway === undefined) throw new Error('There is no GatewayProvider above this component.');
  return gateway;
}

type Loaded<Item> = {
  readonly items: readonly Item[];
  readonly isLoading: boolean;
  readonly error: Error | undefined;
};

export type ConnectionsState = {
  /** Empty until they are loaded. */
  readonly connections: readonly Connection[];
  readonly isLoading: boolean;
  readonly error: Error | undefined;
  readonly refresh: () => void;
};

/** The user's connections, kept up to date when one comes, is authorized again or goes, in this tab or another. */
export function useConnections({
  serviceProvider,
  integrationId,
  status,
}: ConnectionFilter = {}): ConnectionsState {
  const gateway = useGateway();
  const load = useCallback(
    () =>
      gateway.connections({
        ...(serviceProvider && { serviceProvider }),
        ...(integrationId && { integrationId }),
        ...(status && { status }),
      }),
    [gateway, serviceProvider, integrationId, status],
  );
  const { items, refresh, ...state } = useLoaded(load);
  useEffect(() => gateway.subscribe(refresh), [gateway, refresh]);
  return { connections: items, refresh, ...state };
}

export type Integrations = {
  /** Empty until they are loaded. */
  readonly integrations: readonly Integration[];
  readonly isLoading: boolean;
  readonly error: Error | undefined;
  /** Asks again, such as after an error. */
  readonly refresh: () => void;
};

/** What the project offers to connect. */
export function useIntegrations(): Integrations {
  const gateway = useGateway();
  const { items, ...state } = useLoaded(useCallback(() => gateway.integrations(), [gateway]));
  return { integrations: items, ...state };
}

type Load<Item> = () => Promise<readonly Item[]>;
type Held<Item> = { readonly of: Load<Item>; readonly state: Loaded<Item> };

const NOTHING_LOADED: Loaded<never> = { items: [], isLoading: true, error: undefined };

/** What this very function has brought: the items of another filter, or of another user's gateway, are not its own. */
function stateOf<Item>(held: Held<Item> | undefined, load: Load<Item>): Loaded<Item> {
  return held?.of === load ? held.state : NOTHING_LOADED;
}

export function useLoaded<Item>(load: Load<Item>): Loaded<Item> & { refresh: () => void } {
  const [held, setHeld] = useState<Held<Item>>();
  // Of several loads under way only the newest counts.
  const newest = useRef(0);
  const refresh = useCallback(() => {
    newest.current += 1;
    const own = newest.current;
    const show = (change: Partial<Loaded<Item>>) => {
      if (own !== newest.current) return;
      setHeld((before) => ({ of: load, state: { ...stateOf(before, load), ...change } }));
    };
    show({ isLoading: true });
    load().then(
      (items) => show({ items, isLoading: false, error: undefined }),
      (thrown: unknown) => show({ isLoading: false, error: toError(thrown) }),
    );
  }, [load]);
  useEffect(() => {
    refresh();
    return () => {
      newest.current += 1;
    };
  }, [refresh]);
  return { ...stateOf(held, load), refresh };
}

export type ConnectButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'onError'> & {
  /** Without one the user chooses. */
  readonly provider?: string;
  /** Authorizes this connection again instead of making a new one. */
  readonly connectionId?: string;
  readonly options?: ConnectOptions;
  readonly onConnect?: (connection: Connection) => void;
  readonly onError?: (error: Error) => void;
  /** What to say about an error, for people; its message by default, null for nothing. */
  readonly renderError?: (error: Error) => ReactNode;
};

/** A plain button that connects an account, and after it a place where errors are announced. Without any style. */
export function ConnectButton(props: ConnectButtonProps): ReactElement {
  const { provider, connectionId, options, onConnect, onError, renderError, ...rest } = props;
  const { children = 'Connect', ...attributes } = rest;
  const gateway = useGateway();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const button = useRef<HTMLButtonElement>(null);
  const wasBusy = useRef(false);

  const connect = () => {
    setBusy(true);
    setError(undefined);
    const begun =
      connectionId === undefined
        ? gateway.connect(provider, options)
        : gateway.reauthorize(connectionId, options);
    begun
      .then(onConnect, (thrown: unknown) => {
        setError(toError(thrown));
        onError?.(toError(thrown));
      })
      .finally(() => setBusy(false));
  };

  useEffect(() => {
    // A button loses the focus while it is disabled: keyboard users would have to start over.
    if (wasBusy.current && !isBusy && document.activeElement === document.body) button.current?.focus();
    wasBusy.current = isBusy;
  }, [isBusy]);

  return createElement(
    Fragment,
    null,
    createElement(
      'button',
      {
        ...attributes,
        ref: button,
        type: 'button',
        'aria-busy': isBusy,
        disabled: isBusy || attributes.disabled === true,
        onClick: (event) => {
          attributes.onClick?.(event);
          if (!event.defaultPrevented) connect();
        },
      },
      children,
    ),
    createElement('span', { role: 'alert' }, error && (renderError ?? messageOf)(error)),
  );
}

function messageOf(error: Error): ReactNode {
  return error.message;
}

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
