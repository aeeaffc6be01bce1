/** Usage of the context by category. Pure. */

import { oncePer } from '@turnwright/base/collections/made-once.ts';
import type { RecalledMemory } from '../../protocol/model/attachment.ts';
import type { ContextLimits } from '../../protocol/model/context.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { Usage, WireTool } from '../../protocol/model/wire.ts';
import type { ContextCategory, ContextSquare, ContextUsage } from '../../protocol/stream/context-usage.ts';
import { contextSize } from './context-size.ts';
import { messageBreakdown } from './message-breakdown.ts';
import { estimateBlock, estimateMessage, estimateText, estimateTokens } from './token-estimate.ts';

export interface ContextUsageInput {
  readonly model: string;
  readonly limits: ContextLimits;
  readonly autocompact: boolean;
  readonly system: readonly string[];
  readonly userContext: readonly string[];
  readonly memoryFiles: readonly { readonly path: string; readonly type: string; readonly content: string }[];
  /** Absent: unknown; the rest of `overheadTokens` is attributed to them. */
  readonly tools?: readonly WireTool[];
  /** Deferred tools, which are not part of requests. */
  readonly deferredTools?: readonly WireTool[];
  /** Agents that are not built in, with their descriptions. */
  readonly agents?: readonly (Omit<ContextUsage['agents'][number], 'tokens'> & { readonly line: string })[];
  /** Available skills; their announcements are in the messages. */
  readonly skills?: readonly Omit<SkillRow, 'tokens'>[];
  /** Slash commands that there are. */
  readonly commandCount?: number;
  /** An earlier estimate of everything but the messages. */
  readonly overheadTokens?: number;
  readonly messages: readonly ViewMessage[];
  /** Learned real tokens per estimated token. Default 1. */
  readonly factor?: number;
  /** The provider's figure for the first `length` messages and everything before them. */
  readonly measured?: { readonly usage: Usage; readonly length: number };
}

type SkillRow = NonNullable<ContextUsage['skills']>['skillFrontmatter'][number];

const ROWS = 10;
const SQUARES_A_ROW = 20;
const MCP_NAME = /^mcp__(.+?)__(.+)$/;

/** A status line asks after each answer: the definition of a tool is counted once. */
const weighed = oncePer((tool: WireTool) => ({
  name: tool.name,
  tokens: estimateText(JSON.stringify(tool)),
}));

export function contextUsage(input: ContextUsageInput): ContextUsage {
  const { limits, measured, messages, factor = 1 } = input;
  const tools = (input.tools ?? []).map(weighed);
  const texts = countTexts(input.system) + countTexts(input.userContext);
  const allTools = input.tools === undefined ? Math.max(0, (input.overheadTokens ?? 0) - texts) : sum(tools);
  const estimated = texts + allTools + estimateTokens(messages);
  const size = contextSize({
    ...input,
    usage: measured?.usage,
    estimated:
      (measured === undefined ? estimated : estimateTokens(messages.slice(measured.length))) * factor,
  });
  const { totalTokens } = size;
  const scale = estimated === 0 ? 1 : totalTokens / estimated;
  const real: Scaled = (tokens) => Math.round(tokens * scale);

  const rows = listRows(input, tools, real);
  const breakdown = messageBreakdown(messages, scale);
  const used = usedCategories(input, rows, { tools: allTools, results: breakdown.toolResultTokens }, real);
  const inWindow = [...used, ...freeCategories(input, totalTokens)];
  const { agents, skills, instructions, systemTools, ownDeferred } = rows;
  return {
    ...size,
    categories: [...inWindow, ...deferredCategories(rows)],
    gridRows: grid(inWindow, limits.window),
    memoryFiles: [...rows.inHead, ...rows.later],
    mcpTools: [...rows.mcpTools, ...rows.mcpDeferred],
    ...(ownDeferred.length > 0 && { deferredBuiltinTools: ownDeferred }),
    agents,
    ...(input.commandCount !== undefined && {
      slashCommands: { totalCommands: input.commandCount, includedCommands: 0, tokens: 0 },
    }),
    ...(skills.length > 0 && {
      skills: {
        totalSkills: input.skills?.length ?? skills.length,
        includedSkills: skills.length,
        tokens: sum(skills),
        skillFrontmatter: skills,
      },
    }),
    ...(instructions.length > 0 && { mcpInstructions: instructions }),
    systemTools,
    messageBreakdown: breakdown,
  };
}

