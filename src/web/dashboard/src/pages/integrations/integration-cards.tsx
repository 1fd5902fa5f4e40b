import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { TextLink } from '../../ui/link.tsx';
import { ProviderLogo } from '../../ui/provider-mark.tsx';
import { StateBadge } from '../../ui/state-badge.tsx';
import styles from './integrations.module.css';
import { findLogo, type Row } from './row.ts';

/** Few integrations, a card each. */
export function IntegrationCards({ projectId, rows }: { projectId: string; rows: readonly Row[] }) {
  return (
    <ul className={styles.cards}>
      {rows.map((row) => (
        <li key={row.integration.id}>
          <IntegrationCard projectId={projectId} row={row} />
        </li>
      ))}
    </ul>
  );
}

function IntegrationCard({ projectId, row }: { projectId: string; row: Row }) {
  const { integrations: texts } = useTexts();
  const { language } = useLanguage();
  const { integration, provider, name, state } = row;
  const { connections = 0, callsDay = 0, errorsDay = 0 } = integration.numbers ?? {};
  const shown = (count: number) => count.toLocaleString(language);
  return (
    <TextLink
      className={styles.card}
      to="/p/$projectId/integrations/$integrationId"
      params={{ projectId, integrationId: integration.id }}
    >
      <span className="line">
        <ProviderLogo id={integration.serviceProvider} size={36} {...findLogo(integration, provider)} />
        <span className={styles.cardName}>
          <strong>{name}</strong>
          <span className="soft small mono">{integration.clientId ?? texts.list.ofUsers}</span>
        </span>
      </span>
      <span className={styles.cardState}>
        {state && <StateBadge tone={state.tone}>{state.words}</StateBadge>}
      </span>
      <span className={styles.cardNumbers}>
        <span>{texts.list.connectionCount({ count: connections, shown: shown(connections) })}</span>
        <span>
          {texts.list.callCount({ count: callsDay, shown: shown(callsDay) })}
          {errorsDay > 0 && <span className="bad"> {texts.list.errorsDay(shown(errorsDay))}</span>}
        </span>
      </span>
    </TextLink>
  );
}
