/** Every control request that the published types name: answered, or refused with a sentence that says which. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TOOLBOX } from '../mcp/servers-under-test.ts';
import {
  envFor,
  type Fields,
  type HostProcess,
  isA,
  isResult,
  STREAM,
  startProcess,
  temporary,
} from './host-process.ts';

const types = readFileSync(
  fileURLToPath(new URL('node_modules/@anthropic-ai/claude-agent-sdk/sdk.d.ts', import.meta.url)),
  'utf8',
);
const guide = readFileSync(fileURLToPath(new URL('../../docs/compatibility.md', import.meta.url)), 'utf8');

/** The subtypes of the union of requests, both ways. */
const SUBTYPES = (/declare type SDKControlRequestInner = ([^;]*);/.exec(types)?.[1] ?? '')
  .split('|')
  .map((name) => {
    const text = types.slice(types.indexOf(`declare type ${name.trim()} = {`));
    return /subtype: '(\w+)'/.exec(text)?.[1] ?? name;
  });

interface Row {
  readonly fields?: object;
  /** The payload, at least; without it there is none. */
  readonly answer?: Fields;
  /** Part of the sentence. */
  readonly refusal?: string;
}

const some = expect.any(String);
const number = expect.any(Number);
const list = expect.any(Array);
const object = expect.any(Object);
const unsupported = (subtype: string): Row => ({
  refusal: `Unsupported control request subtype: ${subtype}`,
});
const NO_SUCH = '99999999-9999-4999-8999-999999999999';

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  initialize: [{ answer: { commands: list, models: list, agents: list, account: object } }],
  interrupt: [
    { answer: { still_queued: [] } },
    { fields: { cancel_queued: true }, answer: { cancelled: [] } },
  ],
  set_permission_mode: [
    { fields: { mode: 'plan' }, answer: { mode: 'plan' } },
    { fields: { mode: 'manual' }, answer: { mode: 'default' } },
    { fields: { mode: 'auto' }, refusal: 'needs a judge' },
    { fields: { mode: 'bypassPermissions' }, refusal: 'bypassPermissions' },
  ],
  set_model: [
    { fields: { model: 'haiku' }, answer: { model: 'claude-haiku-5-5' } },
    { answer: { model: 'claude-opus-5-5' } },
    { fields: { model: 7 }, refusal: '"model" must be' },
  ],
  set_max_thinking_tokens: [{ fields: { max_thinking_tokens: 4_000 } }],
  rename_session: [
    { fields: { title: 'Larches' } },
    { fields: { title: '' }, refusal: 'title' },
    { fields: { title: 'Other', session_id: NO_SUCH }, refusal: NO_SUCH },
  ],
  mcp_status: [
    { answer: { mcpServers: [expect.objectContaining({ name: 'box', status: 'connected', tools: list })] } },
  ],
  get_context_usage: [
    { answer: { categories: list, totalTokens: number, rawMaxTokens: number, percentage: number } },
    { fields: { detail: 'full' }, answer: { categories: list } },
  ],
  get_session_cost: [{ answer: { text: expect.stringMatching(/^Cost: .*\n.*Model calls:/s) } }],
  list_models: [
    { answer: { models: expect.arrayContaining([expect.objectContaining({ value: 'default' })]) } },
  ],
  get_usage: [
    {
      answer: {
        session: {
          total_cost_usd: number,
          total_api_duration_ms: number,
          total_duration_ms: number,
          total_lines_added: 0,
          total_lines_removed: 0,
          model_usage: object,
        },
        rate_limits_available: false,
        rate_limits: null,
        subscription_type: null,
        behaviors: null,
      },
    },
  ],
  get_binary_version: [{ answer: { version: expect.stringMatching(/^2\.\d+\.\d+$/) } }],
  mcp_call: [
    { fields: { tool: 'mcp__box__echo', arguments: { text: 'hear me' } }, answer: { content: some } },
    { fields: { tool: 'mcp__box__none' }, refusal: 'mcp__box__none' },
    { fields: { tool: 'mcp__box__fail' }, refusal: 'it did not work' },
    {
      fields: { tool: 'mcp__box__fail', soft_error_result: true },
      answer: { isError: true, content: [{ type: 'text', text: 'it did not work' }] },
    },
    { fields: { tool: 'mcp__box__touch', check_permissions: true }, refusal: 'did not run' },
    ...['input_files', 'output_files', 'expires_at', 'result_not_for_model'].map((name) => ({
      fields: { tool: 'mcp__box__echo', [name]: [] },
      refusal: `mcp_call: "${name}" is not supported.`,
    })),
  ],
  file_suggestions: [
    { fields: { query: 'lar' }, answer: { suggestions: ['larch.txt'], cwd: expect.any(String) } },
  ],
  mcp_message: [
    {
      fields: { server_name: 'k', message: { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } },
      answer: { mcp_response: { jsonrpc: '2.0', id: 0, result: {} } },
    },
  ],
  rewind_files: [
    { fields: { user_message_id: NO_SUCH, dry_run: true }, answer: { canRewind: false, error: some } },
  ],
  cancel_async_message: [{ fields: { message_uuid: NO_SUCH }, answer: { cancelled: false } }],
  read_file: [
    {
      fields: { path: 'larch.txt' },
      answer: { contents: 'A tree.\n', absPath: expect.stringMatching(/larch\.txt$/) },
    },
    {
      fields: { path: 'larch.txt', encoding: 'base64', max_bytes: 3 },
      answer: { contents: 'QSB0', truncated: true },
    },
    { fields: { path: 'none.txt' }, refusal: 'none.txt is not there, or may not be read' },
  ],
  seed_read_state: [{ fields: { path: 'larch.txt', mtime: 1 } }],
  mcp_set_servers: [
    { fields: { servers: {} }, answer: { added: [], removed: [], errors: {} } },
    { fields: { servers: 7 }, refusal: '"servers" must be an object' },
  ],
  reload_plugins: [
    { answer: { commands: list, agents: list, plugins: [], mcpServers: list, error_count: 0 } },
    { fields: { add_plugins: 7 }, refusal: 'Plugins must be a list' },
  ],
  reload_skills: [{ answer: { skills: [] } }],
  reload_output_styles: [
    { answer: { available_output_styles: ['default', 'Proactive', 'Concise', 'Explanatory', 'Learning'] } },
  ],
  mcp_reconnect: [{ fields: { serverName: 'box' } }, { fields: { serverName: 'none' }, refusal: 'none' }],
  mcp_toggle: [
    { fields: { serverName: 'box', enabled: false } },
    { fields: { serverName: 'box', enabled: true } },
    { fields: { serverName: 'none', enabled: true }, refusal: 'none' },
  ],
  set_has_subscribers: [{ fields: { has_subscribers: false } }, { fields: { has_subscribers: true } }],
  stop_task: [{ fields: { task_id: 'none' }, answer: {} }],
  background_tasks: [
    { answer: { backgrounded: true } },
    { fields: { tool_use_id: 'none' }, answer: { backgrounded: false } },
  ],
  get_task_output: [{ fields: { task_id: 'none' }, refusal: 'none' }],
  apply_flag_settings: [
    { fields: { settings: { permissions: { allow: ['Bash(ls:*)'] } } } },
    { fields: { settings: null }, refusal: '"settings" must be an object' },
    { fields: { settings: { permissions: 7 } }, refusal: 'permissions' },
  ],
  get_settings: [{ answer: { effective: object, sources: list } }],
  get_hooks_listing: [{ answer: { events: list, hooks: [], policy: object } }],
  update_settings: [
    { fields: { source: 'userSettings', settings: { effortLevel: 'low' } }, answer: {} },
    { fields: { source: 'userSettings', settings: { hooks: {} } }, refusal: 'hooks' },
  ],
  list_permission_rules: [
    {
      answer: {
        state: expect.objectContaining({ rules: list, workspaceDirectories: list, originalCwd: some }),
      },
    },
  ],
  mcp_read_resource: [{ fields: { serverName: 'none', uri: 'ui://x' }, refusal: 'none' }],
};

