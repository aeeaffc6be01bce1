/** Plan mode, deferred tools, instructions of servers: what of them lives as long as the session, and what the model is told of it. */
import { join } from 'node:path';
import { attachmentMessageOf } from '../../attachments/collect.ts';
import { deferredTools } from '../../attachments/deferred-tools.ts';
import { mcpInstructions, type ServerInstructions } from '../../attachments/mcp-instructions.ts';
import { type PlanModeFacts, planMode, planModeNote } from '../../attachments/plan-mode.ts';
import type { AttachmentSource, FoundAttachment } from '../../attachments/source.ts';
import type { CompactionSource } from '../../protocol/context.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { PermissionPort } from '../../protocol/gate.ts';
import type { AttachmentMessage } from '../../protocol/messages.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { AnyTool } from '../../protocol/tool.ts';
import type { View } from '../../protocol/view.ts';
import { ASK_USER_QUESTION_TOOL, createAskUserQuestionTool } from '../../tools/builtin/ask-user-question.ts';
import {
  createEnterPlanModeTool,
  createExitPlanModeTool,
  ENTER_PLAN_MODE_TOOL,
  EXIT_PLAN_MODE_TOOL,
  type PlanPort,
} from '../../tools/builtin/plan-mode.ts';
import { createToolSearchTool } from '../../tools/builtin/tool-search.ts';
import { Deferral } from '../../tools/deferral.ts';
import type { ToolsPort } from '../../tools/tools-port.ts';
import { reminder } from '../../util/reminder.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { ModelPort } from '../parts.ts';

export interface ToolStateParts {
  readonly sessionId: string;
  readonly permissions: PermissionPort;
  readonly files: PersistentFiles;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly model: Pick<ModelPort, 'infoOf'>;
  /** Sessions of this kind are kept in files. */
  readonly isKept: boolean;
  /** What MCP servers say about their use; the same array while nothing changed. */
  instructions(): readonly ServerInstructions[];
}

export interface ToolState {
  /** AskUserQuestion, the doors of plan mode, ToolSearch: those that were asked for. */
  readonly tools: readonly AnyTool[];
  readonly deferral: Deferral;
  /** Names of tools that the provider refuses. */
  readonly quarantined: Set<string>;
  /** false: nobody can answer, so the model is not told of this tool (F163). */
  offers(tool: AnyTool): boolean;
  /** Looks at the tools of this model from now on. */
  watch(port: ToolsPort, model: () => string): void;
  readonly sources: readonly AttachmentSource[];
  readonly compactionSources: readonly CompactionSource[];
  withPrompt(model: string, view: View): Promise<readonly AttachmentMessage[]>;
  /** What an earlier life of the session left. */
  restore(earlier: {
    readonly loadedTools?: readonly string[] | undefined;
    readonly plan?: string | undefined;
  }): void;
}

const DEFER_ABOVE = 0.1;

const NO_NAMES: readonly string[] = [];

export function composeToolState(config: QueryEngineConfig, parts: ToolStateParts): ToolState {
  const { permissions, clock, ids } = parts;
  const wanted = (name: string) => config.sessionTools?.includes(name) === true;
  const canAsk = config.canUseTool !== undefined || config.orphanedPermission !== undefined;
  const deferral = new Deferral({
    share: config.deferToolsAbove ?? DEFER_ABOVE,
    windowOf: (model) => parts.model.infoOf(model).contextWindow,
  });
  let watched: { readonly port: ToolsPort; readonly model: () => string } | undefined;
  let asked: string | undefined;
  const modelNow = () => asked ?? watched?.model() ?? '';

  let plan: string | undefined;
  const planFacts = (): PlanModeFacts => ({
    active: permissions.mode === 'plan',
    canBeLeft: canAsk && wanted(EXIT_PLAN_MODE_TOOL),
    instructions: config.planModeInstructions,
  });
  const planPort: PlanPort = {
    active: () => permissions.mode === 'plan',
    enter: () => permissions.setMode('plan'),
    leave() {
      if (permissions.mode === 'plan') permissions.setMode(permissions.modeBeforePlan);
      return permissions.mode;
    },
    async keep(text) {
      plan = text;
      const folder = config.plansDirectory ?? (config.home && join(config.home, 'plans'));
      if (folder === undefined || !parts.isKept) return undefined;
      const path = join(folder, `${parts.sessionId}.md`);
      await parts.files.makeDir(folder);
      await parts.files.writeAtomic(path, text.endsWith('\n') ? text : `${text}\n`);
      return path;
    },
  };

  const { previewFormat } = config.toolConfig?.askUserQuestion ?? {};
  const tools: AnyTool[] = [
    ...(wanted(ASK_USER_QUESTION_TOOL)
      ? [createAskUserQuestionTool(previewFormat === undefined ? {} : { previewFormat })]
      : []),
    ...(wanted(ENTER_PLAN_MODE_TOOL) ? [createEnterPlanModeTool(planPort)] : []),
    ...(wanted(EXIT_PLAN_MODE_TOOL) ? [createExitPlanModeTool(planPort)] : []),
    createToolSearchTool({
      tools: async () => (await watched?.port.searchable(modelNow())) ?? [],
      load: (names) => deferral.load(names),
    }),
  ];

  const planSource = planMode(planFacts);
  const index = deferredTools(() => watched?.port.deferredNames(modelNow()) ?? NO_NAMES);
  const instructions = mcpInstructions(parts.instructions);
  const toMessages = (found: readonly FoundAttachment[]) =>
    found.map((each) => attachmentMessageOf(each, clock, ids));
  return {
    tools,
    deferral,
    quarantined: new Set(),
    offers: (tool) => canAsk || tool.requiresUserInteraction !== true,
    watch(port, model) {
      watched = { port, model };
    },
    sources: [planSource, index, instructions],
    compactionSources: [
      {
        name: 'plan',
        collect: async () => {
          if (planPort.active()) return toMessages([planModeNote(planFacts())]);
          return plan === undefined ? [] : toMessages([approvedPlan(plan)]);
        },
      },
      { name: 'deferred-tools', collect: async () => toMessages(await index.whole()) },
      { name: 'mcp-instructions', collect: async () => toMessages(instructions.whole()) },
    ],
    async withPrompt(model, view) {
      asked = model;
      return toMessages([
        ...planSource.withPrompt(),
        ...(await index.withPrompt(view)),
        ...instructions.withPrompt(view),
      ]);
    },
    restore({ loadedTools = [], plan: earlier }) {
      deferral.load(loadedTools);
      plan ??= earlier;
    },
  };
}

function approvedPlan(plan: string): FoundAttachment {
  return {
    attachment: { type: 'plan', plan },
    rendered: [reminder('The plan that the user approved, for as long as its work is not done:', plan)],
  };
}
