import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { createMailer } from '../../src/platform/mailer.ts';
import { captureLog } from '../http/support.ts';
import { until } from '../support/until.ts';
import { PASSWORD, readCookie, startSignInWorld } from './sign-in-world.ts';

type Received = { readonly to: string; readonly from: string; readonly raw: string };

const received: Received[] = [];
/** What the server answers to the next recipients; empty: it takes them. */
const refusals: number[] = [];
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onRcptTo(_address, _session, done) {
    const responseCode = refusals.shift();
    done(responseCode === undefined ? null : Object.assign(new Error('refused'), { responseCode }));
  },
  async onData(stream, { envelope }, done) {
    const raw = await text(stream);
    const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
    received.push({ to: envelope.rcptTo[0]?.address ?? '', from, raw });
    done();
  },
});
await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', () => resolve()));
const port = (smtp.server.address() as AddressInfo).port;

const { log, text: logText } = captureLog();
const mailer = createMailer({
  url: `smtp://127.0.0.1:${port}`,
  from: 'Integration Gateway <gateway@example.test>',
  log,
  pausesMs: [1, 1],
});
const world = await startSignInWorld({ mailer });
afterAll(async () => {
  await mailer.stop();
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
  await world.drop();
});

const { addPerson, enter, post, signIn } = world;

