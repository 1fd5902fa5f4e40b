import { type Choice, choosePage } from '../../src/connect/pages/choose-page.ts';
import { type FormField, fieldsFor } from '../../src/connect/pages/form-fields.ts';
import { formPage } from '../../src/connect/pages/form-page.ts';
import { failurePage, successPage } from '../../src/connect/pages/outcome-page.ts';
import { DE } from '../../src/connect/texts/de.ts';
import { EN } from '../../src/connect/texts/en.ts';
import { acmeProvider } from '../support/acme-provider.ts';

const ENGLISH = { tag: 'en', dir: 'ltr', texts: EN } as const;
const GERMAN = { tag: 'de', dir: 'ltr', texts: DE } as const;

const flat = (page: unknown) => String(page).replaceAll(/\s+/g, ' ');
const textsOf = (page: string, tag: string) =>
  [...page.matchAll(new RegExp(`<${tag}(?: [^>]*)?>(.*?)</${tag}>`, 'g'))].map(([, text]) => text);
const elementOf = (page: string, id: string) => new RegExp(`<[a-z]+ [^>]*id="${id}"[^>]*>`).exec(page)?.[0];

describe('the page of a failure', () => {
  const failure = { reason: 'session_used', provider: '', error: 'session_used', requestId: 'r-1' } as const;

  it('lists the codes that there are, and the reason where the application hears of another', () => {
    const codesOf = (more: object) =>
      textsOf(flat(failurePage(EN, { ...failure, ...more }, {}, 'n')), 'code');
    expect(codesOf({})).toEqual(['session_used', 'r-1']);
    expect(codesOf({ error: 'access_denied', providerCode: 'AADSTS1' })).toEqual([
      'access_denied',
      'session_used',
      'AADSTS1',
      'r-1',
    ]);
  });

  it('has neither a link back nor a script where no application waits', () => {
    const page = flat(failurePage(EN, failure, {}, 'n'));
    expect(page).not.toMatch(/<script|<a |<button/);
  });
});

describe('the closing page', () => {
  const message = { type: 'integration-gateway:connect', sessionId: 's', status: 'success' } as const;
  const words = { title: 'Done', lead: 'All is well' };

  it('has a link back where the application named a page, and a hidden button for popups', () => {
    const handOver = { message, origin: null, returnTo: 'https://app.example/back#a=1&b=2' };
    const page = flat(successPage(EN, words, { handOver }, 'n-1'));
    expect(elementOf(page, 'back')).toContain('href="https://app.example/back#a=1&amp;b=2"');
    expect(elementOf(page, 'close')).toContain(' hidden');
    expect(page).toContain('<script nonce="n-1">');
  });

  it('has none where it named none', () => {
    const page = flat(
      successPage(EN, words, { handOver: { message, origin: 'https://app.example' } }, 'n-1'),
    );
    expect(elementOf(page, 'back')).toBeUndefined();
    expect(elementOf(page, 'close')).toBeDefined();
    expect(flat(successPage(EN, words, {}, 'n-1'))).not.toMatch(/<script|id="close"/);
  });
});

