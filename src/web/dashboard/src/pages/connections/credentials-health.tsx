import type { components } from '../../../../../../clients/node/src/api.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Facts, Section } from '../../ui/page.tsx';
import { StateBadge } from '../../ui/state-badge.tsx';
import { Time, useIsDue } from '../../ui/time.tsx';
import styles from './connections.module.css';

type Health = components['schemas']['ConnectionHealth'];

/** What is known of the credential, never its value. */
export function CredentialsHealth({ health }: { health: Health }) {
  const { health: texts } = useTexts().connections;
  const { common } = useTexts();
  const isRefreshed = health.kind !== null && health.kind !== 'api-key' && health.kind !== 'basic';
  return (
    <Section title={texts.title} lead={texts.note}>
      <Facts
        facts={[
          [texts.kind, health.kind === null ? common.unknown : texts.kinds[health.kind]],
          [texts.expires, health.expiresAt ? <Time key="e" at={health.expiresAt} /> : texts.noExpiry],
          ...(isRefreshed
            ? ([
                [texts.refreshed, <Time key="r" at={health.refreshedAt} />],
                [
                  texts.nextRefresh,
                  health.nextRefreshAt === null ? (
                    <span key="n" className="soft">
                      {texts.notRefreshed}
                    </span>
                  ) : (
                    <NextRefresh key="n" at={health.nextRefreshAt} />
                  ),
                ],
                [texts.lastAnswer, <LastAnswer key="l" answer={health.lastAnswer} />],
              ] as const)
            : []),
        ]}
      />
    </Section>
  );
}

/** A token that is due is refreshed by the next that needs it, however long that takes. */
function NextRefresh({ at }: { at: string }) {
  const { health: texts } = useTexts().connections;
  if (useIsDue(at)) return texts.refreshedByUse;
  return (
    <>
      <Time at={at} /> <span className="soft small">{texts.nextRefreshHint}</span>
    </>
  );
}

function LastAnswer({ answer }: { answer: Health['lastAnswer'] }) {
  const { health: texts } = useTexts().connections;
  if (answer === null) return <span className="soft">{texts.neverAsked}</span>;
  const { status, error, description, at } = answer;
  const words =
    status === null
      ? texts.noAnswer
      : error === null
        ? texts.answered(status)
        : texts.refused({ status, error });
  return (
    <>
      {words}, <Time at={at} />
      {description && <div className="soft small">“{description}”</div>}
    </>
  );
}

/** Scopes that were asked for against those that were granted. */
export function GrantedScopes({ scopes: { asked, granted } }: { scopes: Health['scopes'] }) {
  const { scopes: texts } = useTexts().connections;
  const all = [...new Set([...asked, ...(granted ?? [])])].sort();
  return (
    <Section title={texts.title} {...(granted === null && all.length > 0 && { lead: texts.notSaid })}>
      {all.length === 0 ? (
        <p className="soft">{texts.none}</p>
      ) : (
        <ul className={styles.scopes}>
          {all.map((scope) => (
            <li key={scope}>
              <code>{scope}</code>
              {granted !== null && (
                <ScopeState isAsked={asked.includes(scope)} isGranted={granted.includes(scope)} />
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function ScopeState({ isAsked, isGranted }: { isAsked: boolean; isGranted: boolean }) {
  const { scopes: texts } = useTexts().connections;
  if (!isGranted) return <StateBadge tone="warning">{texts.missing}</StateBadge>;
  if (!isAsked) return <StateBadge tone="neutral">{texts.extra}</StateBadge>;
  return <StateBadge tone="good">{texts.granted}</StateBadge>;
}
