import { FINDING_CODES, FINDING_TEXTS, type FindingText } from '../../src/diagnosis/finding-texts.ts';
import { findRemedyPlace } from '../../src/web/dashboard/src/pages/integrations/find-remedy-place.ts';

const textOf = (code: (typeof FINDING_CODES)[number]): FindingText => FINDING_TEXTS[code];
const pageWords = ({ remedy, pageRemedy = remedy }: FindingText) => pageRemedy;

/** What is done at the provider, in the application, or on the machine of the gateway. */
const ELSEWHERE = [
  ...['provider_missing', 'provider_ended', 'redirect_url_refused', 'app_unverified', 'app_needs_admin'],
  ...['authorization_page_refused', 'provider_down', 'provider_name_unresolved', 'provider_tls_broken'],
  ...['client_certificate_refused', 'provider_timeout', 'provider_slow', 'clock_off'],
  ...['sign_ins_not_returning', 'provider_setup_missing', 'sign_ins_failing', 'organization_client_refused'],
];

describe('the button of a finding', () => {
  it('is there for every warning and error that an operator can mend in the dashboard', () => {
    const without = FINDING_CODES.filter((code) => {
      const { severity } = textOf(code);
      return (severity === 'warning' || severity === 'error') && findRemedyPlace(code) === undefined;
    });
    expect(without.sort()).toEqual([...ELSEWHERE].sort());
  });

  it.each([
    ['“New client secret”', 'secret'],
    ['“Edit”', 'edit'],
    ['“Check a token”', 'tokens'],
    ['Open the poll', 'polls'],
    ['Open the destination', 'destinations'],
  ])('is the one that the remedy names by %s', (words, place) => {
    const named = FINDING_CODES.filter((code) => pageWords(textOf(code)).includes(words));
    expect(named.length).toBeGreaterThan(0);
    const others = named.filter((code) => code !== 'client_swapped' && findRemedyPlace(code) !== place);
    expect(others).toEqual([]);
  });
});
