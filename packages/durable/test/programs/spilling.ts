/**
 * A worker whose tools answer with more than the conversation takes. The model reads the end of what was stored when
 * it is asked to, by the paths that it was given, and says what it has read.
 */
import { createSdkMcpServer, tool } from '@turnwright/engine';
import { callTool, reply, say } from '@turnwright/testing';
import { callsIn, note, scriptedWorker } from './scripted.ts';

const LINES = 60_000;
const big = tool('big', 'Returns much text.', {}, async () => ({
  content: [
    { type: 'text', text: Array.from({ length: LINES }, (_, n) => `line ${n + 1} of big`).join('\n') },
  ],
}));

/** The first text of the conversation that names such a file, and that file. */
function namedIn(texts: readonly string[], ending: RegExp): string {
  for (const text of texts) {
    const found = ending.exec(text);
    if (found !== null) return found[0];
  }
  return 'none';
}

await scriptedWorker(
  (request) => {
    const { called } = callsIn(request);
    const id = (name: string) => `${request.sessionId}.1.${name}`;
    const texts = request.view.slice().map((message) => JSON.stringify(message));
    if (!called.includes(id('big')))
      return reply([
        callTool('mcp__local__big', {}, { id: id('big') }),
        callTool('Bash', { command: `seq -f 'line %.0f of bash' ${LINES}` }, { id: id('bash') }),
      ]);
    const isReading = texts.some((text) => text.includes('Read them.'));
    if (!isReading) return say('Stored.');
    if (!called.includes(id('read-big'))) {
      const path = (of: string) =>
        namedIn(texts, new RegExp(`/[^" ]*/tool-results/[^" ]*${of}\\.(?:txt|json)`));
      note(request.sessionId, 'paths', path('big'), path('bash'));
      return reply([
        callTool('Bash', { command: `tail -c 100 ${path('big')}` }, { id: id('read-big') }),
        callTool('Read', { file_path: path('bash'), offset: LINES - 1 }, { id: id('read-bash') }),
      ]);
    }
    const read = texts.filter((text) => text.includes('read-'));
    for (const of of ['big', 'bash'])
      note(
        request.sessionId,
        'read',
        of,
        String(read.some((text) => text.includes(`line ${LINES} of ${of}`))),
      );
    return say('Read.');
  },
  {},
  {
    mcpServers: { local: createSdkMcpServer({ name: 'local', tools: [big] }) },
    allowedTools: ['mcp__local__big', 'Bash', 'Read'],
  },
);
