/** A worker in the mode `auto`: its judge allows the first call, which is `CALL`, and hands on the second one. */
import { callTool, say } from '@turnwright/testing';
import { callsIn, note, scriptedWorker } from './scripted.ts';

await scriptedWorker(
  (request) => {
    if (request.querySource === 'permission_judge') {
      const isFirst = JSON.stringify(request.view.slice()).includes('once.sh');
      note(request.sessionId, 'judged', isFirst ? 'first' : 'second');
      return say(
        JSON.stringify(
          isFirst
            ? { verdict: 'allow', reason: 'It was asked for.' }
            : { verdict: 'hand_on', reason: 'It was not asked for.' },
        ),
      );
    }
    const { called } = callsIn(request);
    if (called.length === 0) return callTool('Bash', { command: 'bash once.sh' }, { id: 'first' });
    if (called.length === 1) return callTool('Bash', { command: 'touch second' }, { id: 'second' });
    return say('Done.');
  },
  {},
  {
    tools: ['Bash'],
    cwd: process.env['PROJECT'] ?? '',
    permissionMode: 'auto',
    permissionPrompts: 'none',
    autoMode: { judge: 'haiku' },
    systemPrompt: 'Work.',
  },
);
