/** A worker whose sessions ask before their only call, and park soon. */
import { callTool, fakeTool, say } from '../../../src/testing/index.ts';
import { callsIn, note, scriptedWorker } from './scripted.ts';

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
  { parkAfterMs: 50, allowedTools: [] },
);