describe('the form', () => {
  const field = (more: Partial<FormField> = {}): FormField => ({
    name: 'shop',
    label: 'Shop',
    hint: undefined,
    placeholder: undefined,
    isSecret: false,
    isFile: false,
    isRequired: true,
    value: '',
    options: undefined,
    prefix: '',
    suffix: '',
    error: undefined,
    isShown: false,
    ...more,
  });
  const provider = acmeProvider({ auth: 'basic' });
  const page = (fields: FormField[], more: object = {}, language: typeof ENGLISH | typeof GERMAN = ENGLISH) =>
    flat(
      formPage(language, {
        provider,
        face: { name: provider.name, logo: '/logos/acme.svg' },
        fields,
        action: '/connect/x',
        ...more,
      }),
    );

  it('has an input for each field, which is required, hidden and described as the field says', () => {
    const plain = page([field()]);
    expect(elementOf(plain, 'shop')).toMatch(/^<input .*type="text" value="" required /);
    expect(elementOf(plain, 'shop')).not.toMatch(/placeholder|aria-|autofocus/);
    const secret = page([
      field({ isSecret: true, isRequired: false, placeholder: 'such as x', hint: 'Look there' }),
    ]);
    expect(elementOf(secret, 'shop')).toMatch(/type="password" value="" spellcheck/);
    expect(elementOf(secret, 'shop')).toContain('placeholder="such as x" aria-describedby="shop-hint"');
    expect(secret).toContain('<p class="hint" id="shop-hint">Look there</p>');
    expect(page([field({ hint: 'Look there' })], {}, GERMAN)).toContain('id="shop-hint" lang="en">');
  });

  it('has a field of many lines for the text of a file', () => {
    expect(elementOf(page([field({ isFile: true })]), 'shop')).toMatch(/^<textarea .*rows="6" required /);
    expect(elementOf(page([field({ isFile: true, isRequired: false })]), 'shop')).not.toContain('required');
  });

  it('offers options, of which none is chosen before the user chooses', () => {
    const options = [
      { value: 'eu', title: 'Europe' },
      { value: 'us', title: 'America' },
    ];
    const unchosen = page([field({ options })]);
    expect(unchosen).toContain(`<option value="" selected disabled>${EN.form.choose}</option>`);
    expect(unchosen).toContain('<option value="eu">Europe</option>');
    const chosen = page([field({ options, value: 'us' })]);
    expect(chosen).not.toContain('disabled');
    expect(chosen).toContain('<option value="eu">Europe</option><option value="us" selected>');
  });

  it('lets a choice be left out, and taken back, where the provider needs none', () => {
    const optional = { options: [{ value: 'eu', title: 'Europe' }], isRequired: false };
    const unchosen = page([field(optional)]);
    expect(unchosen).toContain(`<option value="" selected>${EN.form.none}</option>`);
    expect(elementOf(unchosen, 'shop')).not.toContain('required');
    const chosen = page([field({ ...optional, value: 'eu' })]);
    expect(chosen).toContain(`<option value="">${EN.form.none}</option>`);
  });

  it('shows what stands around a value, and reads it out', () => {
    const both = page([field({ prefix: 'https://', suffix: '.acme.example' })]);
    expect(textsOf(both, 'span')).toEqual(['https://', '.acme.example', 'https://….acme.example']);
    expect(elementOf(both, 'shop')).toContain('aria-describedby="shop-affix"');
    expect(textsOf(page([field({ suffix: '.acme.example' })]), 'span')).toEqual([
      '.acme.example',
      '….acme.example',
    ]);
    expect(textsOf(page([field({ prefix: 'x-' })]), 'span')).toEqual(['x-', 'x-…']);
    expect(page([field()])).not.toContain('affix');
  });

  it('leads to the first of the fields that are wrong', () => {
    const fields = [
      field({ name: 'a' }),
      field({ name: 'b', error: 'No' }),
      field({ name: 'c', error: 'Nor' }),
    ];
    const shown = page(fields);
    expect(elementOf(shown, 'a')).not.toMatch(/autofocus|aria-invalid/);
    expect(elementOf(shown, 'b')).toContain('aria-describedby="b-error" aria-invalid="true" autofocus');
    expect(elementOf(shown, 'c')).toMatch(/aria-invalid="true"(?! autofocus)/);
    expect(shown).not.toContain('id="refusal"');
  });

  it('leads to the secret where all of it is refused, else to the first field', () => {
    const refusal = 'Not accepted';
    const shown = page([field({ name: 'a' }), field({ name: 'b', isSecret: true })], { refusal });
    expect(shown).toContain('role="alert" id="refusal">Not accepted</p>');
    expect(elementOf(shown, 'a')).not.toMatch(/autofocus|refusal/);
    expect(elementOf(shown, 'b')).toContain('aria-describedby="refusal" autofocus');
    expect(elementOf(page([field({ name: 'a' })], { refusal }), 'a')).toContain('autofocus');
  });

  it('says what comes next, and where the provider explains it', () => {
    expect(page([])).toContain(`>${EN.form.connect}</button>`);
    expect(page([])).toContain(EN.form.leadKey('Acme'));
    expect(page([])).not.toContain('<a ');
    const sent = page([], { provider: acmeProvider({ docsUrl: 'https://acme.example/docs' }) });
    expect(sent).toContain(`>${EN.form.goOn('Acme')}</button>`);
    expect(sent).toContain(EN.form.leadOAuth('Acme'));
    expect(sent).toContain('<a href="https://acme.example/docs" target="_blank"');
    const client = acmeProvider({ auth: 'oauth2-client-credentials', authorizationUrl: undefined });
    expect(page([], { provider: client })).toContain(EN.form.leadClient('Acme'));
  });
});

