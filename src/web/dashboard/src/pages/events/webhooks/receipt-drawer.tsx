import { useQuery } from '@tanstack/react-query';
import { isReplayable } from '../../../../../../webhooks/receipts/replayable.ts';
import { api, apiQuery } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useLanguage, useTexts } from '../../../texts/texts.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { IdChip } from '../../../ui/id-chip.tsx';
import { TextLink } from '../../../ui/link.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Facts } from '../../../ui/page.tsx';
import { DetailDrawer } from '../../../ui/side-drawer.tsx';
import { formatExact } from '../../../ui/time.tsx';
import { JsonView } from '../../calls/console/json-view.tsx';
import { AgainButton } from '../again-button.tsx';
import styles from '../events.module.css';
import { ReceiptState, useReceiptCause } from './receipt-parts.tsx';

type Receipt = Schema<'WebhookReceiptDetail'>;

/** One receipt: why it is in its state and what helps, and what came. */
export function ReceiptDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { events } = useTexts();
  const found = useQuery({
    ...apiQuery('/webhook-receipts/{id}', { path: { id } }),
    refetchInterval: ({ state }) =>
      state.data?.splitAt === null && state.data.state !== 'rejected' ? 2_000 : false,
  });
  return (
    <DetailDrawer query={found} title={events.webhooks.receipt} onClose={onClose}>
      {(receipt) => <ReceiptFacts receipt={receipt} />}
    </DetailDrawer>
  );
}

function ReceiptFacts({ receipt }: { receipt: Receipt }) {
  const { events } = useTexts();
  const texts = events.webhooks;
  const { language } = useLanguage();
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const { integrationId, connectionId, events: tally, query } = receipt;
  const canReplay = canEdit && isReplayable(receipt);
  return (
    <div className={styles.drawer}>
      <div className="row">
        <ReceiptState state={receipt.state} />
        {canReplay && (
          <AgainButton
            label={texts.replay}
            done={texts.replayed}
            act={() => api.post('/webhook-receipts/{id}/replay', { path: { id: receipt.id } })}
            paths={['/webhook-receipts', '/webhook-receipts/{id}']}
          />
        )}
      </div>
      <Cause receipt={receipt} />
      <Facts
        facts={[
          [events.id, <IdChip key="id" id={receipt.id} />],
          [events.when, formatExact(new Date(receipt.receivedAt), language)],
          [
            events.integration,
            <IdChip key="i" id={integrationId} href={`/p/${projectId}/integrations/${integrationId}`} />,
          ],
          ...(connectionId
            ? [
                [
                  events.connection,
                  <IdChip key="c" id={connectionId} href={`/p/${projectId}/connections/${connectionId}`} />,
                ] as const,
              ]
            : []),
          ...(receipt.reason ? [[texts.reason, <code key="r">{receipt.reason}</code>] as const] : []),
          ...(tally
            ? [[texts.eventsIn, texts.tally({ matched: tally.matched, total: tally.total })] as const]
            : []),
          ...(query ? [[texts.query, <code key="q">{query}</code>] as const] : []),
        ]}
      />
      <Body receipt={receipt} />
      <section>
        <h3>{texts.headers}</h3>
        <CodeBlock code={headerLines(receipt.headers)} label={texts.headers} />
      </section>
    </div>
  );
}

function headerLines(headers: Receipt['headers']): string {
  return Object.entries(headers)
    .flatMap(([name, values]) => values.map((value) => `${name}: ${value}`))
    .join('\n');
}

/** In plain words, with the way to what mends it. */
function Cause({ receipt }: { receipt: Receipt }) {
  const { webhooks: texts } = useTexts().events;
  const projectId = useProjectId();
  const cause = useReceiptCause()(receipt);
  if (cause === undefined) return null;
  const { integrationId, reason, state } = receipt;
  const isSecret = reason === 'signature_mismatch' || reason === 'signature_no_secret';
  const foot =
    state === 'unmatched' ? (
      <TextLink to="/p/$projectId/connections" params={{ projectId }} search={{ integrationId }}>
        {texts.toConnections}
      </TextLink>
    ) : (
      state === 'rejected' && (
        <TextLink to="/p/$projectId/integrations/$integrationId" params={{ projectId, integrationId }}>
          {isSecret ? texts.fixSecret : texts.toIntegration}
        </TextLink>
      )
    );
  const tone = state === 'rejected' ? 'bad' : state === 'unmatched' ? 'warning' : 'neutral';
  return (
    <Notice tone={tone} title={cause.title} foot={foot}>
      {cause.text}
    </Notice>
  );
}

function Body({ receipt }: { receipt: Receipt }) {
  const { webhooks: texts } = useTexts().events;
  const { body } = receipt;
  const parsed = receipt.bodyEncoding === 'text' && !receipt.isBodyCut ? parseJson(body) : undefined;
  return (
    <section>
      <div className={styles.payloadHead}>
        <h3>{texts.body}</h3>
        {body && <CopyButton value={body} />}
      </div>
      {receipt.isBodyCut && <p className="soft small">{texts.bodyCut}</p>}
      {body === null && <p className="soft">{texts.noBody}</p>}
      {parsed !== undefined && <JsonView value={parsed} />}
      {body !== null && parsed === undefined && <pre className={styles.excerpt}>{body}</pre>}
    </section>
  );
}

/** An object or array; undefined for all else. */
function parseJson(text: string | null): object | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
