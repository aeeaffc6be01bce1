/**
 * Every option has an effect: what is seen with it differs from what is seen without it. An option whose effect takes a
 * stage of its own names the test that shows it.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, type Options, query, type SDKMessage, tool } from '../../src/index.ts';
import { OPTIONS, type OptionName } from '../../src/options/table.ts';
import {
  callTool,
  fallback,
  type ScriptedModel,
  type ScriptStep,
  say,
  scriptedModel,
} from '../../src/testing/index.ts';
import { gather } from '../sdk/query-under-test.ts';

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

interface Shown {
  /** The option, and what there is in both runs. */
  readonly of: Options | ((place: Place) => Options);
  readonly beside?: Options | ((place: Place) => Options);
  readonly prompt?: string;
  readonly script?: readonly ScriptStep[];
  readonly sees: (seen: Seen) => unknown;
  /** What is seen with the option. */
  readonly as: unknown;
}

/** The test that shows it, by its file and the words of its title. */
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
    tools: [tool('ring', 'Rings.', { n: z.number() }, async () => ({ content: [] }))],
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
  forwardSubagentText: ['test/subagents/agent-in-the-engine.test.ts', 'its text only when asked'],
  replayUserMessages: {
    of: { replayUserMessages: true },
    sees: ({ messages }) => messages.some((message) => 'isReplay' in message),
    as: true,
  },
  agentProgressSummaries: ['test/client/suggestions.test.ts', 'a few words each half minute'],
  promptSuggestions: ['test/client/suggestions.test.ts', 'after the second turn the likely next prompt'],

  model: { of: { model: 'haiku' }, sees: ({ requests }) => requests[0]?.model, as: 'claude-haiku-5-5' },
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
  persistentRetry: ['test/settings/resolve-config.test.ts', '%j beats %j, which beats %j'],
  maxTurns: {
    of: { maxTurns: 1 },
    script: [callTool('Nothing', {}), say('Done.')],
    sees: (seen) => result(seen)?.subtype,
    as: 'error_max_turns',
  },
  maxBudgetUsd: ['test/scenarios/terminal/budget_exhausted.test.ts', 'the last of it is shown'],
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
  permissionTimeoutMs: ['test/sdk/permission-prompts.test.ts', 'a callback that never answers denies'],
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
  permissionPromptToolName: ['test/sdk/permission-prompts.test.ts', 'the tool is asked, and its input runs'],
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

  resume: ['test/sdk/query-over-http.test.ts', 'goes on with a session from its file, by id and by continue'],
  continue: [
    'test/sdk/query-over-http.test.ts',
    'goes on with a session from its file, by id and by continue',
  ],
  forkSession: [
    'test/sdk/query-over-http.test.ts',
    'goes on with a session from its file, by id and by continue',
  ],
  carryOn: ['test/scenarios/faults/late-approval.test.ts', 'exactly the approved call runs, once'],
  resumeSessionAt: ['test/sdk/sessions.test.ts', 'what came after it is in no later request'],
  resumeDropsTurn: ['test/sdk/sessions.test.ts', 'resumeDropsTurn lets exactly that turn go'],
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
  sessionStore: ['test/sdk/session-store.test.ts', 'has every entry of the local file'],
  sessionStoreFlush: ['test/sdk/session-store.test.ts', 'gathers for 100 ms; eager does not'],
  loadTimeoutMs: ['test/sdk/session-store.test.ts', 'fails the resume in a sentence, after loadTimeoutMs'],
  enableFileCheckpointing: [
    'test/session/file-history.test.ts',
    'puts back what was changed since a message',
  ],
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
  managedSettingsFile: ['test/settings/managed.test.ts', 'is heeded with its allow rules'],
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
  trustRecorded: ['test/skills/untrusted-skills.test.ts', 'what was there before does'],
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
  skills: ['test/skills/skills.test.ts', 'the option names which the model may use'],

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
  const given = (options: Shown['of']) => (typeof options === 'function' ? options(place) : options);
  const options = { ...given(beside), ...(withIt ? given(of) : {}) };
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

const isElsewhere = (effect: Shown | Elsewhere): effect is Elsewhere => Array.isArray(effect);

it.each(Object.entries(EFFECTS))('%s', async (name, effect) => {
  if (isElsewhere(effect)) {
    const [file, title] = effect;
    const text = readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8');
    expect(text.includes(title), `${file}: ${title}`).toBe(true);
    return;
  }
  const seen = effect.sees(await run(effect, true));
  expect(seen).toEqual(effect.as);
  expect(effect.sees(await run(effect, false)), `without ${name}`).not.toEqual(effect.as);
});

it('each row of the table is here', () => {
  expect(Object.keys(EFFECTS).sort()).toEqual(Object.keys(OPTIONS).sort());
});
