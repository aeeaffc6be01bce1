// A server of tools over stdio: `node tool-server.mjs <number of tools> [ms before it answers the first message]`.
import { createInterface } from 'node:readline';

const count = Number(process.argv[2]);
const delayMs = Number(process.argv[3] ?? 0);
const AREAS = ['issue', 'branch', 'build', 'release', 'comment', 'label', 'review', 'deployment'];
const ACTS = ['list', 'get', 'create', 'update', 'close', 'search', 'assign', 'export', 'archive', 'count'];

/** About 350 tokens each, as tools of public servers have. */
const toolAt = (at) => {
  const area = AREAS[at % AREAS.length];
  const act = ACTS[Math.floor(at / AREAS.length) % ACTS.length];
  const field = (what) => ({
    type: 'string',
    description: `The ${what} of the ${area}, as the tracker shows it to its users.`,
  });
  return {
    name: `${act}_${area}`,
    description:
      `${act} the ${area} records of a project. Records are found by owner, project and number, and come with ` +
      `their state, their author and the times of their changes. A record that the caller may not see is left out. ` +
      `At most 100 records are given at once; the cursor of an answer asks for those that follow.`,
    inputSchema: {
      type: 'object',
      properties: {
        owner: field('owner'),
        project: field('project'),
        number: { type: 'integer', description: `Number of the ${area} in its project, from 1.` },
        state: { type: 'string', enum: ['open', 'closed', 'all'], description: 'Which records are meant.' },
        cursor: field('position'),
        fields: {
          type: 'array',
          items: { type: 'string' },
          description: 'Names of the fields that are wanted.',
        },
      },
      required: ['owner', 'project'],
    },
  };
};

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'tracker', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: Array.from({ length: count }, (_, at) => toolAt(at)) }),
  'tools/call': ({ name }) => ({
    content: [{ type: 'text', text: `${name}: ${'a record, open; '.repeat(60)}` }],
  }),
  ping: () => ({}),
};

if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const body = answer
    ? { result: answer(params ?? {}) }
    : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
}