/** Real tokens for estimated ones. */
type Scaled = (tokens: number) => number;
type Weighed = ReturnType<typeof weighed>;

const countTexts = (texts: readonly string[]): number =>
  texts.reduce((total, text) => total + estimateText(text), 0);

const sum = (list: readonly { readonly tokens: number }[]): number =>
  list.reduce((total, { tokens }) => total + tokens, 0);

/** What has a row of its own, in real tokens. */
function listRows(input: ContextUsageInput, tools: readonly Weighed[], real: Scaled) {
  const { messages } = input;
  const scaled = <T extends { readonly tokens: number }>(row: T): T => ({ ...row, tokens: real(row.tokens) });
  const deferred = (input.deferredTools ?? []).map(weighed);
  const isBuiltin = ({ name }: Weighed) => !MCP_NAME.test(name);
  return {
    /** Memory at the start of the conversation, and behind tool results. */
    inHead: input.memoryFiles.map(({ path, type, content }) => ({
      path,
      type,
      tokens: real(estimateText(content)),
    })),
    later: memoryIn(messages).map(scaled),
    mcpTools: toolsOfServers(tools, true, real),
    mcpDeferred: toolsOfServers(deferred, false, real),
    ownDeferred: deferred.filter(isBuiltin).map(({ name, tokens }) => ({
      name,
      tokens: real(tokens),
      isLoaded: false as const,
    })),
    agents: (input.agents ?? []).map(({ line, ...agent }) => ({
      ...agent,
      tokens: real(estimateText(line)),
    })),
    skills: skillsIn(messages, input.skills ?? []).map(scaled),
    systemTools: tools.filter(isBuiltin).map(({ name, tokens }) => ({ name, tokens: real(tokens) })),
    instructions: instructionsIn(messages).map(scaled),
  };
}

type Rows = ReturnType<typeof listRows>;

function toolsOfServers(list: readonly Weighed[], isLoaded: boolean, real: Scaled) {
  return list.flatMap(({ name, tokens }) => {
    const [, serverName] = MCP_NAME.exec(name) ?? [];
    return serverName === undefined ? [] : [{ name, serverName, tokens: real(tokens), isLoaded }];
  });
}

/** `tools`: estimated; `results`: those of tools, real. */
function usedCategories(
  { system, userContext, messages }: ContextUsageInput,
  { inHead, later, mcpTools, agents, skills, instructions }: Rows,
  { tools, results }: { readonly tools: number; readonly results: number },
  real: Scaled,
): readonly ContextCategory[] {
  const context = Math.max(0, real(countTexts(userContext)) - sum(inHead));
  const spoken = Math.max(
    0,
    real(estimateTokens(messages)) - results - sum(instructions) - sum(skills) - sum(later),
  );
  return [
    category('system_prompt', 'System prompt', real(countTexts(system)) + context, 'blue'),
    category('system_tools', 'Tools', real(tools) - sum(mcpTools) - sum(agents), 'cyan'),
    category('mcp_tools', 'MCP tools', sum(mcpTools), 'magenta'),
    category('mcp_instructions', 'MCP instructions', sum(instructions), 'magenta'),
    category('custom_agents', 'Agents', sum(agents), 'cyan'),
    category('memory_files', 'Memory files', sum(inHead) + sum(later), 'yellow'),
    category('skills', 'Skills', sum(skills), 'yellow'),
    category('messages', 'Messages', spoken, 'green'),
    category('tool_results', 'Tool results', results, 'red'),
  ].filter(({ tokens }) => tokens > 0);
}

/** The rest of the window. */
function freeCategories(
  { limits, autocompact }: ContextUsageInput,
  totalTokens: number,
): readonly ContextCategory[] {
  const buffer = Math.max(0, limits.window - (autocompact ? limits.autocompactAt : limits.blockingAt));
  return [
    {
      id: 'free_space',
      name: 'Free space',
      tokens: Math.max(0, limits.window - buffer - totalTokens),
      color: 'gray',
      kind: 'free',
    },
    {
      id: 'autocompact_buffer',
      name: autocompact ? 'Compaction buffer' : 'Answer buffer',
      tokens: Math.min(buffer, Math.max(0, limits.window - totalTokens)),
      color: 'gray',
      kind: 'buffer',
    },
  ];
}

