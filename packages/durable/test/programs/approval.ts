/**
 * A worker whose sessions ask before their only call, and park soon. `OPTIONS`: those of sessions whose ids begin so, in
 * place of that: JSON.
 */
import type { Options } from '@turnwright/engine';
import { callTool, fakeTool, say } from '@turnwright/testing';
import { callsIn, note, scriptedWorker } from './scripted.ts';

const given = Object.entries(JSON.parse(process.env['OPTIONS'] ?? '{}') as Record<string, Partial<Options>>);

await scriptedWorker(
  (request) =>
    callsIn(request).answered.length > 0
      ? say('Done.')
      : callTool('Effect', {}, { id: `${request.sessionId}.1.unsafe` }),
  {
    concurrency: 50,
    engine: {
      tools: [
        fakeTool({
          name: 'Effect',
          effectClass: 'unsafe',
          answer(_, { sessionId, toolUseId }) {
            note(sessionId, 'start', toolUseId);
            return 'done';
          },
        }),
      ],
    },
  },
  (sessionId) => ({
    parkAfterMs: 50,
    allowedTools: [],
    ...given.find(([start]) => sessionId.startsWith(start))?.[1],
  }),
);
