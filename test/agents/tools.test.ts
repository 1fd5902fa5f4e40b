import { encode } from 'gpt-tokenizer';
import { describeTools } from '../../src/agents/tools.ts';

const TOKENS_MAX = 1_500;

describe('the tools of the door for agents', () => {
  const tools = describeTools();

  it('take no more than 1,500 tokens of a model’s context, all together', () => {
    expect(encode(JSON.stringify({ tools })).length).toBeLessThanOrEqual(TOKENS_MAX);
  });

  it('have flat inputs: no alternatives, no references, no objects inside', () => {
    for (const { inputSchema } of tools) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(JSON.stringify(inputSchema)).not.toMatch(/"(?:oneOf|anyOf|allOf|\$ref|\$defs)"/);
    }
  });
});
