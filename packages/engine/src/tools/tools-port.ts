/** The tools of a session for the loop: their descriptions, and an executor for each iteration. */

import { andThen } from '@turnwright/base/async/promises.ts';
import type { Scope } from '@turnwright/base/async/scope.ts';
import type { PathBase } from '@turnwright/base/files/home-path.ts';
import type { JsonObject, JsonSchema } from '../protocol/json.ts';
import type { Life } from '../protocol/life.ts';
import type { ToolUseBlock, WireTool } from '../protocol/model/wire.ts';
import type { Clock, Ids } from '../protocol/ports.ts';
import { TOOL_SEARCH_TOOL } from '../protocol/tools/builtin-tools.ts';
import type { GatePorts } from '../protocol/tools/gate-ports.ts';
import type { McpOrigin } from '../protocol/tools/mcp.ts';
import type { AnyTool, ToolContext } from '../protocol/tools/tool.ts';
import type { ToolCall, ToolExecutor } from '../protocol/tools/tool-call.ts';
import type { SearchableTool } from './builtin/tool-search.ts';
import { asLoaded, type Deferral, type DescribedTool, isDeferrable } from './deferral.ts';
import { StreamingToolExecutor } from './executor.ts';
import { observableInput } from './gate/observable-input.ts';
import { outwardInput } from './gate/outward-input.ts';
import { withSchemaHint } from './gate/schema-hint.ts';
import { createToolSet, type ToolSet } from './tool-set.ts';
import type { ResultPorts } from './tool-update.ts';

type Chain = ToolContext['queryTracking'];

interface ToolsPortOptions {
  /** A function if the set changes while the session runs: the same array means the same tools. */
  readonly tools: readonly AnyTool[] | (() => readonly AnyTool[]);
  readonly gate: GatePorts;
  /** Called when a call's turn has come. */
  makeContext(call: ToolCall, life: Life, ...more: [Chain, delivered: () => Promise<void>]): ToolContext;
  readonly clock: Clock;
  readonly ids: Ids;
  /** What of a result may enter the conversation. Default: all of it. */
  readonly admit?: ResultPorts['admit'];
  /** Concurrency-safe calls that run together. Default 10. */
  readonly maxConcurrency?: number;
  /** The session's own folder, which descriptions may name, and its home. Default `.`. */
  readonly base?: PathBase;
  /** Which tools are deferred. Default: none. */
  readonly deferral?: Deferral;
  /** false: this tool is not offered; a call of it is still answered. Default: all are. */
  readonly offers?: (tool: AnyTool) => boolean;
  /** Tools that are left out; agents of one session share it, and `quarantine` adds to it. */
  readonly quarantined?: Set<string>;
  /** Names that the model may call, and the tools that run instead: one hop. */
  readonly aliases?: Readonly<Record<string, string>>;
}

export interface SessionToolsPort {
  wireTools(model: string): readonly WireTool[] | Promise<readonly WireTool[]>;
  open(input: {
    readonly scope: Scope;
    readonly iteration: number;
    readonly chainId: string;
    readonly depth: number;
  }): ToolExecutor;
  backfill(block: ToolUseBlock): ToolUseBlock;
  /** Of a tool that an MCP server offers. */
  mcpOf(name: string): McpOrigin | undefined;
  /** The input for hooks and hosts. */
  outwardInput(block: ToolUseBlock): JsonObject;
  /** Names that the model can call, deferred ones included, in their order. */
  names(): readonly string[];
  /** The tools that ToolSearch searches. */
  searchable(model: string): Promise<readonly SearchableTool[]>;
  /** Names of deferred tools; the same array while nothing changed, [] while none is deferred. */
  deferredNames(model: string): readonly string[] | Promise<readonly string[]>;
  /** Deferred tools that are not loaded. */
  deferred(model: string): Promise<readonly WireTool[]>;
  /** Removes a tool from all further requests (F153). false: it was removed already. */
  quarantine(name: string): boolean;
}

/** Throws `invalid_option` for duplicate names, and names that the API does not accept. */
export function createToolsPort(options: ToolsPortOptions): SessionToolsPort {
  return new Tools(options);
}