describe('the fields', () => {
  it('have what the provider’s file says of them, and what was typed or is usual', () => {
    const variables = {
      region: { from: 'user', options: [{ value: 'eu', title: 'Europe' }], default: 'eu', optional: true },
      shop: { from: 'user', description: 'Its name', example: 'acme' },
    };
    const provider = acmeProvider({ auth: 'basic', credentialHint: 'Below', variables });
    const given = { known: {}, sealed: new Set<string>() };
    const [region, shop, username, password] = fieldsFor(EN, provider, given, {
      faults: { username: 'required' },
    });
    expect(region).toMatchObject({
      value: 'eu',
      isRequired: false,
      placeholder: undefined,
      prefix: '',
      suffix: '',
    });
    expect(region?.options).toHaveLength(1);
    expect(shop).toMatchObject({
      value: '',
      isRequired: true,
      hint: 'Its name',
      placeholder: EN.form.example('acme'),
    });
    expect(username).toMatchObject({ hint: 'Below', error: EN.form.required });
    expect(password).toMatchObject({ hint: undefined, error: undefined });
  });

  it.each([
    ['required', EN.form.required],
    ['unusable', EN.form.unusable],
    ['invalid', EN.form.invalid('User name')],
    ['certificate_not_in_force', EN.form.certificateNotInForce],
    ['other_key', EN.form.otherKey],
    ['passphrase_missing', EN.form.passphraseMissing],
    ['passphrase_wrong', EN.form.passphraseWrong],
  ] as const)('with the fault %s say: %s', (fault, words) => {
    const given = { known: {}, sealed: new Set<string>() };
    const [username] = fieldsFor(EN, acmeProvider({ auth: 'basic' }), given, { faults: { username: fault } });
    expect(username?.error).toBe(words);
  });
});

describe('the list of services', () => {
  const choices = (count: number): Choice[] =>
    Array.from({ length: count }, (_, index) => ({
      integrationId: `i-${index}`,
      provider: acmeProvider({ name: `Acme ${index}`, category: index % 2 === 0 ? 'crm' : 'accounting' }),
      name: `Acme ${index}`,
      logo: '/logos/acme.svg',
      distinction: index === 0 ? 'Test account' : '',
      connections: 0,
    }));
  const page = (count: number, query = '') =>
    flat(
      choosePage(
        EN,
        {
          choices: choices(count),
          isWhole: true,
          found: count,
          from: 0,
          action: '/connect/x?locale=de',
          query,
          kept: { locale: 'de' },
          tag: 'en',
        },
        'n-1',
      ),
    );
  const entries = (shown: string) => shown.match(/<li /g)?.length ?? 0;
  const hidden = (shown: string) => shown.match(/<li [^>]*hidden>/g)?.length ?? 0;

  it('says that there is nothing where there is nothing', () => {
    expect(page(0)).toContain(EN.choose.empty);
    expect(page(0)).not.toContain('<li');
  });

  it.each([
    [6, false],
    [7, true],
  ])('of %i has a search: %p, which keeps the language', (count, hasSearch) => {
    expect(page(count).includes('<search>')).toBe(hasSearch);
    expect(page(count).includes('<script nonce="n-1">')).toBe(hasSearch);
    expect(page(count).includes('name="locale" value="de"')).toBe(hasSearch);
  });

  it.each([
    [12, []],
    [13, [EN.categories.accounting, EN.categories.crm]],
  ])('of %i has the headings %j', (count, headings) => {
    expect(textsOf(page(count), 'h2')).toEqual(headings);
    expect(entries(page(count))).toBe(count);
  });

  it('names the category and what tells integrations apart', () => {
    const smalls = textsOf(page(2), 'small');
    expect(smalls).toEqual([`${EN.categories.crm} · Test account`, EN.categories.accounting]);
    expect(textsOf(page(13), 'small')).toEqual(['Test account']);
  });

  it('hides what is not searched for, whatever the case and accents, and offers to show all', () => {
    const found = page(8, 'ácme 3');
    expect([entries(found), hidden(found)]).toEqual([8, 7]);
    expect(found).toContain(EN.choose.matches(1));
    expect(found).toContain(`<a href="?locale=de">${EN.choose.showAll}</a>`);
    expect(page(8)).not.toContain(EN.choose.showAll);
    expect(hidden(page(8))).toBe(0);
    const none = page(13, 'nowhere');
    expect([hidden(none), none.match(/<section [^>]*hidden>/g)?.length]).toEqual([13, 2]);
    expect(none).toContain(EN.choose.noMatch('nowhere'));
  });
});