/** Nothing here that they could change; the last four are ours to ask. */
const REFUSED = [
  'set_color',
  'register_repo_root',
  'can_use_tool',
  'hook_callback',
  'elicitation',
  'request_user_dialog',
];

let server: RehearsalServer;
let host: HostProcess;
const start = () => {
  const cwd = temporary();
  writeFileSync(join(cwd, 'larch.txt'), 'A tree.\n');
  const config = JSON.stringify({ mcpServers: { box: { command: process.execPath, args: [TOOLBOX] } } });
  host = startProcess({
    args: [
      ...STREAM,
      '--setting-sources',
      'user',
      '--mcp-config',
      config,
      '--allowedTools',
      'mcp__box__echo',
    ],
    cwd,
    env: envFor(server),
  });
};
beforeEach(async () => {
  server = await startRehearsal();
});
afterEach(() => server.close());

it('each subtype that the types name has its row, and each refused one is named in the guide', () => {
  expect(SUBTYPES.length).toBeGreaterThan(40);
  expect(SUBTYPES.filter((name) => !(name in ROWS) && !REFUSED.includes(name))).toEqual([]);
  const hosts = guide.slice(guide.indexOf('## Requests of the host'), guide.indexOf('## Flags'));
  for (const name of SUBTYPES) if (name !== 'request_user_dialog') expect(hosts).toContain(name);
});