class Tools implements SessionToolsPort {
  readonly #options: ToolsPortOptions;
  readonly #tools: () => ToolSet;
  readonly #quarantined: Set<string>;
  readonly #known = new Map<string, DescribedSet>();
  #modifiers: readonly ((context: ToolContext) => ToolContext)[] = [];

  constructor(options: ToolsPortOptions) {
    this.#options = options;
    this.#tools = currentTools(options.tools);
    this.#quarantined = options.quarantined ?? new Set();
  }

  wireTools(model: string): readonly WireTool[] | Promise<readonly WireTool[]> {
    return andThen(this.#describedFor(model), ({ wire }) => wire);
  }

  deferredNames(model: string): readonly string[] | Promise<readonly string[]> {
    return andThen(this.#describedFor(model), ({ index }) => index);
  }

  async searchable(model: string): Promise<readonly SearchableTool[]> {
    const deferral = this.#deferral;
    const described = await (await this.#describedFor(model)).described;
    return described
      .filter(({ tool }) => this.#isTold(tool) && tool.name !== TOOL_SEARCH_TOOL)
      .map(({ tool, wire }) => ({
        name: tool.name,
        description: wire.description ?? '',
        hint: tool.searchHint ?? '',
        deferred: deferral?.defers(tool) === true,
      }));
  }

  async deferred(model: string): Promise<readonly WireTool[]> {
    const deferral = this.#deferral;
    return (await (await this.#describedFor(model)).described)
      .filter(({ tool }) => this.#isTold(tool) && deferral?.defers(tool) === true)
      .map(({ wire }) => wire);
  }

  quarantine(name: string): boolean {
    if (this.#quarantined.has(name)) return false;
    this.#quarantined.add(name);
    return true;
  }

  names(): readonly string[] {
    return this.#tools()
      .all.filter((tool) => this.#isTold(tool))
      .map(({ name }) => name);
  }

  open({ scope, chainId, depth }: Parameters<SessionToolsPort['open']>[0]): ToolExecutor {
    const { admit, clock, gate, ids, makeContext, maxConcurrency } = this.#options;
    const executor = new StreamingToolExecutor({
      tools: { all: this.#tools().all, find: (name) => this.#find(name) },
      gate,
      clock,
      ids,
      ...(maxConcurrency !== undefined && { maxConcurrency }),
      ...(admit !== undefined && { admit }),
      makeContext: (call, life, delivered) =>
        this.#modifiers.reduce(
          (context, modify) => modify(context),
          makeContext(call, life, { chainId, depth }, delivered),
        ),
      onModifyContext: (modify) => {
        this.#modifiers = [...this.#modifiers, modify];
      },
    });
    scope.onClose(() => (executor.open > 0 ? executor.abort('discarded') : undefined));
    return executor;
  }

  backfill(block: ToolUseBlock): ToolUseBlock {
    const input = observableInput(this.#find(block.name), block.input);
    return input === block.input ? block : { ...block, input };
  }

  mcpOf(name: string): McpOrigin | undefined {
    return this.#find(name)?.mcp;
  }

  outwardInput(block: ToolUseBlock): JsonObject {
    return outwardInput(
      this.#find(block.name),
      block.input,
      this.#options.base ?? { cwd: '.' },
    ) as JsonObject;
  }

  /** Without ToolSearch, as in agents with a list of their own, nothing can be loaded later. */
  get #deferral(): Deferral | undefined {
    return this.#deferralOf(this.#tools());
  }

  #deferralOf(set: ToolSet): Deferral | undefined {
    return set.find(TOOL_SEARCH_TOOL) === undefined ? undefined : this.#options.deferral;
  }

  #isTold(tool: AnyTool): boolean {
    const { offers } = this.#options;
    const deferral = this.#deferral;
    return (
      offers?.(tool) !== false &&
      !this.#quarantined.has(tool.name) &&
      (tool.name !== TOOL_SEARCH_TOOL || deferral?.active === true)
    );
  }

  #find(name: string): AnyTool | undefined {
    const { aliases } = this.#options;
    const set = this.#tools();
    const target = aliases !== undefined && Object.hasOwn(aliases, name) ? (aliases[name] as string) : name;
    const tool = set.find(target);
    if (tool === undefined) return undefined;
    return this.#deferralOf(set)?.defers(tool) === true ? withSchemaHint(tool) : tool;
  }

  /** Computed once per model and set of tools, so that requests repeat byte for byte (L3). */
  #describedFor(model: string): DescribedSet | Promise<DescribedSet> {
    const set = this.#tools();
    let entry = this.#known.get(model);
    if (entry?.set !== set) {
      const about = { cwd: this.#options.base?.cwd ?? '.', model };
      const described = Promise.all(
        set.all.map(async (tool) => ({ tool, wire: await describe(tool, about) })),
      );
      const fresh: DescribedSet = { set, described, version: -1, without: 0, window: 0, wire: [], index: [] };
      entry = fresh;
      this.#known.set(model, fresh);
      described.then(
        (all) => {
          fresh.described = all;
        },
        () => undefined,
      );
    }
    const current = entry;
    return andThen(current.described, (all) => this.#upToDate(current, all, model));
  }

  /** The part of them that is sent now. */
  #upToDate(entry: DescribedSet, described: readonly DescribedTool[], model: string): DescribedSet {
    const { offers } = this.#options;
    const deferral = this.#deferralOf(entry.set);
    const window = deferral?.windowOf(model) ?? 0;
    const version = deferral?.version ?? 0;
    const without = this.#quarantined.size;
    if (entry.version === version && entry.without === without && entry.window === window) return entry;
    entry.window = window;
    deferral?.weigh(
      described.filter(({ tool }) => offers?.(tool) !== false),
      model,
    );
    entry.version = deferral?.version ?? 0;
    entry.without = without;
    const told = described.filter(({ tool }) => this.#isTold(tool));
    const rank = ({ tool }: DescribedTool) => deferral?.rank(tool) ?? -1;
    entry.wire = told
      .filter(({ tool }) => deferral?.defers(tool) !== true)
      .sort((a, b) => rank(a) - rank(b))
      .map((each) => (rank(each) < 0 ? each.wire : asLoaded(each.wire)));
    const index = told
      .filter(({ tool }) => deferral?.active === true && isDeferrable(tool))
      .map(({ tool }) => tool.name);
    if (index.join() !== entry.index.join()) entry.index = index;
    return entry;
  }
}

/** Descriptions of one set of tools for one model. */
interface DescribedSet {
  readonly set: ToolSet;
  /** A promise until every tool has returned its description. */
  described: readonly DescribedTool[] | Promise<readonly DescribedTool[]>;
  /** Key of the two lists below: version of the deferral, number of quarantined tools, window. */
  version: number;
  without: number;
  window: number;
  wire: readonly WireTool[];
  index: readonly string[];
}

/** The current set, rebuilt only when the tools change. */
function currentTools(source: ToolsPortOptions['tools']): () => ToolSet {
  const read = typeof source === 'function' ? source : () => source;
  let from = read();
  let set = createToolSet(from);
  return () => {
    const now = read();
    if (now !== from) {
      set = createToolSet(now);
      from = now;
    }
    return set;
  };
}

async function describe(tool: AnyTool, about: { cwd: string; model: string }): Promise<WireTool> {
  let description = '';
  try {
    description = await tool.description(undefined, about);
  } catch {
    // A tool whose description fails must not make every request fail (F152): its schema is still sent.
  }
  return wireTool(tool.name, description, tool.inputJsonSchema);
}

const describedBefore = new WeakMap<JsonSchema, WireTool>();

/** One object for all sessions that describe a tool alike, so that its JSON is made and kept once. */
function wireTool(name: string, description: string, input_schema: JsonSchema): WireTool {
  const before = describedBefore.get(input_schema);
  if (before?.name === name && (before.description ?? '') === description) return before;
  const tool = { name, ...(description !== '' && { description }), input_schema };
  describedBefore.set(input_schema, tool);
  return tool;
}
