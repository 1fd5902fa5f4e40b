type LeftOut = { readonly id: string; readonly name: string; readonly reason: string };

const LOG_IN_WITHOUT_FILE = 'a log-in call gives a token for a session; no file has been written yet';
const OWN_SIGNATURE = 'each call carries a signature of a kind of its own';
const CREDENTIAL_IN_BODY = 'the credential belongs into the JSON body of each call';
const ENDED = 'it has ended';
const NO_LIVE_ADDRESS = 'only addresses of its test servers are published';
const API_ENDED = 'its API has ended';

/** Products that were looked at and have no entry, and why: a section of docs/providers.md. */
export const LEFT_OUT: readonly LeftOut[] = [
  { id: 'adyntel', name: 'Adyntel', reason: CREDENTIAL_IN_BODY },
  { id: 'altrata', name: 'Altrata', reason: 'the token call takes user name, password and key' },
  { id: 'avanan', name: 'Avanan', reason: LOG_IN_WITHOUT_FILE },
  { id: 'brightcrowd', name: 'BrightCrowd', reason: NO_LIVE_ADDRESS },
  { id: 'cisco-duo-admin', name: 'Cisco Duo Admin API', reason: OWN_SIGNATURE },
  { id: 'codegen', name: 'Codegen', reason: 'the service was taken over, and its end is not certain' },
  { id: 'connectsecure', name: 'ConnectSecure', reason: 'the header is a Base64 of three values' },
  { id: 'docuware', name: 'DocuWare', reason: LOG_IN_WITHOUT_FILE },
  { id: 'elevio', name: 'Elevio', reason: 'calls carry a key and a signed token together' },
  { id: 'expensify', name: 'Expensify', reason: CREDENTIAL_IN_BODY },
  { id: 'fiserv', name: 'Fiserv', reason: 'the lifetime of a token is told in milliseconds' },
  {
    id: 'jobdiva',
    name: 'JobDiva',
    reason: 'the log-in answers a bare text, which nothing tells from a refusal',
  },
  { id: 'lastpass', name: 'LastPass', reason: CREDENTIAL_IN_BODY },
  { id: 'mandrill', name: 'Mandrill (Mailchimp Transactional)', reason: CREDENTIAL_IN_BODY },
  { id: 'mindbody', name: 'Mindbody', reason: 'calls carry a key and a token of a log-in together' },
  { id: 'sage-200', name: 'Sage 200', reason: 'company and site come from a call that lists them' },
  { id: 'sage-member', name: 'SAGE Member', reason: CREDENTIAL_IN_BODY },
  { id: 'sap-business-one', name: 'SAP Business One', reason: LOG_IN_WITHOUT_FILE },
  {
    id: 'sap-success-factors',
    name: 'SAP SuccessFactors',
    reason: 'the token call takes a signed SAML assertion',
  },
  { id: 'sellercloud', name: 'Sellercloud', reason: LOG_IN_WITHOUT_FILE },
  { id: 'shopline', name: 'SHOPLINE', reason: 'the state of the authorization has another name' },
  { id: 'streamline-ai', name: 'Streamline AI', reason: OWN_SIGNATURE },
  { id: 'tiktok-shop', name: 'TikTok Shop', reason: OWN_SIGNATURE },
  {
    id: 'walmart',
    name: 'Walmart Marketplace',
    reason: 'each call needs a fresh random header, and the name of the token header has a dot in it',
  },
  { id: 'pivotal-tracker', name: 'Pivotal Tracker', reason: ENDED },
  { id: 'zapier-nla', name: 'Zapier NLA', reason: ENDED },
  { id: 'code-climate-quality', name: 'Code Climate Quality', reason: ENDED },
  { id: 'delighted', name: 'Delighted', reason: ENDED },
  { id: 'drift', name: 'Drift', reason: ENDED },
  { id: 'join-me', name: 'join.me', reason: ENDED },
  { id: 'yammer', name: 'Yammer', reason: ENDED },
  { id: 'deezer', name: 'Deezer', reason: 'its API takes no new applications' },
  { id: 'foursquare', name: 'Foursquare', reason: API_ENDED },
  { id: 'venmo', name: 'Venmo', reason: API_ENDED },
  { id: '23andme', name: '23andMe', reason: API_ENDED },
  { id: 'onlogist', name: 'Onlogist', reason: NO_LIVE_ADDRESS },
  { id: 'transporeon', name: 'Transporeon Appointment Scheduling', reason: NO_LIVE_ADDRESS },
  { id: 'ovh', name: 'OVH', reason: OWN_SIGNATURE },
];
