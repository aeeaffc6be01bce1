/**
 * Every option has an effect: what is seen with it differs from what is seen without it. An option whose effect takes
 * time, or a host that answers, names the test that shows it; that test must exist and give the option.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { everyNth } from '@turnwright/test/long-form.ts';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import {
  callTool,
  fallback,
  type ScriptedModel,
  type ScriptStep,
  say,
  scriptedModel,
  virtualClock,
} from '@turnwright/testing';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  createSdkMcpServer,
  type Options,
  projectTrust,
  query,
  type SDKMessage,
  type SessionStore,
  tool,
  trustProject,
} from '../../src/index.ts';
import { OPTIONS, type OptionName } from '../../src/options/table.ts';

interface Place {
  readonly cwd: string;
  readonly home: string;
  /** What callbacks were told. */
  readonly lines: string[];
  put(path: string, value: unknown): string;
}

interface Seen extends Place {
  readonly messages: readonly SDKMessage[];
  readonly requests: ScriptedModel['requests'];
  readonly error: unknown;
}

type Given = Options | ((place: Place) => Options | Promise<Options>);

interface Shown {
  /** The option, and what there is in both runs. */
  readonly of: Given;
  readonly beside?: Given;
  readonly prompt?: string;
  readonly script?: readonly ScriptStep[];
  readonly sees: (seen: Seen) => unknown;
  /** What is seen with the option. */
  readonly as: unknown;
}

/** The test that shows it, by its file and a part of its title. The test names the option. */
type Elsewhere = readonly [file: string, title: string];

const AGENTS: Options = {
  tools: ['Agent'],
  agents: { digger: { description: 'Digs.', prompt: 'You are a digger.' } },
};
const SPAWN = callTool('Agent', { description: 'dig', prompt: 'Dig.', subagent_type: 'digger' });
const WRITE = callTool('Write', { file_path: 'a.txt', content: 'x' });
const MAY_WRITE: Options = { tools: ['Write'], allowedTools: ['Write'] };
const server = () =>
  createSdkMcpServer({
    name: 'desk',
    tools: [
      tool('ring', 'Rings.', { n: z.number() }, async () => ({ content: [] })),
      tool('approve', 'Approves.', { input: z.record(z.string(), z.unknown()) }, async ({ input }) => ({
        content: [{ type: 'text', text: JSON.stringify({ behavior: 'allow', updatedInput: input }) }],
      })),
    ],
  });

const EARLIER = '0b8f7a52-5d0e-4d0c-9a39-6f1f2a3b4c5d';

/** Has a session of two turns run in the place; `lines` then holds the uuids of its answers. */
async function earlier({ cwd, home, lines }: Place): Promise<Options> {
  const prompts = ['An earlier prompt.', 'A second prompt.'];
  for (const [at, prompt] of prompts.entries()) {
    const { callModel } = scriptedModel([say('Well.')]);
    const options = {
      cwd,
      env: { TURNWRIGHT_HOME: home },
      tools: [],
      engine: { callModel },
      ...(at === 0 ? { sessionId: EARLIER } : { resume: EARLIER }),
    };
    for await (const message of query({ prompt, options }))
      if (message.type === 'assistant') lines.push(message.uuid);
  }
  return {};
}

/** A store that writes down its batches. */
const storeInto = (lines: string[]): SessionStore => ({
  append: async (_, entries) => void lines.push(`${entries.length} entries`),
  load: async () => null,
});

const called = (lines: string[]) => async () => {
  lines.push('called');
  return {};
};

const init = ({ messages }: Seen) => {
  const found = messages.find((message) => message.type === 'system' && message.subtype === 'init');
  return found as Extract<SDKMessage, { subtype: 'init' }> | undefined;
};
const result = ({ messages }: Seen) => messages.findLast((message) => message.type === 'result');
const subtypes = ({ messages }: Seen) => messages.map((m) => ('subtype' in m ? m.subtype : m.type));
const wrote = ({ cwd }: Seen) => existsSync(join(cwd, 'a.txt'));
const asked = ({ requests }: Seen) => JSON.stringify(requests[0] ?? null);
const toolNames = ({ requests }: Seen) => requests[0]?.tools.map(({ name }) => name);

