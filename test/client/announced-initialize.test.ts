/** What a host promises on the command line to send first, and what happens when it does not come. */

import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { turnwright } from '../cli/bin.ts';
import { envFor, type Fields, isResult, STREAM, startProcess } from './host-process.ts';

let server: RehearsalServer;
beforeEach(async () => {
  server = await startRehearsal();
});
afterEach(() => server.close());

const start = (...args: string[]) =>
  startProcess({
    args: [...STREAM, '--setting-sources=', '--dangerously-skip-permissions', ...args],
    env: envFor(server),
  });
const bash = toolUse('Bash', { command: 'echo hi' });

it.each<{ how: string; flag: string; fields: Fields }>([
  {
    how: 'the policy of the host',
    flag: '--managed-settings-in-initialize',
    fields: { managedSettings: { permissions: { deny: ['Bash(echo:*)'] } } },
  },
  {
    how: 'settings',
    flag: '--initialize-fields=settings',
    fields: { settings: { permissions: { deny: ['Bash(echo:*)'] } } },
  },
  {
    how: 'denied tools',
    flag: '--initialize-fields=disallowedTools',
    fields: { disallowedTools: ['Bash(echo:*)'] },
  },
])('$how, sent with initialize, holds', async ({ flag, fields }) => {
  server.setScenario({ name: 'denied', replies: [reply(bash), reply('Well.')] });
  const host = start('--await-initialize', flag);
  expect(await host.ask('initialize', fields)).toMatchObject({ subtype: 'success' });
  host.prompt('Go.');
  expect(await host.until(isResult)).toMatchObject({
    subtype: 'success',
    permission_denials: [{ tool_name: 'Bash' }],
  });
  host.end();
  expect((await host.exit).code).toBe(0);
});

it.each<{ how: string; args: string[]; fields: Fields; reason: string }>([
  {
    how: 'no policy in it',
    args: ['--managed-settings-in-initialize'],
    fields: {},
    reason: 'managed_settings_not_delivered',
  },
  {
    how: 'a policy that is no object',
    args: ['--managed-settings-in-initialize'],
    fields: { managedSettings: 'deny everything' },
    reason: 'managed_settings_not_delivered',
  },
  {
    how: 'two policies',
    args: ['--managed-settings-in-initialize', '--managed-settings', '{}'],
    fields: { managedSettings: {} },
    reason: 'managed_settings_not_delivered',
  },
  {
    how: 'one of two fields',
    args: ['--initialize-fields=settings,disallowedTools'],
    fields: { settings: {} },
    reason: 'initialize_fields_not_delivered',
  },
  {
    how: 'a field that has a flag as well',
    args: ['--initialize-fields=disallowedTools', '--disallowedTools', 'Bash'],
    fields: { disallowedTools: ['Read'] },
    reason: 'initialize_fields_not_delivered',
  },
])('$how: an error, a result that says why, and no session', async ({ args, fields, reason }) => {
  const host = start(...args);
  expect(await host.ask('initialize', fields)).toMatchObject({ subtype: 'error' });
  host.prompt('Go.');
  expect(await host.until(isResult)).toMatchObject({
    subtype: 'error_during_execution',
    startup_failure_reason: reason,
    num_turns: 0,
  });
  expect((await host.exit).code).toBe(1);
  expect(host.lines.map(({ type }) => type)).toEqual(['control_response', 'result']);
  expect(server.requests).toEqual([]);
});

it.each([
  ['--await-initialize', 'initialize_not_first'],
  ['--managed-settings-in-initialize', 'managed_settings_not_delivered'],
  ['--initialize-fields=settings', 'initialize_fields_not_delivered'],
])('%s, and a prompt comes first', async (flag, reason) => {
  const host = start(flag);
  host.prompt('Go.');
  expect(await host.until(isResult)).toMatchObject({ startup_failure_reason: reason });
  expect((await host.exit).code).toBe(1);
  expect(server.requests).toEqual([]);
});

it('a host that closes the input without initialize gets an error', async () => {
  const host = start('--managed-settings-in-initialize');
  host.end();
  expect((await host.exit).code).toBe(1);
  expect(host.lines).toMatchObject([{ startup_failure_reason: 'managed_settings_not_delivered' }]);
});

it('the flags are refused without stream-json input', async () => {
  const ran = await turnwright(['-p', '--initialize-fields=settings', 'Go.'], { env: { ...envFor(server) } });
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('--input-format stream-json') });
  const unknown = await turnwright(['-p', '--initialize-fields=sandbox', 'Go.'], {
    env: { ...envFor(server) },
  });
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('settings and disallowedTools') });
});