/** What is not part of requests. */
function deferredCategories({ mcpDeferred, ownDeferred }: Rows): readonly ContextCategory[] {
  return [
    category('mcp_tools_deferred', 'MCP tools (deferred)', sum(mcpDeferred), 'gray'),
    category('system_tools_deferred', 'Tools (deferred)', sum(ownDeferred), 'gray'),
  ]
    .filter(({ tokens }) => tokens > 0)
    .map((each) => ({ ...each, kind: 'deferred' as const, isDeferred: true as const }));
}

/** Instructions are part of the conversation where they were announced; repeated ones count again. */
function instructionsIn(messages: readonly ViewMessage[]): { serverName: string; tokens: number }[] {
  const byServer = new Map<string, number>();
  for (const message of messages) {
    if (message.type !== 'attachment' || message.attachment.type !== 'mcp_instructions') continue;
    const { added = [] } = message.attachment as {
      readonly added?: readonly { readonly server: string; readonly text: string }[];
    };
    for (const { server, text } of added)
      byServer.set(server, (byServer.get(server) ?? 0) + estimateText(text));
  }
  return [...byServer].map(([serverName, tokens]) => ({ serverName, tokens }));
}

/** Memory files that were attached behind tool results. */
function memoryIn(messages: readonly ViewMessage[]): { path: string; type: string; tokens: number }[] {
  return messages.flatMap((message) => {
    if (message.type !== 'attachment') return [];
    const { attachment, rendered } = message;
    if (attachment.type === 'nested_memory') {
      const { path, memoryType } = attachment as { readonly path?: string; readonly memoryType?: string };
      return path === undefined
        ? []
        : [{ path, type: memoryType ?? 'Project', tokens: estimateMessage(message) }];
    }
    if (attachment.type !== 'relevant_memories') return [];
    const { memories = [] } = attachment as { readonly memories?: readonly RecalledMemory[] };
    return memories.map(({ path, scope }, at) => {
      const block = rendered[at];
      const type = scope === 'team' ? 'Project' : 'Local';
      return { path, type, tokens: block === undefined ? 0 : estimateBlock(block) };
    });
  });
}

/** Announcements of skills, counted like instructions of servers. */
function skillsIn(
  messages: readonly ViewMessage[],
  known: NonNullable<ContextUsageInput['skills']>,
): readonly SkillRow[] {
  const byName = new Map<string, number>();
  for (const message of messages) {
    if (message.type !== 'attachment' || message.attachment.type !== 'skill_listing') continue;
    const { lines = {} } = message.attachment as { readonly lines?: Readonly<Record<string, string>> };
    for (const [name, line] of Object.entries(lines))
      byName.set(name, (byName.get(name) ?? 0) + estimateText(line));
  }
  return [...byName].map(([name, tokens]) => ({
    ...(known.find((skill) => skill.name === name) ?? { name, source: 'unknown' }),
    tokens,
  }));
}

function category(id: ContextCategory['id'], name: string, tokens: number, color: string): ContextCategory {
  return { id, name, tokens, color, kind: 'used' };
}

/** Each category gets its share of the squares, at least one; the last one may be partly filled. */
function grid(categories: readonly ContextCategory[], window: number): ContextSquare[][] {
  const all = ROWS * SQUARES_A_ROW;
  const squares = categories.flatMap(({ name, tokens, color, kind }): ContextSquare[] => {
    const exact = (tokens / window) * all;
    return Array.from({ length: Math.ceil(exact) }, (_, at) => ({
      color,
      isFilled: kind === 'used',
      categoryName: name,
      tokens,
      percentage: Math.round((tokens / window) * 100),
      squareFullness: Math.min(1, exact - at),
    }));
  });
  const whole = squares.slice(0, all);
  return Array.from({ length: Math.ceil(whole.length / SQUARES_A_ROW) }, (_, row) =>
    whole.slice(row * SQUARES_A_ROW, (row + 1) * SQUARES_A_ROW),
  );
}
