import { createSocket, type RemoteInfo } from 'node:dgram';

export type DnsAnswer = {
  readonly addresses?: readonly string[];
  readonly ttlSeconds?: number;
  /** `silent` never answers. */
  readonly failure?: 'unknown_name' | 'server_failure' | 'silent';
};

export type DnsQuestion = { readonly name: string; readonly type: 'A' | 'AAAA' | 'other' };

export type DnsServer = {
  /** `127.0.0.1:<port>`, as `dns.setServers` takes it. */
  readonly address: string;
  readonly questions: readonly DnsQuestion[];
  close(): Promise<void>;
};

const RESPONSE_CODES = { unknown_name: 3, server_failure: 2, silent: 0 } as const;
const TYPES: Readonly<Record<number, DnsQuestion['type']>> = { 1: 'A', 28: 'AAAA' };

/** A name server on a UDP port of its own (RFC 1035 section 4), which answers A and AAAA questions. */
export async function startDnsServer(answer: (question: DnsQuestion) => DnsAnswer): Promise<DnsServer> {
  const questions: DnsQuestion[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from: RemoteInfo) => {
    const { question, end } = readQuestion(query);
    questions.push(question);
    const chosen = answer(question);
    if (chosen.failure !== 'silent')
      socket.send(writeAnswer(query, end, question, chosen), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => new Promise((resolve) => socket.close(resolve)),
  };
}

function readQuestion(query: Buffer): { question: DnsQuestion; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = TYPES[query.readUInt16BE(at + 1)] ?? 'other';
  return { question: { name: labels.join('.').toLowerCase(), type }, end: at + 5 };
}

function writeAnswer(query: Buffer, end: number, { type }: DnsQuestion, answer: DnsAnswer): Buffer {
  const wanted = type === 'AAAA' ? 16 : 4;
  const records = (answer.addresses ?? []).map(bytesOf).filter((bytes) => bytes.length === wanted);
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  // A response, recursion desired and available.
  head.writeUInt16BE(0x8180 | (answer.failure === undefined ? 0 : RESPONSE_CODES[answer.failure]), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  const resources = records.map((bytes) => {
    const fixed = Buffer.alloc(12);
    fixed.writeUInt16BE(0xc00c, 0); // the name in the question
    fixed.writeUInt16BE(type === 'AAAA' ? 28 : 1, 2);
    fixed.writeUInt16BE(1, 4);
    fixed.writeUInt32BE(answer.ttlSeconds ?? 60, 6);
    fixed.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([fixed, bytes]);
  });
  return Buffer.concat([head, query.subarray(12, end), ...resources]);
}

function bytesOf(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  const [left = '', right = ''] = address.split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const missing = 8 - groups(left).length - groups(right).length;
  const all = [...groups(left), ...new Array<string>(missing).fill('0'), ...groups(right)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
