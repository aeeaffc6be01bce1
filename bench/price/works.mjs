// The works of `bench:price`. A work is a list of prompts; each has the answers of the model to it, in order, and what
// the host does before it. Answers are lists of blocks: a string is a text, a pair is a tool call.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HOUR_MS = 3_600_000;
const FILES = 40;
const BIG_FILES = 192;
const words = (seed, chars) =>
  `line ${seed}: the parser reads what the writer wrote, and says so. `
    .repeat(Math.ceil(chars / 60))
    .slice(0, chars);
const lines = (seed, chars) => words(seed, chars).replaceAll('. ', '.\n');
const read = (at) => ['Read', { file_path: `FILES/${at % FILES}.txt` }];
const shell = (at) => [
  'Bash',
  { command: `echo ${words(at, 700).replaceAll(/[:,.]/g, '')}`, description: 'Says a line' },
];
const reads = (count, from = 0) =>
  Array.from({ length: count }, (_, at) => [
    `Step ${from + at}.`,
    at % 3 === 2 ? shell(from + at) : read(from + at),
  ]);
const prompt = (text, answers, more = {}) => ({ text, answers: [...answers, [`Done: ${text}`]], ...more });
const search = (...names) => [
  'ToolSearch',
  { query: `select:${names.map((name) => `mcp__tracker__${name}`).join()}` },
];
const tracker = (name) => [`mcp__tracker__${name}`, { owner: 'a', project: 'b' }];
const servers =
  (count, delayMs = 0) =>
  (script) => ({ tracker: { command: process.execPath, args: [script, String(count), String(delayMs)] } });
const agent = (at) => [
  'Agent',
  {
    description: `Look ${at}`,
    prompt: `AGENT ${at}: read three files and say what they are.`,
    subagent_type: 'general-purpose',
    run_in_background: false,
  },
];
/** The list with the first `done` of three items finished and the next one begun. */
const todos = (done) => [
  'TodoWrite',
  {
    todos: [0, 1, 2].map((at) => ({
      content: `Do part ${at}`,
      activeForm: `Doing part ${at}`,
      status: at < done ? 'completed' : at === done ? 'in_progress' : 'pending',
    })),
  },
];

/** Puts the files that the works read into the project. */
export function furnish(project) {
  mkdirSync(join(project, 'FILES'), { recursive: true });
  for (let at = 0; at < FILES; at++)
    writeFileSync(join(project, 'FILES', `${at}.txt`), `${words(at, 2_400)}\n`);
  for (let at = 0; at < BIG_FILES; at++)
    writeFileSync(join(project, 'FILES', `big-${at}.txt`), `${lines(at, 6_500)}\n`);
  memory(project, 'The tests are in `test`. Say what you did in one sentence.');
}

const memory = (project, text) => writeFileSync(join(project, 'CLAUDE.md'), `# Notes\n\n${text}\n`);

/** By name. `sessions`: prompts of each process, the later ones resume the first. */
export const WORKS = {
  short: { title: 'a short question', sessions: [[prompt('What is two and two?', [])]] },
  turns45: {
    title: '45 turns in five prompts',
    sessions: [Array.from({ length: 5 }, (_, at) => prompt(`Part ${at}: go on reading.`, reads(8, at * 8)))],
  },
  turns200: {
    title: '200 turns, two compactions',
    env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '200000' },
    sessions: [Array.from({ length: 8 }, (_, at) => prompt(`Part ${at}: go on.`, big(24, at * 24)))],
  },
  servers25: {
    title: '25 tools of a server, three of them used',
    servers: servers(25),
    sessions: [
      [
        prompt('Look at the issues.', [
          [search('list_issue', 'get_issue')],
          [tracker('list_issue')],
          [tracker('get_issue')],
          ...reads(4),
        ]),
        prompt('And at the builds.', [[search('list_build')], [tracker('list_build')], ...reads(4, 4)]),
      ],
    ],
  },
  search80: {
    title: 'tool search over 80 tools, eight loads in 30 turns',
    servers: servers(80),
    sessions: [
      ['issue', 'branch', 'build', 'release', 'comment', 'label', 'review', 'deployment'].map((area, at) =>
        prompt(`Look at each ${area}.`, [
          [search(`list_${area}`)],
          [tracker(`list_${area}`)],
          ...reads(2, at * 2),
        ]),
      ),
    ],
  },
  late: {
    title: 'a server that is ready late',
    servers: servers(10, 1500),
    env: { MCP_CONNECTION_NONBLOCKING: '1' },
    sessions: [
      [
        prompt('Read on.', reads(6)),
        prompt('Now the issues.', [[search('list_issue')], [tracker('list_issue')]], { pauseMs: 2500 }),
        prompt('Go on.', reads(3, 6)),
      ],
    ],
  },
  modes: {
    title: 'modes: plan, then on',
    sessions: [
      [
        prompt('Read on.', reads(6)),
        prompt('Make a plan.', reads(3, 6), { before: (query) => query.setPermissionMode('plan') }),
        prompt('Do it.', reads(6, 9), { before: (query) => query.setPermissionMode('bypassPermissions') }),
      ],
    ],
  },
  effort: {
    title: 'effort changed twice',
    sessions: [
      [
        prompt('Read on.', reads(8)),
        prompt('Quickly.', reads(4, 8), {
          before: (query) => query.applyFlagSettings({ effortLevel: 'low' }),
        }),
        prompt('Thoroughly.', reads(4, 12), {
          before: (query) => query.applyFlagSettings({ effortLevel: 'high' }),
        }),
      ],
    ],
  },
  todos: {
    title: 'a list of tasks (the reference offers none with this model)',
    sessions: [
      [
        prompt('Plan and do it.', [
          ...[0, 1, 2].flatMap((at) => [[todos(at)], ...reads(3, at * 3)]),
          [todos(3)],
        ]),
        prompt('Anything left?', reads(12, 20)),
      ],
    ],
  },
  agents: {
    title: 'three subagents',
    sessions: [[prompt('Ask three agents.', [[agent(1)], [agent(2)], [agent(3)], ...reads(3)])]],
    agent: [...reads(3), ['These are three texts.']],
  },
  resumed: {
    title: 'resumed after an hour',
    sessions: [[prompt('Read on.', reads(10))], [prompt('Where were we?', reads(5, 10))]],
    between: ({ passMs }) => passMs(HOUR_MS + 60_000),
  },
  memory: {
    title: 'memory that changes, resumed at once',
    sessions: [
      [prompt('Read on.', reads(10))],
      [prompt('Where were we?', reads(5, 10))],
      [prompt('Go on.', reads(5, 15))],
    ],
    between: ({ project, at }) =>
      memory(project, `The tests are in \`test\`. Note ${at}: answers are short.`),
  },
};

/** Turns that fill a window: 1 900 tokens each, most of them what was read. */
function big(count, from) {
  return Array.from({ length: count }, (_, at) => [
    `Step ${from + at}: on with the next one.`,
    ['Read', { file_path: `FILES/big-${from + at}.txt` }],
  ]);
}
