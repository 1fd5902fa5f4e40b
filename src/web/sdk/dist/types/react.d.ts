export { Connections, type ConnectionsProps } from './connections-list.js';
export type { ConnectionsTexts } from './connections-texts.js';
export { ConnectButton, type ConnectButtonProps, GatewayProvider, type Integrations, useConnections, useGateway, useIntegrations, } from './react-parts.js';
