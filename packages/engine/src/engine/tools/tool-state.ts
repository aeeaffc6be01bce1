/**
 * State of plan mode, deferred tools and server instructions in a session, and its announcements to the
 * model.
 */
import { join } from 'node:path';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { reminder } from '@turnwright/base/text/text-blocks.ts';
import { toAttachmentMessage } from '../../attachments/collect.ts';
import { indexDeferredTools } from '../../attachments/deferred-tool-index.ts';
import {
  type McpInstructionsSource,
  mcpInstructions,
  type ServerInstructions,
} from '../../attachments/mcp-instructions.ts';
import { type PlanModeFacts, planMode, planModeNote } from '../../attachments/plan-mode-note.ts';
import type { AttachmentSource, FoundAttachment } from '../../attachments/source.ts';
import type { CompactionSource } from '../../protocol/model/context.ts';
import type { AttachmentMessage } from '../../protocol/model/messages.ts';
import type { View } from '../../protocol/model/view.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { PermissionPort } from '../../protocol/tools/gate-ports.ts';
import type { AnyTool } from '../../protocol/tools/tool.ts';
import {
  ASK_USER_QUESTION_TOOL,
  createAskUserQuestionTool,
} from '../../tools/builtin/planning/ask-user-question.ts';
import {
  createEnterPlanModeTool,
  createExitPlanModeTool,
  ENTER_PLAN_MODE_TOOL,
  EXIT_PLAN_MODE_TOOL,
  type PlanPort,
} from '../../tools/builtin/planning/plan-mode.ts';
import { createToolSearchTool } from '../../tools/builtin/tool-search.ts';
import { Deferral } from '../../tools/deferral.ts';
import type { SessionToolsPort } from '../../tools/tools-port.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { SessionModel } from '../models/session-model.ts';

interface ToolStateParts {
  readonly sessionId: string;
  readonly permissions: PermissionPort;
  readonly files: PersistentFiles;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly model: Pick<SessionModel, 'infoOf' | 'inUse'>;
  /** Sessions of this kind are kept in files. */
  readonly isKept: boolean;
  /** What MCP servers say about their use; the same array while nothing changed. */
  instructions(): readonly ServerInstructions[];
  /** There are servers, which may bring tools later. */
  hasServers(): boolean;
}

export interface ToolState {
  /** AskUserQuestion, the doors of plan mode, ToolSearch: those that were asked for. */
  readonly tools: readonly AnyTool[];
  readonly deferral: Deferral;
  /** Names of tools that the provider refuses. */
  readonly quarantined: Set<string>;
  /**
   * false: the tool is not offered, because its question cannot be answered (F163) or it answers questions
   * itself.
   */
  offers(tool: AnyTool): boolean;
  /** Looks at these tools from now on. */
  watch(port: SessionToolsPort): void;
  readonly sources: readonly AttachmentSource[];
  readonly compactionSources: readonly CompactionSource[];
  withPrompt(model: string, view: View): Promise<readonly AttachmentMessage[]>;
  /** Restores the state of a previous process. */
  restore(earlier: {
    readonly loadedTools?: readonly string[] | undefined;
    readonly plan?: string | undefined;
  }): void;
}

const DEFER_ABOVE = 0.1;

const NO_NAMES: readonly string[] = [];

export function composeToolState(config: QueryEngineConfig, parts: ToolStateParts): ToolState {
  return new ComposedToolState(config, parts);
}

class ComposedToolState implements ToolState {
  readonly #config: QueryEngineConfig;
  readonly #parts: ToolStateParts;
  readonly #canAsk: boolean;
  readonly deferral: Deferral;
  readonly quarantined = new Set<string>();
  readonly tools: readonly AnyTool[];
  readonly #planMode = planMode(() => this.#planFacts());
  readonly #index = indexDeferredTools(() => this.#port?.deferredNames(this.#modelNow()) ?? NO_NAMES);
  readonly #instructions: McpInstructionsSource;
  #port: SessionToolsPort | undefined;
  #asked: string | undefined;
  #plan: string | undefined;

