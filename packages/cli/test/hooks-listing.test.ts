import { startHost } from '@turnwright/test/cli/control-host.ts';
import { type RehearsalServer, startRehearsal } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, expect, it } from 'vitest';

let server: RehearsalServer;
beforeEach(async () => {
  server = await startRehearsal();
});
afterEach(() => server.close());

it('get_hooks_listing lists callbacks of the host and hooks of settings', async () => {
  const settings = { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] } };
  const host = startHost(server, { options: { settings } });
  await host.ask('initialize', { hooks: { PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['hook_0'] }] } });
  expect(await host.ask('get_hooks_listing')).toMatchObject({
    subtype: 'success',
    response: {
      events: [
        { name: 'PreToolUse', hookCount: 1 },
        { name: 'Stop', hookCount: 1 },
      ],
      hooks: [
        { event: 'PreToolUse', matcher: 'Bash', source: 'sessionHook', type: 'callback' },
        { event: 'Stop', source: 'flagSettings', type: 'command', commandText: 'true' },
      ],
      policy: { allDisabled: false },
    },
  });
  host.end();
  expect(await host.ended).toBe(0);
});
