import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { createMailer, type MailPurpose } from '../../src/platform/mailer.ts';
import { captureLog } from '../http/support.ts';
import { until } from '../support/until.ts';

const taken: string[] = [];
let refused = 0;
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onRcptTo({ address }, _session, done) {
    if (!address.startsWith('later')) return done();
    refused += 1;
    done(Object.assign(new Error('later'), { responseCode: 451 }));
  },
  onData(stream, { envelope }, done) {
    stream.resume().on('end', () => {
      taken.push(...envelope.rcptTo.map(({ address }) => address));
      done();
    });
  },
});
await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', () => resolve()));
const { port } = smtp.server.address() as AddressInfo;
const { log, text } = captureLog();
/** The pause before a second try outlasts the test. */
const mailer = createMailer({
  url: `smtp://127.0.0.1:${port}`,
  from: 'gateway@example.test',
  log,
  pausesMs: [3_600_000],
});
afterAll(async () => {
  await mailer.stop();
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
});

const send = (purpose: MailPurpose, to: string, party: string) =>
  mailer.send(purpose, { to, subject: 'Subject', text: 'Text' }, party);

describe('mails that wait for another try', () => {
  it('hold no place: those of others go out, and a link to a new password', async () => {
    const waiting = Array.from({ length: 60 }, (_, index) =>
      send('invitation', `later-${index}@example.test`, 'a'),
    );
    const given = await Promise.race([
      Promise.all(waiting.slice(50)),
      ...waiting.slice(0, 50).map((one) => one.then(() => 'one of the first fifty ended')),
    ]);
    expect(given).toEqual(Array(10).fill(false));
    expect(text()).toContain('too many wait');
    await until(() => refused === 50);
    expect(await send('invitation', 'later-again@example.test', 'a')).toBe(false);
    expect(await send('invitation', 'colleague@example.test', 'b')).toBe(true);
    expect(await send('password reset', 'owner@example.test', 'a')).toBe(true);
    expect(taken).toEqual(['colleague@example.test', 'owner@example.test']);
  });

  it('of however many parties leave a link to a new password its room', async () => {
    for (let party = 0; party < 25; party += 1)
      for (let index = 0; index < 50; index += 1)
        void send('invitation', `later-${index}@example.test`, `party ${party}`);
    expect(await send('token created', 'b@example.test', 'late')).toBe(false);
    expect(await send('password reset', 'b@example.test', 'b')).toBe(true);
  });
});