const EFFECTS: Readonly<Record<OptionName, Shown | Elsewhere>> = {
  autoMode: {
    beside: { permissionMode: 'auto', tools: ['Write'] },
    of: { autoMode: { judge: 'haiku' } },
    script: [
      callTool('Write', { file_path: 'a.txt', content: 'x' }),
      say('{"verdict":"allow","reason":"Asked for."}'),
      say('Done.'),
    ],
    sees: wrote,
    as: true,
  },
  languageServers: {
    of: {
      languageServers: { servers: { none: { command: 'none', extensionToLanguage: { '.txt': 'text' } } } },
    },
    beside: { tools: ['LSP'] },
    sees: (seen) => toolNames(seen)?.includes('LSP'),
    as: true,
  },
  verify: {
    of: { verify: { exist: ['never-written.txt'], attempts: 0 } },
    sees: ({ messages }) => messages.flatMap((m) => (m.type === 'result' ? [m.terminal_reason] : [])),
    as: ['unverified'],
  },
  outputFormat: {
    of: { outputFormat: { type: 'json_schema', schema: { type: 'object' } } },
    script: [callTool('StructuredOutput', { n: 3 }), say('Done.')],
    sees: ({ messages }) => messages.flatMap((m) => ('structured_output' in m ? [m.structured_output] : [])),
    as: [{ n: 3 }],
  },
  includePartialMessages: {
    of: { includePartialMessages: true },
    sees: ({ messages }) => messages.some(({ type }) => type === 'stream_event'),
    as: true,
  },
  includeHookEvents: {
    beside: {
      settings: { hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: ':' }] }] } },
    },
    of: { includeHookEvents: true },
    sees: (seen) => subtypes(seen).includes('hook_started'),
    as: true,
  },
  forwardSubagentText: {
    beside: AGENTS,
    of: { forwardSubagentText: true },
    script: [SPAWN, say('Dug.'), say('Done.')],
    sees: ({ messages }) =>
      messages.some(
        (message) =>
          message.type === 'assistant' &&
          message.parent_tool_use_id !== null &&
          JSON.stringify(message.message).includes('Dug.'),
      ),
    as: true,
  },
  replayUserMessages: {
    of: { replayUserMessages: true },
    sees: ({ messages }) => messages.some((message) => 'isReplay' in message),
    as: true,
  },
  agentProgressSummaries: ['test/client/suggestions.test.ts', 'a few words each half minute'],
  promptSuggestions: ['test/client/suggestions.test.ts', 'after the second turn the likely next prompt'],

  model: { of: { model: 'haiku' }, sees: ({ requests }) => requests[0]?.model, as: 'claude-haiku-5-5' },
  provider: ['packages/engine/test/engine/providers.test.ts', 'the session asks the provider that is named'],
  baseUrl: [
    'packages/engine/test/engine/providers.test.ts',
    'the address of an option takes the place of that of the environment',
  ],
  providers: [
    'packages/engine/test/engine/providers.test.ts',
    'a model of another provider is asked there, with its own key',
  ],
  fallbackModel: {
    of: { fallbackModel: 'sonnet' },
    script: [fallback(), say('Here.')],
    sees: ({ requests }) => requests.at(-1)?.model,
    as: 'claude-sonnet-5-5',
  },
  thinking: {
    of: { thinking: { type: 'adaptive', display: 'omitted' } },
    sees: ({ requests }) => requests[0]?.thinking,
    as: { type: 'adaptive', display: 'omitted' },
  },
  maxThinkingTokens: {
    beside: { model: 'claude-haiku-4-5' },
    of: { maxThinkingTokens: 4_000 },
    sees: ({ requests }) => requests[0]?.thinking,
    as: { type: 'enabled', budgetTokens: 4_000 },
  },
  effort: { of: { effort: 'low' }, sees: ({ requests }) => requests[0]?.effort, as: 'low' },
  betas: { of: { betas: ['b-1'] }, sees: ({ requests }) => requests[0]?.betas, as: ['b-1'] },
  fastMode: { of: { fastMode: true }, sees: ({ requests }) => requests[0]?.speed, as: 'fast' },
  persistentRetry: ['packages/engine/test/model/retry.test.ts', 'waits out any number of 529'],
  maxTurns: {
    of: { maxTurns: 1 },
    script: [callTool('Nothing', {}), say('Done.')],
    sees: (seen) => result(seen)?.subtype,
    as: 'error_max_turns',
  },
  maxBudgetUsd: {
    of: { maxBudgetUsd: 0.5 },
    script: [callTool('Nothing', {}, { usage: { output_tokens: 100_000 } }), say('Done.')],
    sees: (seen) => result(seen)?.subtype,
    as: 'error_max_budget_usd',
  },
  strictBudget: {
    beside: () => ({ maxBudgetUsd: 0.01 }),
    of: { strictBudget: true },
    sees: ({ requests }) => requests.length,
    as: 0,
  },
  askAboveUsd: ['packages/engine/test/engine/budget/asking-budget.test.ts', 'asked above'],
  messageThreads: ['packages/engine/test/engine/message-threads.test.ts', 'journals and results'],
  taskBudget: {
    of: { taskBudget: { total: 50_000 } },
    sees: ({ requests }) => requests[0]?.taskBudget?.total,
    as: 50_000,
  },
  systemPrompt: {
    of: { systemPrompt: 'You are a parrot.' },
    sees: ({ requests }) => requests[0]?.system[0],
    as: 'You are a parrot.',
  },

  tools: { of: { tools: ['Read'] }, sees: toolNames, as: ['Read'] },
  allowedTools: {
    beside: { tools: ['Write'] },
    of: { allowedTools: ['Write'] },
    script: [WRITE, say('Done.')],
    sees: wrote,
    as: true,
  },
  disallowedTools: {
    beside: { tools: ['Read'] },
    of: { disallowedTools: ['Read'] },
    sees: toolNames,
    as: [],
  },
  allowedToolsOnly: {
    beside: { tools: ['Write'], permissionMode: 'bypassPermissions' },
    of: { allowedToolsOnly: true },
    script: [WRITE, say('Done.')],
    sees: wrote,
    as: false,
  },
  permissionMode: {
    of: { permissionMode: 'acceptEdits' },
    sees: (seen) => init(seen)?.permissionMode,
    as: 'acceptEdits',
  },
  allowDangerouslySkipPermissions: {
    beside: { settings: { permissions: { defaultMode: 'bypassPermissions' } } },
    of: { allowDangerouslySkipPermissions: true },
    sees: (seen) => init(seen)?.permissionMode,
    as: 'bypassPermissions',
  },
  canUseTool: {
    beside: { tools: ['Write'] },
    of: { canUseTool: async (_, updatedInput) => ({ behavior: 'allow', updatedInput }) },
    script: [WRITE, say('Done.')],
    sees: wrote,
    as: true,
  },
  permissionTimeoutMs: [
    'packages/engine/test/sdk/permission-prompts.test.ts',
    'a callback that never answers denies',
  ],
  parkAfterMs: [
    'packages/engine/test/engine/parking/questions.test.ts',
    'that does not come within parkAfterMs',
  ],
  permissionPrompts: {
    beside: {
      tools: ['Write'],
      canUseTool: async (_, updatedInput) => ({ behavior: 'allow', updatedInput }),
    },
    of: { permissionPrompts: 'none' },
    script: [WRITE, say('Done.')],
    sees: wrote,
    as: false,
  },
  permissionPromptToolName: {
    beside: () => ({ tools: ['Write'], mcpServers: { desk: server() } }),
    of: { permissionPromptToolName: 'mcp__desk__approve' },
    script: [WRITE, say('Done.')],
    sees: wrote,
    as: true,
  },
  additionalDirectories: {
    of: { additionalDirectories: ['/elsewhere'] },
    sees: (seen) => asked(seen).includes('/elsewhere'),
    as: true,
  },
  sandbox: {
    // Nothing to isolate with is found on an empty path.
    of: { sandbox: { enabled: true } },
    sees: ({ requests }) => requests.length,
    as: 0,
  },
  toolAliases: {
    beside: MAY_WRITE,
    of: { toolAliases: { Scribble: 'Write' } },
    script: [callTool('Scribble', { file_path: 'a.txt', content: 'x' }), say('Done.')],
    sees: wrote,
    as: true,
  },
  toolConfig: {
    beside: { tools: ['AskUserQuestion'], canUseTool: async () => ({ behavior: 'deny', message: 'No.' }) },
    of: { toolConfig: { askUserQuestion: { previewFormat: 'html' } } },
    sees: (seen) => /html/i.test(asked(seen)),
    as: true,
  },
  toolSearch: {
    beside: () => ({ tools: ['ToolSearch'], mcpServers: { desk: server() } }),
    of: { toolSearch: false },
    sees: (seen) => toolNames(seen)?.includes('mcp__desk__ring'),
    as: true,
  },
  planModeInstructions: {
    beside: { permissionMode: 'plan' },
    of: { planModeInstructions: 'Draw it first.' },
    sees: (seen) => asked(seen).includes('Draw it first.'),
    as: true,
  },

  resume: {
    beside: earlier,
    of: { resume: EARLIER },
    sees: (seen) => asked(seen).includes('An earlier prompt.'),
    as: true,
  },
  continue: {
    beside: earlier,
    of: { continue: true },
    sees: (seen) => asked(seen).includes('An earlier prompt.'),
    as: true,
  },
  forkSession: {
    beside: async (place) => ({ ...(await earlier(place)), resume: EARLIER }),
    of: { forkSession: true },
    sees: (seen) => init(seen)?.session_id === EARLIER,
    as: false,
  },
  carryOn: ['test/scenarios/faults/late-approval.test.ts', 'exactly the approved call runs, once'],
  resumeSessionAt: {
    beside: async (place) => ({ ...(await earlier(place)), resume: EARLIER }),
    of: ({ lines: [firstAnswer] }) => ({ resumeSessionAt: firstAnswer }),
    sees: (seen) => asked(seen).includes('A second prompt.'),
    as: false,
  },
  resumeDropsTurn: {
    beside: async (place) => {
      const options = await earlier(place);
      return { ...options, resume: EARLIER, resumeSessionAt: place.lines[0] };
    },
    // It names another prompt than the one whose turn would be dropped, so the resume is refused.
    of: { resumeDropsTurn: EARLIER },
    sees: ({ requests }) => requests.length,
    as: 0,
  },
  sessionId: {
    of: { sessionId: '0b8f7a52-5d0e-4d0c-9a39-6f1f2a3b4c5d' },
    sees: (seen) => init(seen)?.session_id,
    as: '0b8f7a52-5d0e-4d0c-9a39-6f1f2a3b4c5d',
  },
  title: {
    of: { title: 'A walk' },
    sees: (seen) => subtypes(seen).includes('session_title_changed'),
    as: true,
  },
  persistSession: {
    of: { persistSession: false },
    sees: ({ home }) => existsSync(join(home, 'projects')),
    as: false,
  },
  sessionStore: {
    of: ({ lines }) => ({ sessionStore: storeInto(lines) }),
    sees: ({ lines }) => lines.length > 0,
    as: true,
  },
  sessionStoreFlush: {
    beside: ({ lines }) => ({ sessionStore: storeInto(lines), engine: { clock: virtualClock() } }),
    of: { sessionStoreFlush: 'eager' },
    script: [callTool('Nothing', {}), say('Done.')],
    // Without time passing, batches are handed over only before the result and at the end.
    sees: ({ lines }) => lines.length > 2,
    as: true,
  },
  loadTimeoutMs: [
    'packages/engine/test/sdk/session-store.test.ts',
    'fails the resume in a sentence, after loadTimeoutMs',
  ],
  enableFileCheckpointing: {
    beside: ({ put }) => {
      put('work/a.txt', 'before');
      return { tools: ['Read', 'Write'], allowedTools: ['Write'] };
    },
    of: { enableFileCheckpointing: true },
    script: [callTool('Read', { file_path: 'a.txt' }), WRITE, say('Done.')],
    sees: ({ home }) => readdirSync(home, { recursive: true }).some((path) => /file-history/.test(`${path}`)),
    as: true,
  },
  settings: {
    of: { settings: { model: 'haiku' } },
    sees: ({ requests }) => requests[0]?.model,
    as: 'claude-haiku-5-5',
  },
  settingSources: {
    beside: ({ put }) => {
      put('home/settings.json', { model: 'haiku' });
      return {};
    },
    of: { settingSources: ['user'] },
    sees: ({ requests }) => requests[0]?.model,
    as: 'claude-haiku-5-5',
  },
  managedSettings: {
    beside: MAY_WRITE,
    of: { managedSettings: { permissions: { deny: ['Write'] } } },
    script: [WRITE, say('Done.')],
    sees: wrote,
    as: false,
  },
  managedSettingsFile: ['packages/engine/test/settings/managed.test.ts', 'is heeded with its allow rules'],
  projectConfigRoot: {
    beside: ({ put }) => {
      put('other/.claude/settings.json', { permissions: { deny: ['Write'] } });
      return { ...MAY_WRITE, settingSources: ['project'] };
    },
    of: ({ cwd }) => ({ projectConfigRoot: join(dirname(cwd), 'other') }),
    script: [WRITE, say('Done.')],
    sees: wrote,
    as: false,
  },
  projectTrusted: {
    beside: ({ put }) => {
      put('work/.claude/settings.json', { permissions: { allow: ['Write'] } });
      return { tools: ['Write'], settingSources: ['project'] };
    },
    of: { projectTrusted: true },
    script: [WRITE, say('Done.')],
    sees: wrote,
    as: true,
  },
  trustRecorded: {
    beside: async ({ cwd, home, put }) => {
      put('work/.claude/settings.json', { permissions: { allow: ['Write'] } });
      const place = { cwd, env: { TURNWRIGHT_HOME: home } };
      await trustProject(await projectTrust(place), place);
      return { tools: ['Write'], settingSources: ['project'], projectTrusted: false };
    },
    of: { trustRecorded: true },
    script: [WRITE, say('Done.')],
    sees: wrote,
    as: true,
  },
  verbatimPrompts: {
    prompt: '/help',
    of: { verbatimPrompts: true },
    sees: ({ requests }) => requests.length,
    as: 1,
  },
  disableSlashCommands: {
    prompt: '/help',
    of: { disableSlashCommands: true },
    sees: ({ requests }) => requests.length,
    as: 1,
  },

  agent: {
    beside: AGENTS,
    of: { agent: 'digger' },
    sees: ({ requests }) => requests[0]?.system.some((part) => part.includes('You are a digger.')),
    as: true,
  },
  agents: {
    beside: { tools: ['Agent'] },
    of: AGENTS,
    sees: (seen) => init(seen)?.agents?.includes('digger'),
    as: true,
  },
  maxSubagentDepth: { beside: AGENTS, of: { maxSubagentDepth: 0 }, sees: toolNames, as: [] },
  maxSubagents: {
    beside: AGENTS,
    of: { maxSubagents: 0 },
    script: [SPAWN, say('Dug.'), say('Done.')],
    sees: ({ requests }) => requests.length,
    as: 2,
  },
  maxSubagentsPerMessage: {
    beside: AGENTS,
    of: { maxSubagentsPerMessage: 0 },
    script: [SPAWN, say('Dug.'), say('Done.')],
    sees: ({ requests }) => requests.length,
    as: 2,
  },
  maxBackgroundTasks: [
    'test/scenarios/faults/background-work-after-the-turn.test.ts',
    'no more run in the background than may',
  ],
  subagentDeadlineMs: ['test/scenarios/faults/hanging-agent.test.ts', 'one of two agents hangs'],
  perTaskStopAffordance: ['test/client/tasks.test.ts', 'with perTaskStopAffordance an interrupt spares'],

  hooks: {
    of: ({ lines }) => ({
      hooks: { UserPromptSubmit: [{ hooks: [called(lines)] }] },
    }),
    sees: ({ lines }) => lines,
    as: ['called'],
  },
  mcpServers: {
    of: () => ({ mcpServers: { desk: server() } }),
    sees: (seen) => init(seen)?.mcp_servers.map(({ name, status }) => [name, status]),
    as: [['desk', 'connected']],
  },
  strictMcpConfig: {
    beside: ({ put }) => {
      put('work/.mcp.json', { mcpServers: { shed: { command: join('/', 'none') } } });
      return { settingSources: ['project'], projectTrusted: true };
    },
    of: { strictMcpConfig: true },
    sees: (seen) => init(seen)?.mcp_servers,
    as: [],
  },
  onAttached: [
    'packages/engine/test/commands/mentions.test.ts',
    'tells the host what a prompt brought along',
  ],
  onMcpWait: [
    'packages/engine/test/mcp/first-request.test.ts',
    'reports to the host which servers it waits for, and goes on without them',
  ],
  onElicitation: ['test/client/mcp.test.ts', 'have their questions answered by the host'],
  plugins: {
    beside: ({ put }) => {
      put('garden/.claude-plugin/plugin.json', { name: 'garden' });
      return {};
    },
    of: ({ cwd }) => ({ plugins: [{ type: 'local', path: join(dirname(cwd), 'garden') }] }),
    sees: (seen) => init(seen)?.plugins?.map(({ name }) => name),
    as: ['garden'],
  },
  skills: {
    beside: ({ put }) => {
      put('home/skills/paint/SKILL.md', '---\nname: paint\ndescription: About paint.\n---\nBody.');
      return { tools: ['Skill'], settingSources: ['user'] };
    },
    of: { skills: [] },
    sees: (seen) => asked(seen).includes('About paint.'),
    as: false,
  },

  cwd: {
    of: ({ put }) => ({ cwd: dirname(put('other/note.txt', '')) }),
    sees: (seen) => init(seen)?.cwd.endsWith('other'),
    as: true,
  },
  env: {
    of: ({ home }) => ({ env: { TURNWRIGHT_HOME: home, ANTHROPIC_MODEL: 'haiku' } }),
    sees: ({ requests }) => requests[0]?.model,
    as: 'claude-haiku-5-5',
  },
  abortController: {
    of: () => {
      const abortController = new AbortController();
      abortController.abort();
      return { abortController };
    },
    sees: ({ error }) => (error as Error | undefined)?.name,
    as: 'AbortError',
  },
  stderr: {
    beside: { tools: ['Nonesuch'] },
    of: ({ lines }) => ({ stderr: (line) => lines.push(line) }),
    sees: ({ lines }) => lines,
    as: ['There is no built-in tool "Nonesuch"; it was passed over.'],
  },
  debug: {
    beside: ({ lines }) => ({ stderr: (line) => lines.push(line) }),
    of: { debug: true },
    sees: ({ lines }) => lines.length > 0,
    as: true,
  },
  debugFile: {
    of: ({ cwd }) => ({ debugFile: join(cwd, 'a.txt') }),
    sees: wrote,
    as: true,
  },
  tracing: {
    of: ({ lines }) => ({
      tracing: {
        tracer: {
          startSpan(name) {
            lines.push(name);
            return { setAttributes: () => {}, addEvent: () => {}, setStatus: () => {}, end: () => {} };
          },
        },
      },
    }),
    sees: ({ lines }) => lines.map((name) => name.split(' ')[0]),
    as: ['invoke_agent', 'turnwright.iteration', 'chat'],
  },
  extraArgs: {
    of: { extraArgs: { model: 'haiku' } },
    sees: ({ requests }) => requests[0]?.model,
    as: 'claude-haiku-5-5',
  },
  engine: {
    of: { engine: { maxOutputTokens: 6_000 } },
    sees: ({ requests }) => requests[0]?.maxTokens,
    as: 6_000,
  },
};