it('every request, one after the other, in one session that has not begun a turn', async () => {
  start();
  await host.ask('initialize');
  // Answered once the server is there.
  await host.ask('mcp_reconnect', { serverName: 'box' });
  const wrong: unknown[] = [];
  for (const [subtype, rows] of Object.entries(ROWS)) {
    for (const { fields = {}, answer, refusal } of rows) {
      const response = await host.ask(subtype, fields);
      const expected =
        refusal === undefined
          ? { subtype: 'success', ...(answer !== undefined && { response: expect.objectContaining(answer) }) }
          : { subtype: 'error', error: expect.stringContaining(refusal) };
      const fits = expect.objectContaining(expected).asymmetricMatch(response);
      const isBare = refusal !== undefined || answer !== undefined || !('response' in response);
      if (!fits || !isBare) wrong.push({ subtype, fields, response });
    }
  }
  for (const subtype of [...REFUSED, 'submit_feedback', 'levitate']) {
    const response = await host.ask(subtype, {});
    if (
      response['error'] !== unsupported(subtype).refusal ||
      response['error_code'] !== 'unsupported_request'
    )
      wrong.push({ subtype, response });
  }
  expect(wrong).toEqual([]);
  // The session is none the worse for it.
  server.setScenario({ name: 'after', replies: [reply('Still here.')] });
  host.prompt('Go.');
  expect(await host.until(isResult)).toMatchObject({ subtype: 'success', result: 'Still here.' });
  host.end();
  expect((await host.exit).code).toBe(0);
  expect(host.stderr()).toBe('');
});

it('mcp_call answers while a turn runs, and its result is no part of the conversation', async () => {
  server.setScenario({
    name: 'meanwhile',
    replies: [reply(toolUse('Bash', { command: 'until [ -e go ]; do sleep 0.02; done' })), reply('Done.')],
  });
  start();
  await host.ask('initialize');
  await host.ask('apply_flag_settings', { settings: { permissions: { allow: ['Bash'] } } });
  host.prompt('Go.');
  await host.until(isA('assistant'));
  const answer = await host.ask('mcp_call', {
    tool: 'mcp__box__echo',
    arguments: { text: 'heard meanwhile' },
  });
  expect(JSON.stringify(answer)).toContain('heard meanwhile');
  await host.ask('mcp_call', { tool: 'mcp__box__echo', arguments: { text: 'x' }, timeout_ms: 5_000 });
  const { absPath } = (await host.ask('read_file', { path: 'larch.txt' }))['response'] as { absPath: string };
  writeFileSync(join(absPath, '..', 'go'), '');
  await host.until(isResult);
  expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain('heard meanwhile');
  host.end();
  await host.exit;
});
