import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { useProjectId } from '../../app/project.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { IdChip } from '../../ui/id-chip.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Facts } from '../../ui/page.tsx';
import { ProviderMark } from '../../ui/provider-mark.tsx';
import { formatExact } from '../../ui/time.tsx';
import { nameAccount } from '../connections/account-name.ts';
import { useUserName } from '../connections/people.ts';
import { type Call, formatBytes } from './call-parts.tsx';

/** By the account's name; by the id once it is deleted. */
function ConnectionLink({ id }: { id: string }) {
  const { connections } = useTexts();
  const projectId = useProjectId();
  const { data } = useQuery({ ...apiQuery('/connections/{id}', { path: { id } }), retry: false });
  if (data === undefined) return <IdChip id={id} />;
  return (
    <TextLink to="/p/$projectId/connections/$connectionId" params={{ projectId, connectionId: id }}>
      {nameAccount(data, connections)}
    </TextLink>
  );
}

/** Those who acted for the user, the one that called first. */
function nameActors({ actors }: Call): string {
  return actors.map(({ id, name }) => (name === null ? id : `${name} (${id})`)).join(' · ');
}

/** Mandates by name lead to their pages; entries that stood in the token have no page. */
function MandateLinks({ call }: { call: Call }) {
  const { call: texts } = useTexts().calls;
  const projectId = useProjectId();
  return (
    <ul className="bare-list">
      {call.mandates.map(({ id, entry }) => (
        <li key={id}>
          {UUID.test(id) ? <IdChip id={id} href={`/p/${projectId}/mandates/${id}`} /> : <IdChip id={id} />}{' '}
          {entry === null ? texts.mandateRefused : texts.mandateEntry(entry + 1)}
        </li>
      ))}
    </ul>
  );
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Who called what, through which connection, and how much was sent. */
export function CallFacts({ call }: { call: Call }) {
  const { call: texts } = useTexts().calls;
  const projectId = useProjectId();
  const { language } = useLanguage();
  const nameOf = useUserName();
  return (
    <Facts
      facts={[
        [texts.at, formatExact(new Date(call.at), language)],
        [
          texts.user,
          call.userId === null ? (
            texts.noUser
          ) : (
            <TextLink
              key="u"
              to="/p/$projectId/connections"
              params={{ projectId }}
              search={{ userId: call.userId }}
            >
              {nameOf(call.userId)}
            </TextLink>
          ),
        ],
        [texts.connection, call.connectionId ? <ConnectionLink key="c" id={call.connectionId} /> : '–'],
        [
          texts.integration,
          call.integrationId ? (
            <TextLink
              key="i"
              to="/p/$projectId/integrations/$integrationId"
              params={{ projectId, integrationId: call.integrationId }}
            >
              <ProviderMark id={call.provider} size={16} />
            </TextLink>
          ) : (
            '–'
          ),
        ],
        [texts.attempts, call.attempts === 0 ? texts.attemptsNone : call.attempts],
        ...(call.actors.length === 0 ? [] : [[texts.actors, nameActors(call)] as const]),
        ...(call.mandates.length === 0
          ? []
          : [[texts.mandates, <MandateLinks key="m" call={call} />] as const]),
        ...(call.code === null ? [] : [[texts.code, <code key="c">{call.code}</code>] as const]),
        [texts.requestSize, formatBytes(call.requestBytes, language)],
        [texts.responseSize, formatBytes(call.responseBytes, language)],
        ...(call.traceId === null ? [] : [[texts.traceId, <IdChip key="t" id={call.traceId} />] as const]),
      ]}
    />
  );
}
