import { listCallTemplateNames, listTexts } from '../../lib/call-template.ts';
import { listPlaceholders } from '../../lib/template.ts';
import { namesOfPasted } from '../facts/pasted-values.ts';
import type { ProviderFile } from '../schema/provider.schema.ts';
import type { Fault } from './fault.ts';

type Templates = Readonly<Record<string, string | undefined>>;

const CLIENT = ['clientId', 'clientSecret'];
/** What a JWT may say of the call that it is for. */
const OF_THE_CALL = ['method', 'host', 'path', 'query', 'bodySha256', 'random'];

/** What is wrong with how a file has calls signed: names that nothing gives, and fields that belong together. */
export function signingFaults(file: ProviderFile): Fault[] {
  return [...awsFaults(file), ...oauth1Faults(file), ...jwtFaults(file), ...wsseFaults(file)];
}

function awsFaults(file: ProviderFile): Fault[] {
  const { awsSigV4 } = file;
  if (awsSigV4 === undefined) return [];
  const { accessKeyId, secretAccessKey, sessionToken, service, region, hosts } = awsSigV4;
  const usual = { accessKeyId, secretAccessKey, service, region };
  const templates = sessionToken === '{sessionToken}' ? usual : { ...usual, sessionToken };
  const ofHosts = Object.entries(hosts).flatMap(([name, own]) => [
    ...(Object.hasOwn(file.hosts, name)
      ? []
      : [{ path: ['awsSigV4', 'hosts', name], reason: 'is none of the hosts' }]),
    ...unknownNames(file, ['awsSigV4', 'hosts', name], own, []),
  ]);
  const issued = file.auth === 'token-login' ? ['accessToken'] : [];
  return [...unknownNames(file, ['awsSigV4'], templates, issued), ...ofHosts];
}

function oauth1Faults(file: ProviderFile): Fault[] {
  const { oauth1, authorizationUrl, tokenUrl } = file;
  if (oauth1 === undefined) return [];
  const { consumerKey, consumerSecret, token, tokenSecret, realm, requestTokenUrl } = oauth1;
  const isThreeLegged = requestTokenUrl !== undefined;
  const issued = isThreeLegged ? ['accessToken', 'accessTokenSecret'] : [];
  const templates = { consumerKey, consumerSecret, token, tokenSecret, realm: realm?.value };
  const lacking = Object.entries({ authorizationUrl, tokenUrl })
    .filter(([, url]) => isThreeLegged && url === undefined)
    .map(([field]) => ({ path: [field], reason: 'is needed where there is oauth1.requestTokenUrl' }));
  return [...lacking, ...unknownNames(file, ['oauth1'], templates, [...CLIENT, ...issued])];
}

function jwtFaults(file: ProviderFile): Fault[] {
  const { jwtPerCall } = file;
  if (jwtPerCall === undefined) return [];
  const { key, passphrase, header, claims, parts } = jwtPerCall;
  const pasted = Object.entries(file.variables).flatMap(([name, given]) =>
    typeof given === 'string' ? [] : namesOfPasted(name, given),
  );
  const known = [...OF_THE_CALL, ...Object.keys(parts), ...pasted, ...Object.keys(file.variables)];
  const ofTemplates = Object.entries({ key, passphrase, header, claims }).flatMap(([field, value]) =>
    listTexts([value])
      .flatMap(listCallTemplateNames)
      .filter((name) => !known.includes(name))
      .map((name) => ({
        path: ['jwtPerCall', field],
        reason: `names {${name}}, which is not among the variables`,
      })),
  );
  const ofParts = Object.entries(parts)
    .filter(([, part]) => !Object.hasOwn(file.variables, part.of))
    .map(([name]) => ({ path: ['jwtPerCall', 'parts', name, 'of'], reason: 'is not among the variables' }));
  return [...ofTemplates, ...ofParts];
}

function wsseFaults(file: ProviderFile): Fault[] {
  if (file.wsse === undefined) return [];
  const { username, secret } = file.wsse;
  return unknownNames(file, ['wsse'], { username, secret }, []);
}

function unknownNames(
  file: ProviderFile,
  path: readonly string[],
  templates: Templates,
  known: readonly string[],
): Fault[] {
  return Object.entries(templates).flatMap(([field, template = '']) =>
    listPlaceholders(template)
      .filter((name) => !Object.hasOwn(file.variables, name) && !known.includes(name))
      .map((name) => ({
        path: [...path, field],
        reason: `names {${name}}, which is not among the variables`,
      })),
  );
}