  constructor(config: QueryEngineConfig, parts: ToolStateParts) {
    this.#config = config;
    this.#parts = parts;
    this.#canAsk = [config.canUseTool, config.orphanedPermission, config.permissionPromptToolName].some(
      (answerer) => answerer !== undefined,
    );
    this.deferral = new Deferral({
      shareOf: (model) => {
        const { deferToolsAbove: share } = config;
        return (typeof share === 'function' ? share(model) : share) ?? DEFER_ABOVE;
      },
      expectsMore: parts.hasServers,
      windowOf: (model) => parts.model.infoOf(model).contextWindow,
    });
    this.#instructions = mcpInstructions(parts.instructions);
    this.tools = this.#sessionTools();
  }

  offers(tool: AnyTool): boolean {
    // Who answers for the model's calls is not the model's to call.
    if (tool.name === this.#config.permissionPromptToolName) return false;
    const needsPerson = tool.requiresUserInteraction === true || tool.name === ENTER_PLAN_MODE_TOOL;
    return this.#canAsk || !needsPerson;
  }

  watch(port: SessionToolsPort): void {
    this.#port = port;
  }

  get sources(): readonly AttachmentSource[] {
    return [this.#planMode, this.#index, this.#instructions];
  }

  get compactionSources(): readonly CompactionSource[] {
    return [
      { name: 'plan', collect: async () => this.#toMessages(this.#planNow()) },
      { name: 'deferred-tools', collect: async () => this.#toMessages(await this.#index.whole()) },
      { name: 'mcp-instructions', collect: async () => this.#toMessages(this.#instructions.whole()) },
    ];
  }

  async withPrompt(model: string, view: View): Promise<readonly AttachmentMessage[]> {
    this.#asked = model;
    return this.#toMessages([
      ...this.#planMode.withPrompt(),
      ...(await this.#index.withPrompt(view)),
      ...this.#instructions.withPrompt(view),
    ]);
  }

  restore({ loadedTools = [], plan }: Parameters<ToolState['restore']>[0]): void {
    this.deferral.load(loadedTools);
    this.#plan ??= plan;
  }

  #wants(name: string): boolean {
    return this.#config.sessionTools?.includes(name) === true;
  }

  #modelNow(): string {
    return this.#asked ?? this.#parts.model.inUse;
  }

  #sessionTools(): readonly AnyTool[] {
    const { previewFormat } = this.#config.toolConfig?.askUserQuestion ?? {};
    return [
      ...(this.#wants(ASK_USER_QUESTION_TOOL)
        ? [createAskUserQuestionTool(previewFormat === undefined ? {} : { previewFormat })]
        : []),
      ...(this.#wants(ENTER_PLAN_MODE_TOOL) ? [createEnterPlanModeTool(this.#planPort())] : []),
      ...(this.#wants(EXIT_PLAN_MODE_TOOL) ? [createExitPlanModeTool(this.#planPort())] : []),
      createToolSearchTool({
        tools: async () => (await this.#port?.searchable(this.#modelNow())) ?? [],
        load: (names) => this.deferral.load(names),
      }),
    ];
  }

  #planPort(): PlanPort {
    const { permissions } = this.#parts;
    return {
      active: () => permissions.mode === 'plan',
      canBeLeft: () => this.#canAsk && this.#wants(EXIT_PLAN_MODE_TOOL),
      enter: () => permissions.setMode('plan'),
      leave() {
        if (permissions.mode === 'plan') permissions.setMode(permissions.modeBeforePlan);
        return permissions.mode;
      },
      keep: (text) => this.#keepPlan(text),
    };
  }

  #planFacts(): PlanModeFacts {
    return {
      active: this.#parts.permissions.mode === 'plan',
      canBeLeft: this.#canAsk && this.#wants(EXIT_PLAN_MODE_TOOL),
      instructions: this.#config.planModeInstructions,
    };
  }

  #planNow(): readonly FoundAttachment[] {
    const facts = this.#planFacts();
    if (facts.active) return [planModeNote(facts)];
    return this.#plan === undefined ? [] : [approvedPlan(this.#plan)];
  }

  async #keepPlan(text: string): Promise<string | undefined> {
    this.#plan = text;
    const { home, plansDirectory } = this.#config;
    const { files, isKept, sessionId } = this.#parts;
    const folder = plansDirectory ?? (home && join(home, 'plans'));
    if (folder === undefined || !isKept) return undefined;
    const path = join(folder, `${sessionId}.md`);
    // A folder of the project is for all who work in it; the one in the configuration home is not.
    const own = plansDirectory === undefined;
    await files.makeDir(folder, own ? 0o700 : undefined);
    await files.writeAtomic(path, text.endsWith('\n') ? text : `${text}\n`, own ? { mode: 0o600 } : {});
    return path;
  }

  #toMessages(found: readonly FoundAttachment[]): readonly AttachmentMessage[] {
    const { clock, ids } = this.#parts;
    return found.map((each) => toAttachmentMessage(each, clock, ids));
  }
}

function approvedPlan(plan: string): FoundAttachment {
  return {
    attachment: { type: 'plan', plan },
    rendered: [reminder('The plan that the user approved, for as long as its work is not done:', plan)],
  };
}
