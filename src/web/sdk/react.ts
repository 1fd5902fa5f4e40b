export { Connections, type ConnectionsProps } from './connections-list.ts';
export type { ConnectionsTexts } from './connections-texts.ts';
export {
  ConnectButton,
  type ConnectButtonProps,
  GatewayProvider,
  type Integrations,
  useConnections,
  useGateway,
  useIntegrations,
} from './react-parts.ts';
