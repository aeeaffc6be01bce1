/** A worker whose model says at once that it is done; `CHECK` must succeed before its end is true. */
import { say } from '@turnwright/testing';
import { note, scriptedWorker } from './scripted.ts';

await scriptedWorker(
  (request) => {
    note(request.sessionId, 'asked');
    return say('Done.');
  },
  {},
  {
    tools: ['Bash'],
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    systemPrompt: 'Work.',
    verify: { commands: [process.env['CHECK'] ?? ''], attempts: 1 },
  },
);