/** The mail to this address, its text decoded. */
async function mailTo(address: string): Promise<Received & { text: string }> {
  await until(() => received.some(({ to }) => to === address));
  const mail = received.find(({ to }) => to === address);
  const [, body = ''] = (mail?.raw ?? '').split(/\r\n\r\n(.*)/s);
  const decoded = body
    .replaceAll('=\r\n', '')
    .replaceAll(/(?:=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString());
  return { to: '', from: '', raw: '', ...mail, text: decoded };
}

const linkIn = (mail: string, page: string) => new RegExp(`/${page}#([\\w-]{43})`).exec(mail)?.[1] ?? '';

describe('a mail', () => {
  it('brings an invitation in the language of who invites; the invitation then says that it was mailed', async () => {
    const owner = await addPerson({ name: 'Olga', language: 'de' });
    const cookie = await enter(owner);
    const projectId = await world.addProject(owner);
    const email = 'invited@example.test';
    const made = await post(`/projects/${projectId}/invitations`, cookie, { email, role: 'viewer' }).expect(
      201,
    );
    const mail = await mailTo(email);
    expect(mail.from).toBe('gateway@example.test');
    expect(mail.raw).toMatch(/^Subject: Einladung zu einem Projekt\r$/m);
    expect(mail.text).toContain(`${owner.email} lädt Sie zu einem Projekt`);
    expect(mail.text).toContain('nennen es “Shop”.');
    expect(mail.text).toContain('https://gateway.example/invitation#');
    expect(made.body.url).toMatch(/^https:\/\/gateway\.example\/invitation#/);
    const isMailed = async () => {
      const { body } = await world.get(`/projects/${projectId}/invitations`, cookie);
      return body.invitations[0].mailed;
    };
    await until(isMailed);
    expect(await isMailed()).toBe(true);
  });

  it('brings a link of its own to an invitation: who opens it has the mailbox, who invites has not', async () => {
    const owner = await addPerson();
    const cookie = await enter(owner);
    const projectId = await world.addProject(owner);
    const accept = async (email: string, pick: (shown: string, mailed: string) => string) => {
      const body = { email, role: 'viewer' };
      const made = await post(`/projects/${projectId}/invitations`, cookie, body).expect(201);
      const shown = made.body.url.split('#')[1];
      const mailed = linkIn((await mailTo(email)).text, 'invitation');
      expect(mailed).not.toBe(shown);
      const token = pick(shown, mailed);
      const joined = await post('/invitations/accept', '', { token, password: PASSWORD }).expect(201);
      for (const used of [shown, mailed]) await post('/invitations/lookup', '', { token: used }).expect(410);
      return joined.body.operator.emailVerified;
    };
    expect(await accept('by-mail@example.test', (_shown, mailed) => mailed)).toBe(true);
    expect(await accept('by-hand@example.test', (shown) => shown)).toBe(false);
  });

  it('that the server refuses for good is logged without its text, and the invitation says so', async () => {
    const owner = await addPerson();
    const cookie = await enter(owner);
    const projectId = await world.addProject(owner);
    refusals.push(550);
    const body = { email: 'refused@example.test', role: 'viewer' };
    const made = await post(`/projects/${projectId}/invitations`, cookie, body).expect(201);
    await until(() => logText().includes('"responseCode":550'));
    const list = await world.get(`/projects/${projectId}/invitations`, cookie);
    expect(list.body.invitations[0].mailed).toBe(false);
    expect(logText()).not.toContain(made.body.url.split('#')[1]);
  });

  it('is sent again when the server is busy', async () => {
    refusals.push(451, 451);
    const isSent = await mailer.send(
      'invitation',
      { to: 'busy@example.test', subject: 'Test', text: 'Test' },
      'a',
    );
    expect(isSent).toBe(true);
    refusals.push(451, 451, 451);
    expect(
      await mailer.send('invitation', { to: 'gone@example.test', subject: 'Test', text: 'Test' }, 'a'),
    ).toBe(false);
  });

  it('brings a link to a new password, which works once, signs in and ends what was before', async () => {
    const person = await addPerson({ language: 'es' });
    const before = await enter(person);
    await post('/password-resets', '', { email: person.email.toUpperCase() }).expect(202);
    const mail = await mailTo(person.email);
    expect(mail.text).toContain('nueva contraseña');
    const token = linkIn(mail.text, 'reset-password');
    const complete = (password: string) => post('/password-resets/complete', '', { token, password });
    expect((await complete(person.email).expect(400)).body.errors).toMatchObject([{ path: 'body.password' }]);
    const both = await Promise.all([complete('another long password'), complete('another long password')]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 410]);
    const entered = both.find(({ status }) => status === 201);
    await world.me(before).expect(401);
    await world.me(entered ? readCookie(entered) : '').expect(200);
    await signIn(person.email, PASSWORD).expect(401);
    await signIn(person.email, 'another long password').expect(201);
    const actions = await world.db('activity').where({ subject_id: person.id }).pluck('action');
    expect(actions).toEqual(
      expect.arrayContaining(['operator.password_reset_requested', 'operator.password_reset']),
    );
  });

  it('brings a link that ends once the password is changed in another way', async () => {
    const person = await addPerson();
    const cookie = await enter(person);
    await post('/password-resets', '', { email: person.email }).expect(202);
    const token = linkIn((await mailTo(person.email)).text, 'reset-password');
    const change = { password: 'a newer long password', currentPassword: PASSWORD };
    await world.patch('/operators/me', cookie, change).expect(200);
    const reply = await post('/password-resets/complete', '', { token, password: PASSWORD }).expect(410);
    expect(reply.body.code).toBe('link_invalid');
    await signIn(person.email, 'a newer long password').expect(201);
  });

  it('goes to nobody who is no operator, with the same answer, and three times an hour at most', async () => {
    const person = await addPerson();
    const ask = (email: string) => post('/password-resets', '', { email });
    const unknown = await ask('nobody@example.test').expect(202);
    for (let times = 0; times < 4; times += 1) {
      const known = await ask(person.email).expect(202);
      expect(known.text).toBe(unknown.text);
    }
    const last = await addPerson();
    await ask(last.email).expect(202);
    await mailTo(last.email);
    await until(() => received.filter(({ to }) => to === person.email).length >= 3);
    expect(received.filter(({ to }) => to === person.email)).toHaveLength(3);
    expect(received.some(({ to }) => to === 'nobody@example.test')).toBe(false);
  });

  it('never has words of who invites in its subject, nor an address or a line of theirs in its text', async () => {
    const owner = await addPerson({ name: 'Gateway support: call +1 555 0100 or see https://evil.example' });
    const cookie = await enter(owner);
    const projectId = await world.addProject(owner);
    const name = 'Your account is suspended. Pay at https://evil.example/pay?now\r\nBcc: x@evil.example';
    await world.db('projects').where({ id: projectId }).update({ name });
    for (const [language, subject] of [
      ['en', 'Invitation to a project'],
      ['de', 'Einladung zu einem Projekt'],
      ['es', /=\?UTF-8\?Q\?Invitaci=C3=B3n_a_un_proyecto\?=/],
    ] as const) {
      await world.db('operators').where({ id: owner.id }).update({ language });
      const email = `planted-${language}@example.test`;
      await post(`/projects/${projectId}/invitations`, cookie, { email, role: 'viewer' }).expect(201);
      const mail = await mailTo(email);
      expect(/^Subject: (.*)\r$/m.exec(mail.raw)?.[1]).toMatch(subject);
      expect(mail.raw).not.toMatch(/^Bcc/im);
      expect(mail.text).toContain('“Your account is suspended. Pay at https…”');
      expect(mail.text.match(/https?:\/\/\S+|evil/g)).toEqual([
        expect.stringMatching(/^https:\/\/gateway\.example\/invitation#/),
      ]);
    }
  });

  it('of an invitation is limited by operator, project and address, and the refusal says for how long', async () => {
    const owner = await addPerson();
    const cookie = await enter(owner);
    const [one, two] = [await world.addProject(owner), await world.addProject(owner)];
    const invite = (projectId: string, email: string, by = cookie) =>
      post(`/projects/${projectId}/invitations`, by, { email, role: 'viewer' });
    for (let times = 0; times < 5; times += 1) await invite(one, 'flooded@example.test').expect(201);
    const other = await addPerson();
    const refused = await invite(await world.addProject(other), 'Flooded@example.test', await enter(other));
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.get('Retry-After'))).toBeGreaterThan(0);
    for (let index = 0; index < 55; index += 1)
      await invite(index % 2 ? one : two, `many-${index}@example.test`).expect(201);
    await invite(two, 'one-more@example.test').expect(429);
    const asMember = { email: other.email, role: 'viewer' };
    await post(`/projects/${two}/members`, cookie, asMember).expect(429);
  });

  it('tells of a new personal access token whom it acts for, and nothing of the token itself', async () => {
    const person = await addPerson();
    const body = { name: 'see evil.example', password: PASSWORD };
    const made = await post('/personal-access-tokens', await enter(person), body).expect(201);
    const mail = await mailTo(person.email);
    expect(mail.raw).toMatch(/^Subject: A personal access token was created\r$/m);
    expect(mail.text).toContain('Name: “see evil example”');
    expect(mail.text).toContain('https://gateway.example/me');
    expect(mail.text).not.toContain(made.body.token.slice(0, 12));
  });

  it('is offered by the sign-in page', async () => {
    expect((await world.get('/sign-in-options', '')).body.mail).toBe(true);
  });
});
