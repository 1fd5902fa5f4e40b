/** Where facts about providers are read, and which part of it is about one provider. */
export type Origin = {
  /** `owner/name` of a public repository, or a package. */
  readonly from: string;
  readonly kind: 'repository' | 'package';
  /** What is unpacked of it. */
  readonly paths: readonly string[];
  /** Files that are read. */
  readonly file: RegExp;
  /**
   * How the files are divided among providers: the first group of the pattern, in a file's path, is the provider's name;
   * or the file is a table with a provider in each member.
   */
  readonly unit: RegExp | 'yaml-members' | 'json-members' | 'openapi';
  /** Records that send the token of a log-in as `Bearer` unless they say where else: what the origin's own code does. */
  readonly bearer?: RegExp;
};

const repository = (from: string, paths: readonly string[], file: RegExp, unit: Origin['unit']): Origin => ({
  from,
  kind: 'repository',
  paths,
  file,
  unit,
});

export const ORIGINS: readonly Origin[] = [
  {
    ...repository('NangoHQ/nango', ['packages/providers/providers.yaml'], /\.yaml$/, 'yaml-members'),
    bearer: /^(?=.*"auth_mode":"(OAUTH2|OAUTH2_CC|MCP_OAUTH2)")(?!.*"headers":\{[^}]*"authorization")/i,
  },
  {
    from: 'n8n-nodes-base',
    kind: 'package',
    paths: [],
    file: /\/dist\/(credentials\/[^/]+|nodes\/.+)\.js$/,
    unit: /\/dist\/(?:credentials\/([^/]+)\.credentials\.js|nodes\/(?:(?:Aws|Cisco|Google|Microsoft)\/)?([A-Za-z0-9]+)\/)/,
  },
  { from: 'grant', kind: 'package', paths: [], file: /config\/oauth\.json$/, unit: 'json-members' },
  {
    from: '@auth/core',
    kind: 'package',
    paths: [],
    file: /\/providers\/[^/]+\.js$/,
    unit: /\/providers\/([^/]+)\.js$/,
  },
  repository(
    'alan-eu/activepieces',
    ['packages/pieces/community', 'packages/pieces/core'],
    /\/src\/.*\.tsx?$/,
    /packages\/pieces\/(?:community|core)\/([^/]+)\//,
  ),
  repository('metorial/integrations', ['integrations'], /\/src\/.*\.ts$/, /integrations\/([^/]+)\//),
  repository('trufflesecurity/trufflehog', ['pkg/detectors'], /(?<!_test)\.go$/, /pkg\/detectors\/([^/]+)\//),
  repository('mongodb/kingfisher', ['data/rules'], /\.yml$/, /data\/rules\/([^/]+)\.yml$/),
  {
    ...repository(
      'amp-labs/connectors',
      ['providers'],
      /providers\/[^/]+(?<!_test)\.go$/,
      /providers\/([^/]+)\.go$/,
    ),
    bearer: /AuthType:\s+Oauth2/,
  },
  repository('SocialiteProviders/Providers', ['src'], /Provider\.php$/, /src\/([^/]+)\//),
  repository('python-social-auth/social-core', ['social_core/backends'], /\.py$/, /backends\/([^/]+)\.py$/),
  repository(
    'aspnet-contrib/AspNet.Security.OAuth.Providers',
    ['src'],
    /\.cs$/,
    /src\/AspNet\.Security\.OAuth\.([^/]+)\//,
  ),
  repository(
    'better-auth/better-auth',
    ['packages'],
    /(social-providers|generic-oauth\/providers)\/[^/]+\.ts$/,
    /(?:social-providers|providers)\/([^/]+)\.ts$/,
  ),
  repository(
    'microsoft/PowerPlatformConnectors',
    ['certified-connectors', 'independent-publisher-connectors'],
    /(apiDefinition\.swagger|apiProperties)\.json$/i,
    /(?:certified|independent-publisher)-connectors\/([^/]+)\//,
  ),
  repository('automatisch/automatisch', ['packages/backend/src/apps'], /\.js$/, /src\/apps\/([^/]+)\//),
  repository('aipotheosis-labs/aci', ['backend/apps'], /\.json$/, /backend\/apps\/([^/]+)\//),
  repository('simstudioai/sim', ['apps/sim/tools'], /(?<!test)\.ts$/, /sim\/tools\/([^/]+)\//),
  repository(
    'sendinblue/airbyte',
    ['airbyte-integrations/connectors'],
    /\/(manifest\.yaml|source\.py|spec\.(json|yaml)|streams\.py|client\.py|api\.py)$/,
    /connectors\/source-([^/]+)\//,
  ),
  repository(
    'segmentio/action-destinations',
    ['packages/destination-actions/src/destinations'],
    /(?<!test)\.ts$/,
    /src\/destinations\/([^/]+)\//,
  ),
  repository(
    'rudderlabs/rudder-transformer',
    ['src/v0/destinations', 'src/v1/destinations'],
    /\.[jt]s$/,
    /destinations\/([^/]+)\//,
  ),
  repository(
    'langgenius/dify-official-plugins',
    ['tools', 'models', 'datasources', 'triggers'],
    /\.(py|yaml)$/,
    /^(?:tools|models|datasources|triggers)\/([^/]+)\//,
  ),
  repository(
    'pennersr/django-allauth',
    ['allauth/socialaccount/providers'],
    /views\.py$/,
    /providers\/([^/]+)\//,
  ),
  // One repository for each provider.
  repository(
    'api-evangelist/*',
    ['.'],
    /\/(apis\.yml|(authentication|openapi)\/.*\.(ya?ml|json))$/,
    /^([^/]+)\//,
  ),
  repository('singer-io/*', ['.'], /^tap-.*(?<!test.*)\.py$/, /^tap-([^/]+)\//),
  repository('hotgluexyz/*', ['.'], /^tap-.*(?<!test.*)\.py$/, /^tap-([^/]+?)(?:-v\d)?\//),
  repository('ConductorOne/*', ['.'], /^baton-[^/]+\/(?!vendor\/).*(?<!_test)\.go$/, /^baton-([^/]+)\//),
  // Pipedream's own repository is too large for a snapshot; this fork has its components.
  repository(
    'js07/pipedream',
    ['components'],
    /(\.app|\/common\/[^/]+|\/actions\/[^/]+\/[^/]+)\.(mjs|ts|js)$/,
    /components\/([^/]+)\//,
  ),
  repository('bit-apps-pro/bit-integrations', ['backend/Actions'], /\.php$/, /backend\/Actions\/([^/]+)\//),
  repository(
    'clientIO/appmixer-connectors',
    ['src/appmixer'],
    /(?<!test)\.(js|json)$/,
    /src\/appmixer\/(?:(?:google|microsoft|zoho|ai|aws)\/)?([^/]+)\//,
  ),
  repository('zapier/connectors', ['apps'], /apps\/[^/]+\/(?!tests).*\.(ts|json|md)$/, /apps\/([^/]+)\//),
  repository('Autohive-AI/autohive-integrations', ['.'], /^[^/]+\/[^/]+\.(py|json)$/, /^([^/]+)\//),
  repository('vesselapi/integrations', ['src/platforms'], /\.ts$/, /src\/platforms\/([^/]+)\//),
  repository(
    'botpress/botpress',
    ['integrations'],
    /\/src\/.*\.ts$|definition\.ts$/,
    /integrations\/([^/]+)\//,
  ),
  repository('estuary/connectors', ['.'], /^source-.*(?<!test)\.(py|go)$/, /^source-([^/]+?)(?:-native)?\//),
  repository('faros-ai/airbyte-connectors', ['sources'], /\/src\/.*\.ts$/, /sources\/([^/]+)-source\//),
  repository(
    'Orchesty/orchesty-nodejs-connectors',
    ['lib'],
    /\/src\/(?!.*__tests__).*\.ts$/,
    /lib\/([^/]+)\//,
  ),
  repository(
    'databrickslabs/lakeflow-community-connectors',
    ['src/databricks/labs/community_connector/sources'],
    /\/sources\/[^/]+\/[^/]+\.(py|md|json|yaml)$/,
    /\/sources\/([^/]+)\//,
  ),
  repository(
    'fusebit/integrations',
    ['src'],
    /\/(libc|lib|src|integration)\/.*\.[jt]s$/,
    /-(?:connector|provider)\/?|src\/([^/]+)\//,
  ),
  repository('Riminder/hrflow-connectors', ['src/hrflow_connectors'], /\.py$/, /\/connectors\/([^/]+)\//),
  repository('Klavis-AI/klavis', ['mcp_servers'], /(?<!test)\.(py|ts|go)$/, /mcp_servers\/([^/]+)\//),
  repository(
    'airweave-ai/airweave',
    ['backend/airweave/platform'],
    /(sources\/[^/]+\.py|dev\.integrations\.yaml)$/,
    /sources\/([^/]+)\.py$/,
  ),
  repository(
    'TracecatHQ/tracecat',
    ['packages/tracecat-registry/tracecat_registry'],
    /\.(yml|py)$/,
    /(?:templates\/tools|integrations)\/([^/.]+)(?:\/|\.py$)/,
  ),
  repository('fivetran/fivetran_connector_sdk', ['connectors'], /\.py$/, /connectors\/([^/]+)\//),
  repository('camunda/connectors', ['connectors'], /\/element-templates\/.*\.json$/, /connectors\/([^/]+)\//),
  repository(
    'ballerina-platform/openapi-connectors',
    ['openapi'],
    /(client\.bal|openapi\.ya?ml)$/,
    /openapi\/([^/]+)\//,
  ),
  repository('DataFire/Integrations', ['integrations'], /openapi\.json$/, 'openapi'),
  repository(
    'panoratech/Panora',
    ['packages'],
    /\.ts$/,
    /(?:crm|ats|hris|ticketing|accounting|ecommerce|filestorage|marketingautomation)\/services\/([^/]+)\//,
  ),
  repository('jentic/jentic-public-apis', ['apis/openapi'], /\/openapi\.json$/, 'openapi'),
];
