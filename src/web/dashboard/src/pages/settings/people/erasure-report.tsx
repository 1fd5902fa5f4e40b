import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import { useLanguage, useTexts } from '../../../texts/texts.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { IdChip } from '../../../ui/id-chip.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Facts } from '../../../ui/page.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import { Time } from '../../../ui/time.tsx';

type Report = Schema<'UserErasure'>;

const LOOK_EVERY_MS = 1_000;

/** What became of a user's data, read again until it is done. */
export function ErasureReport({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { erasures: texts } = useTexts().settings;
  const projectId = useProjectId();
  const report = useQuery({
    ...apiQuery('/projects/{projectId}/user-erasures/{id}', { path: { projectId, id } }),
    refetchInterval: ({ state }) => (state.data?.state === 'done' ? false : LOOK_EVERY_MS),
  });
  return (
    <Dialog title={texts.reportTitle} size="lg" onClose={onClose}>
      <Loaded query={report}>{(found) => <ReportBody report={found} />}</Loaded>
    </Dialog>
  );
}

function ReportBody({ report }: { readonly report: Report }) {
  const { erasures: texts } = useTexts().settings;
  const { language } = useLanguage();
  const { format } = new Intl.NumberFormat(language);
  const { erased } = report;
  const rows = [
    [texts.connections, erased.connections],
    [texts.events, erased.events],
    [texts.deliveries, erased.deliveries],
    [texts.webhooks, erased.webhookReceipts],
    [texts.calls, erased.calls],
    [texts.activity, erased.activityEntries],
    [texts.revoked, report.revoked],
  ] as const;
  return (
    <>
      <p aria-live="polite">
        <ErasureState report={report} />
      </p>
      <Facts
        facts={[
          ...rows.map(([label, count = 0]) => [label, format(count)] as const),
          [texts.pseudonym, <IdChip key="pseudonym" id={report.pseudonym} />],
        ]}
      />
      {report.unrevoked.length > 0 && <Unrevoked report={report} />}
    </>
  );
}

function Unrevoked({ report }: { readonly report: Report }) {
  const { erasures: texts } = useTexts().settings;
  return (
    <>
      <h3>{texts.unrevokedTitle}</h3>
      <ul>
        {report.unrevoked.map(({ integrationId, serviceProvider, reason, errorCode, grants, triedUntil }) => (
          <li key={`${integrationId} ${reason} ${errorCode}`}>
            <strong>{serviceProvider}</strong> ({texts.grants(grants)}): {texts.reasons[reason]}
            {errorCode !== null && <code> {errorCode}</code>}
            {triedUntil !== null && (
              <>
                {' '}
                {texts.triedUntil} <Time at={triedUntil} />
              </>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

export function ErasureState({ report }: { readonly report: Pick<Report, 'state' | 'unrevoked'> }) {
  const { erasures: texts } = useTexts().settings;
  if (report.state === 'running') return <StateBadge tone="info">{texts.running}</StateBadge>;
  if (report.unrevoked.length > 0) return <StateBadge tone="warning">{texts.doneButUnrevoked}</StateBadge>;
  return <StateBadge tone="good">{texts.done}</StateBadge>;
}
