import type { Outbound, OutboundRequest } from '../platform/outbound.ts';

/** What the provider of a dry run answers to everything. */
type CannedAnswer = {
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body: string;
};

/** What `work` gives to the network, which answers as the provider would. */
export async function captureRequests(
  answer: CannedAnswer,
  work: (outbound: Outbound) => Promise<unknown>,
): Promise<OutboundRequest[]> {
  const sent: OutboundRequest[] = [];
  await work({
    request: async (request) => {
      sent.push(request);
      const headers = { 'content-type': 'application/json', ...answer.headers };
      return { status: 200, headers, body: Buffer.from(answer.body) };
    },
  });
  return sent;
}
