import { findMcpChange } from '../../src/mandates/mcp-messages.ts';

const message = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const judge = (value: unknown, rawHeaders: readonly string[] = []) =>
  findMcpChange(value, { rawHeaders, readingTools: ['search', 'get_page'] });

describe('a message for an MCP server', () => {
  it.each([
    ...['initialize', 'ping', 'server/discover', 'tools/list', 'resources/list', 'resources/read'],
    ...['resources/templates/list', 'prompts/list', 'prompts/get', 'completion/complete', 'logging/setLevel'],
    ...['notifications/initialized', 'notifications/cancelled'],
  ])('reads: %s', (method) => {
    expect(judge(message(method, {}))).toBeUndefined();
  });

  it.each<[title: string, value: unknown]>([
    ['a tool that is not marked', message('tools/call', { name: 'delete_page' })],
    ['a tool in another case', message('tools/call', { name: 'Search' })],
    ['a tool named twice', message('tools/call', { name: 'search', Name: 'delete_page' })],
    ['a tool named in other letters', message('tools/call', { name: 'search', NAME: 'delete_page' })],
    ['no tool', message('tools/call')],
    ['a method that is not listed', message('resources/subscribe')],
    ['a method in another case', message('Tools/list')],
    ['a member in another case', { ...message('tools/list'), Method: 'tools/call' }],
    ['a response', { jsonrpc: '2.0', id: 1, result: {} }],
    ['another version', { ...message('ping'), jsonrpc: '1.0' }],
    ['a batch with a call', [message('ping'), message('tools/call', { name: 'delete_page' })]],
    ['an empty batch', []],
    ['a text', 'ping'],
  ])('counts as a change: %s', (_title, value) => {
    expect(judge(value)).toEqual(expect.any(String));
  });

  it('calls tools that the operator has marked as reading', () => {
    expect(judge(message('tools/call', { name: 'search', arguments: { query: 'x' } }))).toBeUndefined();
    expect(judge([message('ping'), message('tools/call', { name: 'get_page' })])).toBeUndefined();
  });

  it('has to agree with the fields Mcp-Method and Mcp-Name', () => {
    const call = message('tools/call', { name: 'search' });
    expect(judge(call, ['Mcp-Method', 'tools/call', 'Mcp-Name', 'search'])).toBeUndefined();
    expect(judge(call, ['mcp-name', `=?base64?${btoa('search')}?=`])).toBeUndefined();
    expect(judge(message('resources/read', { uri: 'a:b' }), ['Mcp-Name', 'a:b'])).toBeUndefined();
    for (const fields of [
      ['Mcp-Method', 'tools/list'],
      ['Mcp-Name', 'delete_page'],
      ['Mcp-Method', 'tools/call', 'Mcp-Method', 'tools/call'],
      ['MCP-NAME', `=?base64?${btoa('delete_page')}?=`],
    ])
      expect(judge(call, fields)).toMatch(/disagree/);
    expect(judge([call], ['Mcp-Method', 'tools/call'])).toEqual(expect.any(String));
    expect(judge(message('tools/list'), ['Mcp-Name', 'delete_page'])).toMatch(/disagree/);
  });
});
