import '@mantine/core/styles/Tabs.layer.css';
import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { gatewayQuery } from '../../api/operators.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { useExamplePath } from '../../ui/example-call.ts';
import { TextLink } from '../../ui/link.tsx';
import type { Progress } from './home-data.ts';

type Facts = {
  readonly publicUrl: string;
  readonly proxyUrl: string;
  readonly projectId: string;
  readonly provider: string;
  /** Of the provider's API. */
  readonly path: string;
};

/** The finished code of the application, with everything filled in but the API key. */
export function CodeStep({ projectId, progress }: { projectId: string; progress: Progress }) {
  const { home } = useTexts();
  const gateway = useQuery({ ...gatewayQuery, staleTime: 60_000 }).data;
  // The one that the steps before have connected and called.
  const provider = progress.testProvider ?? progress.integrations[0]?.serviceProvider ?? 'hubspot';
  const path = useExamplePath(provider);
  if (gateway === undefined) return null;
  const { publicUrl, proxyUrl } = gateway;
  const codes = codesFor({ publicUrl, proxyUrl, projectId, provider, path });
  return (
    <Tabs defaultValue="node" mt="sm">
      <Tabs.List mb="sm">
        {codes.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {home.codeNames[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {codes.map(({ name, code }) => (
        <Tabs.Panel key={name} value={name}>
          <CodeBlock code={code} label={home.codeNames[name]} />
        </Tabs.Panel>
      ))}
      <p className="soft small" style={{ marginTop: '0.75rem' }}>
        {home.codeKey}{' '}
        <TextLink to="/p/$projectId/settings/$section" params={{ projectId, section: 'api-keys' }}>
          {home.apiKeys}
        </TextLink>
      </p>
    </Tabs>
  );
}

function codesFor({ publicUrl, proxyUrl, projectId, provider, path }: Facts) {
  const address = `${proxyUrl}/projects/${projectId}/proxy/${provider}${path}`;
  const node = `// A token for the user who is logged in to your application.
const minted = await fetch('${publicUrl}/v1/user-tokens', {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.GATEWAY_API_KEY}\`,
    'content-type': 'application/json',
  },
  body: JSON.stringify({ userId: 'your-user-id' }),
});
const { token } = await minted.json();

// The provider's own API, with that user's account.
const response = await fetch('${address}', {
  headers: { authorization: \`Bearer \${token}\` },
});
console.log(await response.json());`;
  const curl = `TOKEN=$(curl -s ${publicUrl}/v1/user-tokens \\
  -H "Authorization: Bearer $GATEWAY_API_KEY" -H "Content-Type: application/json" \\
  -d '{"userId":"your-user-id"}' | sed 's/.*"token":"\\([^"]*\\).*/\\1/')

curl "${address}" -H "Authorization: Bearer $TOKEN"`;
  const browser = `import { createGateway } from '${publicUrl}/sdk/connect.js';

const gateway = createGateway({
  url: '${publicUrl}',
  projectId: '${projectId}',
  token: () => fetch('/gateway-token').then((reply) => reply.text()), // minted by your backend
});
button.onclick = () => gateway.connect('${provider}');`;
  return [
    { name: 'node', code: node },
    { name: 'curl', code: curl },
    { name: 'browser', code: browser },
  ] as const;
}