async function run({ of, beside = {}, prompt = 'Go.', script = [say('Done.')] }: Shown, withIt: boolean) {
  const root = mkdtempSync(join(tmpdir(), 'turnwright-effect-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const put = (path: string, value: unknown) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
    return file;
  };
  const place: Place = { cwd: join(root, 'work'), home: join(root, 'home'), lines: [], put };
  mkdirSync(place.cwd);
  const given = async (options: Given) => (typeof options === 'function' ? options(place) : options);
  const options = { ...(await given(beside)), ...(withIt ? await given(of) : {}) };
  const model = scriptedModel(script);
  const running = query({
    prompt,
    options: {
      cwd: place.cwd,
      env: { TURNWRIGHT_HOME: place.home },
      tools: [],
      ...options,
      engine: { callModel: model.callModel, ...options.engine },
    },
  });
  const { messages, error } = await gather(running);
  await running.close();
  return { ...place, messages, error, requests: model.requests };
}

/** The source of the tests in a file whose title holds these words, up to the next test. */
function testsIn(file: string, title: string): readonly string[] {
  const text = readFileSync(fileURLToPath(new URL(`../../../../${file}`, import.meta.url)), 'utf8');
  const tests = text.split(/^(?=\s*(?:it|test)(?:\.each)?\()/m);
  return tests.filter((test) => test.includes(title));
}

const isElsewhere = (effect: Shown | Elsewhere): effect is Elsewhere => Array.isArray(effect);

/** In the short form, every second of the options whose effect is seen here. */
const shown = new Set(
  everyNth(
    2,
    Object.keys(EFFECTS).filter((name) => !isElsewhere(EFFECTS[name as OptionName])),
  ),
);

it.each(Object.entries(EFFECTS).filter(([name, effect]) => isElsewhere(effect) || shown.has(name)))(
  '%s',
  async (name, effect) => {
    if (isElsewhere(effect)) {
      const [file, title] = effect;
      expect(testsIn(file, title).join('\n'), `${file}: ${title}`).toMatch(new RegExp(`\\b${name}\\b`));
      return;
    }
    const seen = effect.sees(await run(effect, true));
    expect(seen).toEqual(effect.as);
    expect(effect.sees(await run(effect, false)), `without ${name}`).not.toEqual(effect.as);
  },
);

it('each row of the table is here', () => {
  expect(Object.keys(EFFECTS).sort()).toEqual(Object.keys(OPTIONS).sort());
});
