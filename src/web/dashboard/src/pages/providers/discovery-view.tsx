import type { Schema } from '../../api/schemas.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Facts } from '../../ui/page.tsx';
import styles from './providers.module.css';

/** What an MCP server said when the gateway asked it for its authorization server. */
export function DiscoveryView({ discovery }: { discovery: Schema<'ProviderDiscovery'> }) {
  const { integrations } = useTexts();
  const { customProviders: texts } = integrations;
  const { steps, fault, issuer, scopes, clientBy } = discovery;
  const { detail } = integrations;
  return (
    <div>
      <h3>{texts.discovery}</h3>
      {fault !== null && (
        <Notice tone="warning" title={texts.notDiscovered}>
          {fault}
        </Notice>
      )}
      {issuer !== null && (
        <Facts
          facts={[
            [detail.authorizationServer, <code key="issuer">{issuer}</code>],
            ...(clientBy === null ? [] : [[detail.clientFrom, detail.clientBy[clientBy]] as const]),
            ...(scopes.length === 0 ? [] : [[integrations.setUp.scopes, scopes.join(' ')] as const]),
          ]}
        />
      )}
      <div className={styles.request}>
        {steps.map(({ method, url, status, result }) => (
          <code key={`${method} ${url}`} className={styles.line}>
            <strong>{method}</strong> {url} <span className="soft">{status ?? '–'}</span> {result}
          </code>
        ))}
      </div>
    </div>
  );
}
