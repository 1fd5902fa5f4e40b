import type { Answer } from '../engine/answers.ts';
import type { StrictRequest } from '../engine/strict-http.ts';

type Field = readonly [name: string, value: string];
type Fields = readonly Field[];

/** One row of the tables in docs/proxy.md: what differs on the way, and nothing else does. */
export type Difference<Message> = { readonly name: string; readonly apply: (message: Message) => Message };

/** Written apart from the gateway's own lists, which could be wrong in the same way otherwise. */
const isOneOf = (...names: readonly string[]) => {
  const known = new Set(names);
  return (name: string) => known.has(name);
};
const isHop = isOneOf(
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-authentication-info',
);
const twin = (name: string) => name.toLowerCase().replaceAll('_', '-');

function without<Message extends { readonly fields: Fields }>(
  message: Message,
  isGone: (name: string, value: string) => boolean,
): Message {
  return { ...message, fields: message.fields.filter(([name, value]) => !isGone(twin(name), value)) };
}

const add = <Message extends { readonly fields: Fields }>(
  message: Message,
  ...more: readonly Field[]
): Message => ({
  ...message,
  fields: [...message.fields, ...more],
});

function withoutHops<Message extends { readonly fields: Fields }>(message: Message): Message {
  const named = message.fields
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((one) => one.trim().toLowerCase()))
    .filter((name) => name !== 'host' && name !== 'content-length');
  const isNamed = isOneOf('connection', ...named);
  return {
    ...message,
    fields: message.fields.filter(([name]) => !isHop(twin(name)) && !isNamed(name.toLowerCase())),
  };
}

const isWordOfProxy = (name: string) =>
  /^(?:x-forwarded|x-original-|x-rewrite-)/.test(name) ||
  /(?:^|-)(?:real|client|connecting|originating)-?ip$/.test(name) ||
  isOneOf(
    'forwarded',
    'via',
    'origin',
    'referer',
    'forwarded-for',
    'x-host',
    'x-remote-addr',
    'cf-ray',
  )(name);

/** Stands for a value that the gateway makes for each message. */
const SOME = '(some)';

/** Of the request. */
export const REQUEST_DIFFERENCES: readonly Difference<StrictRequest>[] = [
  // The same in both ways already: the direct one is sent with them.
  { name: 'Host and credential', apply: (message) => message },
  { name: 'hop-by-hop fields', apply: withoutHops },
  { name: 'Expect', apply: (message) => without(message, isOneOf('expect')) },
  { name: 'cookies', apply: (message) => without(message, isOneOf('cookie', 'cookie2')) },
  { name: 'words of proxies', apply: (message) => without(message, isWordOfProxy) },
  { name: 'Gateway fields', apply: (message) => without(message, (name) => name.startsWith('gateway-')) },
  { name: 'trailers', apply: (message) => ({ ...message, trailers: [] }) },
  { name: 'Gateway-Loop', apply: (message) => add(message, ['Gateway-Loop', SOME]) },
];

const isForBrowsers = (name: string) =>
  isOneOf(
    'set-cookie',
    'set-cookie2',
    'clear-site-data',
    'alt-svc',
    'strict-transport-security',
    'refresh',
    'nel',
    'report-to',
    'service-worker-allowed',
    'accept-ch',
  )(name) ||
  /^(?:access-control-|sec-|cross-origin-)/.test(name) ||
  /-(?:policy|policies)(?:-report-only)?$/.test(name) ||
  /^x-(?:frame-|xss-|content-type-options)/.test(name);
const isForServers = (name: string) =>
  /^(?:x-accel-|surrogate-|x-sendfile)/.test(name) || (/-control$/.test(name) && name !== 'cache-control');

/** Of the answer. */
export const ANSWER_DIFFERENCES: readonly Difference<Answer>[] = [
  { name: 'hop-by-hop fields', apply: withoutHops },
  { name: 'fields for browsers', apply: (message) => without(message, isForBrowsers) },
  { name: 'fields for servers in front', apply: (message) => without(message, isForServers) },
  { name: 'Gateway fields', apply: (message) => without(message, (name) => name.startsWith('gateway-')) },
  {
    name: 'shared caching',
    apply: (message) => {
      const isPrivate = message.fields.some(
        ([name, value]) => name.toLowerCase() === 'cache-control' && /\b(?:private|no-store)\b/i.test(value),
      );
      const kept = message.fields.flatMap(([name, value]): Field[] => {
        if (name.toLowerCase() !== 'cache-control') return [[name, value]];
        const left = value
          .split(',')
          .map((one) => one.trim())
          .filter((one) => !/^(?:public|s-maxage)\b/i.test(one));
        return left.length === 0 ? [] : [[name, left.join(', ')]];
      });
      return { ...message, fields: isPrivate ? kept : [...kept, ['Cache-Control', 'private']] };
    },
  },
  {
    name: 'the sandbox',
    apply: (message) =>
      add(
        message,
        ['Vary', 'Authorization, Origin'],
        ['X-Content-Type-Options', 'nosniff'],
        ['Content-Security-Policy', "sandbox; default-src 'none'"],
      ),
  },
  { name: 'Gateway-Request-Id', apply: (message) => add(message, ['Gateway-Request-Id', SOME]) },
  {
    name: 'Date',
    apply: (message) =>
      message.fields.some(([name]) => name.toLowerCase() === 'date') ? message : add(message, ['Date', SOME]),
  },
  { name: 'the reason phrase', apply: (message) => ({ ...message, reason: toAscii(message.reason) }) },
];

const toAscii = (reason: string) => reason.replaceAll(/[^\x20-\x7e]/g, '?');

type Options = { readonly made: readonly string[]; readonly keepsLength: boolean };

/**
 * A message in a form in which two that mean the same are equal. How a body is framed is each connection's own matter (RFC
 * 9112 section 6), and so is the order of fields with different names (RFC 9110 section 5.3).
 */
export function normalizeRequest({ method, target, fields, body, trailers }: StrictRequest) {
  const lines = toLines(fields, { made: ['gateway-loop'], keepsLength: false });
  return { method, target, lines, body: body.toString('latin1'), trailers };
}

/** `hasDate`: whether the provider has sent one. Without a body the length is a fact of its own (RFC 9110 section 8.6). */
export function normalizeAnswer(method: string, hasDate: boolean, { status, reason, fields, body }: Answer) {
  const lines = toLines(fields, {
    made: ['gateway-request-id', ...(hasDate ? [] : ['date'])],
    keepsLength: method === 'HEAD' || status === 304,
  });
  return { status, reason: toAscii(reason), lines, body: body.toString('latin1') };
}

function toLines(fields: Fields, { made, keepsLength }: Options): string[] {
  const framing = [
    'transfer-encoding',
    'connection',
    'keep-alive',
    ...(keepsLength ? [] : ['content-length']),
  ];
  return (
    fields
      .filter(([name]) => !framing.includes(name.toLowerCase()) && name.toLowerCase() !== 'gateway-timing')
      .toSorted(([left], [right]) =>
        left.toLowerCase() < right.toLowerCase() ? -1 : Number(left.toLowerCase() > right.toLowerCase()),
      )
      // Names count in any case; undici writes this one its own way.
      .map(([name, value]): Field => [name.toLowerCase() === 'host' ? 'Host' : name, value])
      .map(([name, value]) => `${name}: ${made.includes(name.toLowerCase()) ? SOME : value}`)
  );
}
