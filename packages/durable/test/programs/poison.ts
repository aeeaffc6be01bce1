/** A worker whose tool ends its process, for sessions with such a name. */
import { setTimeout as sleep } from 'node:timers/promises';
import { callTool, fakeTool, say } from '@turnwright/testing';
import { callsIn, note, scriptedWorker } from './scripted.ts';

await scriptedWorker(
  (request) =>
    callsIn(request).answered.length > 0
      ? say('Done.')
      : callTool('Repeat', {}, { id: `${request.sessionId}.1.idempotent` }),
  {
    engine: {
      tools: [
        fakeTool({
          name: 'Repeat',
          effectClass: 'idempotent',
          async answer(_, { sessionId, toolUseId }) {
            note(sessionId, 'start', toolUseId);
            if (sessionId.startsWith('poison')) process.kill(process.pid, 'SIGKILL');
            await sleep(20);
            return 'done';
          },
        }),
      ],
    },
  },
);
