/**
 * Every sentence that an end user reads on the hosted pages. English gives the shape: a language has each of these and
 * nothing else. `provider` is the name of the service as people know it.
 */
export const EN = {
  choose: {
    title: 'Connect an account',
    lead: 'Choose the service that you want to connect.',
    empty: 'There is nothing to connect yet. Please tell the people who run the application.',
    search: 'Search services',
    searchButton: 'Search',
    matches: (count: number) => (count === 1 ? '1 service' : `${count} services`),
    noMatch: (words: string) => `No service matches “${words}”.`,
    showAll: 'Show all services',
    mostUsed: 'Most used',
    part: (first: number, last: number, count: number) =>
      `${first} to ${last} of ${count} are shown, the most used first. Search for the others.`,
    next: 'Show the next ones',
    first: 'Back to the first ones',
  },
  cancel: 'Cancel',
  tenants: {
    titles: {
      account: 'Choose an account',
      organization: 'Choose an organization',
      company: 'Choose a company',
      site: 'Choose a site',
      workspace: 'Choose a workspace',
      business: 'Choose a business',
      location: 'Choose a location',
      project: 'Choose a project',
      page: 'Choose a page',
    },
    lead: (provider: string) =>
      `You gave access to several at ${provider}. Choose the one that the application is to work with.`,
    search: 'Search the list',
    searchButton: 'Search',
    matches: (count: number) => (count === 1 ? '1 entry' : `${count} entries`),
    noMatch: (words: string) => `No entry matches “${words}”.`,
    showAll: 'Show all entries',
    more: (count: number) => `The first ${count} are shown. Search for the others.`,
    unchosen: 'Choose one of these entries.',
    cancel: 'None of these: cancel',
  },
  categories: {
    crm: 'CRM',
    marketing: 'Marketing',
    support: 'Customer support',
    communication: 'Communication',
    'calendar-email': 'Calendar and e-mail',
    productivity: 'Productivity',
    'project-management': 'Project management',
    storage: 'Files and storage',
    accounting: 'Accounting',
    commerce: 'Commerce',
    payments: 'Payments',
    hr: 'Human resources',
    developer: 'Developer tools',
    analytics: 'Analytics',
    social: 'Social media',
    identity: 'Identity',
    design: 'Design',
    sales: 'Sales',
    data: 'Data',
    security: 'Security',
    health: 'Health',
    education: 'Education',
    legal: 'Legal',
    media: 'Media and games',
    other: 'Other services',
  },
  form: {
    title: (provider: string) => `Connect ${provider}`,
    leadOAuth: (provider: string) =>
      `A few details first. Then you go on to ${provider}, which asks you to sign in and to agree.`,
    leadKey: (provider: string) =>
      `Enter the credentials of your ${provider} account. They are stored encrypted.`,
    leadClient: (provider: string) =>
      `The application connects to ${provider} with an account of its own. Nobody is asked to sign in.`,
    goOn: (provider: string) => `Continue to ${provider}`,
    connect: 'Connect',
    apiKey: 'API key',
    username: 'User name',
    password: 'Password',
    example: (example: string) => `For example: ${example}`,
    choose: 'Please choose',
    none: 'None',
    documentation: (provider: string) => `Documentation of ${provider} (opens in a new window)`,
    required: 'Please fill this in.',
    unusable: 'This has characters that no such credential has. Copy it again, without quotes around it.',
    invalid: (label: string) => `This cannot be right for “${label}”. Check how it is written.`,
    certificateNotInForce: 'This certificate has expired, or is not valid yet. Use one that is valid today.',
    otherKey: 'This key belongs to another certificate. Paste the key that this certificate was made for.',
    passphraseMissing: 'The private key is encrypted. Enter its passphrase.',
    passphraseWrong: 'This passphrase does not open the private key.',
  },
  outcome: {
    connectedTitle: 'Connected',
    connectedLead: (provider: string) => `Your ${provider} account is connected. You can close this window.`,
    returningTitle: 'Almost done',
    returningLead: (provider: string) =>
      `Your ${provider} account is ready. The application finishes the connection; if this window stays open, close it.`,
    leadingBackLead: (provider: string) =>
      `Your ${provider} account is ready. You are taken back to the application, which finishes the connection.`,
    backTo: (application: string) =>
      application === '' ? 'Back to the application' : `Back to ${application}`,
    tryAgain: 'Try again',
    closeWindow: 'Close this window',
    failedTitle: 'Not connected',
    whatToDo: 'What to do',
    closeHint: 'You can close this window.',
    details: 'Technical details',
    code: 'Error',
    reason: 'Reason',
    providerCode: 'Code of the provider',
    requestId: 'Request',
  },
  /** The page that ends connecting for an agent. */
  agents: {
    codeTitle: 'One step left',
    codeLead: 'Copy this code and give it to the assistant in which you asked for the connection.',
    code: 'Code',
    copy: 'Copy the code',
    codeWarning:
      'Give the code to nobody else. Without it nothing is connected; if another person sent you here, close this window.',
    noCode: 'Nothing has been connected. You can close this window and ask your assistant again.',
    needsScript: 'This page needs JavaScript to show the code.',
  },
  /** Why there is no connection, in plain words, and what to do about it. */
  failures: {
    access_denied: {
      title: 'Access was not granted',
      text: (provider: string) => `${provider} says that access was not granted. Nothing has been connected.`,
      remedy: (_provider: string) => 'If that was a slip, try again and choose “Allow”.',
    },
    cancelled: {
      title: 'Cancelled',
      text: (_provider: string) => 'Nothing has been connected.',
      remedy: (_provider: string) => 'Start again whenever you like.',
    },
    admin_consent_required: {
      title: 'An administrator has to agree',
      text: (provider: string) =>
        `Your organisation lets only an administrator of ${provider} approve this application.`,
      remedy: (provider: string) =>
        `Ask your ${provider} administrator to approve the application, then start again.`,
    },
    not_assigned: {
      title: 'Your account may not use this application',
      text: (provider: string) =>
        `Your organisation has not given your ${provider} account access to this application.`,
      remedy: (provider: string) =>
        `Ask your ${provider} administrator to give you access, or sign in with another account.`,
    },
    blocked_by_policy: {
      title: 'Your organisation does not allow this',
      text: (provider: string) => `A rule of your organisation at ${provider} blocks this application.`,
      remedy: (provider: string) =>
        `Ask your ${provider} administrator whether the application may be allowed.`,
    },
    wrong_organisation: {
      title: 'This account belongs elsewhere',
      text: (provider: string) =>
        `The ${provider} account that you signed in with does not belong to an organisation that may use this application.`,
      remedy: (_provider: string) =>
        'Start again and sign in with another account, usually that of your work.',
    },
    sign_in_required: {
      title: 'You were not signed in',
      text: (provider: string) => `${provider} could not tell who you are, because nobody was signed in.`,
      remedy: (provider: string) => `Sign in to ${provider} in this browser, then start again.`,
    },
    account_mismatch: {
      title: 'Another account',
      text: (provider: string) =>
        `You signed in to another ${provider} account than the one connected before.`,
      remedy: (_provider: string) =>
        'Start again and sign in to the same account, or disconnect that one first.',
    },
    tenant_lost: {
      title: 'Not reached any more',
      text: (provider: string) =>
        `With the ${provider} account that you signed in to, the application does not reach what was connected before.`,
      remedy: (_provider: string) =>
        'Start again, sign in to the account of before, and give access to the same site or organization. Or disconnect first.',
    },
    tenant_unknown: {
      title: 'Not reached',
      text: (provider: string) =>
        `With the ${provider} account that you signed in to, the application does not reach what it asked for.`,
      remedy: (_provider: string) =>
        'Start again with an account that may use it, and give access to it where you are asked to choose.',
    },
    tenant_missing: {
      title: 'Nothing to connect',
      text: (provider: string) =>
        `Your ${provider} account gives the application no access to any site, organization or account.`,
      remedy: (_provider: string) =>
        'Start again, and give access to at least one. You may need to be a member with enough rights there.',
    },
    tenants_refused: {
      title: 'The list was refused',
      text: (provider: string) => `${provider} did not let the application see what your account reaches.`,
      remedy: (_provider: string) =>
        'Please tell the people who run the application: a permission (scope) may be missing, or your account may lack the right.',
    },
    integration_disabled: {
      title: 'Switched off for now',
      text: (provider: string) => `The application has switched ${provider} off for now.`,
      remedy: (_provider: string) => 'Try again later. Accounts that are connected stay so.',
    },
    integration_not_allowed: {
      title: 'Not offered here',
      text: (provider: string) => `The application does not offer ${provider} here.`,
      remedy: (_provider: string) => 'Start again from the application, and choose what it offers.',
    },
    application_variables_missing: {
      title: 'The application has to begin this',
      text: (provider: string) =>
        `For ${provider} the application itself has to say for whom it acts, and it did not.`,
      remedy: (_provider: string) =>
        'You cannot mend this yourself. Please tell the people who run the application.',
    },
    operator_needed: {
      title: 'Something is left to do at the provider',
      text: (provider: string) =>
        `${provider} knows these credentials, but nobody has allowed them there to act for you yet.`,
      remedy: (_provider: string) =>
        'Please ask the people who run the application; they see what has to be done.',
    },
    tenants_unsupported: {
      title: 'Nothing to choose',
      text: (provider: string) =>
        `The application named a part of a ${provider} account, but there are none to choose.`,
      remedy: (_provider: string) =>
        'You cannot mend this yourself. Please tell the people who run the application.',
    },
    missing_scopes: {
      title: 'Permissions are missing',
      text: (provider: string) => `${provider} granted fewer permissions than the application needs.`,
      remedy: (_provider: string) =>
        'Start again and leave every permission ticked. If there is none to tick, your account lacks a right: ask your administrator.',
    },
    credentials_refused: {
      title: 'Credentials not accepted',
      text: (provider: string) => `${provider} does not accept these credentials.`,
      remedy: (_provider: string) => 'Check them and try again.',
    },
    credentials_unproved: {
      title: 'Credentials could not be checked',
      text: (provider: string) =>
        `${provider} gave no answer that shows whether these credentials are right.`,
      remedy: (_provider: string) => 'Check them, and any address that you entered, and try again.',
    },
    integration_misconfigured: {
      title: 'The application is not set up correctly',
      text: (provider: string) =>
        `The application’s set-up for ${provider} is not right: ${provider} refuses it.`,
      remedy: (_provider: string) =>
        'You cannot mend this yourself. Please tell the people who run the application, with the technical details below.',
    },
    client_refused: {
      title: 'The application is not set up correctly',
      text: (provider: string) =>
        `The application’s set-up for ${provider} is not right: ${provider} does not accept the application’s own credentials.`,
      remedy: (provider: string) =>
        `You cannot mend this yourself. Please tell the people who run the application: client id or client secret at ${provider} are wrong or have expired.`,
    },
    invalid_scope: {
      title: 'The application asks for too much',
      text: (provider: string) =>
        `The application asks for permissions that ${provider} does not know or does not give it.`,
      remedy: (_provider: string) =>
        'You cannot mend this yourself. Please tell the people who run the application: the permissions (scopes) of the integration have to be corrected.',
    },
    unauthorized_client: {
      title: 'The application is not approved',
      text: (provider: string) =>
        `${provider} does not know this application, or does not let it connect accounts in this way.`,
      remedy: (provider: string) =>
        `You cannot mend this yourself. Please tell the people who run the application: it has to be approved or switched on at ${provider}.`,
    },
    redirect_uri_mismatch: {
      title: 'The application is not set up correctly',
      text: (provider: string) =>
        `${provider} does not know the address to which it should send you back (the redirect URL).`,
      remedy: (provider: string) =>
        `You cannot mend this yourself. Please tell the people who run the application: the redirect URL has to be registered at ${provider}.`,
    },
    provider_refused_request: {
      title: 'The application is not set up correctly',
      text: (provider: string) => `${provider} could not make sense of what the application asked for.`,
      remedy: (_provider: string) =>
        'You cannot mend this yourself. Please tell the people who run the application, with the technical details below.',
    },
    server_error: {
      title: 'A fault at the provider',
      text: (provider: string) => `Something went wrong at ${provider}.`,
      remedy: (provider: string) =>
        `Try again in a few minutes. If it stays so, look whether ${provider} reports a disruption.`,
    },
    temporarily_unavailable: {
      title: 'Not available at the moment',
      text: (provider: string) => `${provider} is overloaded or being maintained.`,
      remedy: (_provider: string) => 'Try again in a few minutes.',
    },
    provider_unreachable: {
      title: 'The provider cannot be reached',
      text: (provider: string) => `${provider} did not answer when the connection was to be finished.`,
      remedy: (_provider: string) => 'Try again in a few minutes.',
    },
    provider_error: {
      title: 'The provider answered with an error',
      text: (provider: string) => `${provider} answered with an error.`,
      remedy: (_provider: string) =>
        'Try again in a few minutes. If it stays so, tell the people who run the application.',
    },
    session_expired: {
      title: 'This link has expired',
      text: (_provider: string) => 'This took too long, and the link is no longer valid.',
      remedy: (_provider: string) => 'Start again from the application.',
    },
    session_used: {
      title: 'This link has been used',
      text: (_provider: string) => 'This link has been used already, or was opened in another browser.',
      remedy: (_provider: string) => 'Start again from the application.',
    },
    invalid_state: {
      title: 'This page came too late',
      text: (_provider: string) =>
        'This answer belongs to no authorization under way, or came a second time, for instance because the page was loaded again.',
      remedy: (_provider: string) =>
        'If the application shows your account as connected, all is well. Otherwise start again from there.',
    },
    flow_binding_failed: {
      title: 'Another browser',
      text: (_provider: string) =>
        'The authorization was started in another browser, or this browser keeps no cookies. For your safety it ends here.',
      remedy: (_provider: string) =>
        'Start again from the application, stay in one browser, and let it keep cookies of this site.',
    },
    invalid_callback: {
      title: 'An incomplete answer',
      text: (_provider: string) => 'The answer from the provider is incomplete or not the one expected.',
      remedy: (_provider: string) => 'Start again from the application.',
    },
    not_found: {
      title: 'There is no such link',
      text: (_provider: string) => 'This link does not exist, or is no longer kept.',
      remedy: (_provider: string) => 'Start again from the application, and open the whole link.',
    },
    invalid_request: {
      title: 'This could not be read',
      text: (_provider: string) => 'What your browser sent could not be read.',
      remedy: (_provider: string) => 'Go back, load the page again and try once more.',
    },
    body_too_large: {
      title: 'This is too long',
      text: (_provider: string) => 'That is more than fits into this form.',
      remedy: (_provider: string) => 'Go back and try once more.',
    },
    rate_limited: {
      title: 'Too many attempts',
      text: (_provider: string) => 'From your network came more requests than we take in a minute.',
      remedy: (_provider: string) => 'Wait a minute, then load the page again.',
    },
    internal_error: {
      title: 'A fault on our side',
      text: (_provider: string) => 'Something went wrong on our side.',
      remedy: (_provider: string) => 'Try again in a few minutes.',
    },
  },
};

/** What a language has to have. */
export type Texts = typeof EN;

/** Why there is no connection, as finely as people can make use of it. */
export type FailureReason = keyof Texts['failures'];
