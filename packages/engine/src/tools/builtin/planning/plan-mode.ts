/**
 * EnterPlanMode and ExitPlanMode. Entering only restricts and needs no question; leaving needs the user's
 * approval.
 */
import type { Tool } from '../../../protocol/tools/tool.ts';
import { createParser } from '../../schema/from-json-schema.ts';

export const ENTER_PLAN_MODE_TOOL = 'EnterPlanMode';
export const EXIT_PLAN_MODE_TOOL = 'ExitPlanMode';

export interface PlanPort {
  /** Whether plan mode is on now. */
  active(): boolean;
  /** Whether a plan can be approved. */
  canBeLeft(): boolean;
  enter(): void;
  /** Restores the previous mode, unless the host's answer has set another one. Returns the current mode. */
  leave(): string;
  /** Stores the approved plan, and writes it to a file if sessions are persisted; returns its path. */
  keep(plan: string): Promise<string | undefined>;
}

interface ExitPlanModeInput {
  readonly plan: string;
  readonly allowedPrompts?: readonly { readonly tool: string; readonly prompt: string }[];
}

interface ExitPlanModeOutput {
  readonly plan: string;
  readonly isAgent: boolean;
  readonly filePath?: string;
  readonly planWasEdited?: boolean;
}

const nothing = { type: 'object', properties: {}, additionalProperties: false };

export function createEnterPlanModeTool(port: PlanPort): Tool<object, { readonly message: string }> {
  return {
    name: ENTER_PLAN_MODE_TOOL,
    inputJsonSchema: nothing,
    loading: 'deferrable',
    description: () =>
      `Switches to plan mode, in which nothing can be changed until the user has approved a plan.

- Use it for work that can be done in several ways, or that touches much, when the user should agree to the way first.
- Not for small or clear tasks, nor for questions.`,
    parse: createParser<object>(nothing),
    isConcurrencySafe: () => false,
    isReadOnly: () => true,
    effectClass: () => 'idempotent',
    permissionTarget: () => ({ kind: 'none' }),
    async validateInput(_, { agentId }) {
      if (port.active()) return { ok: false, message: 'Plan mode is on already.' };
      if (agentId === undefined && port.canBeLeft()) return { ok: true };
      return {
        ok: false,
        message: 'There is no user here who could approve a plan. Go on without plan mode.',
      };
    },
    async run() {
      port.enter();
      const message = 'Plan mode is on. Explore first, then present a plan with ExitPlanMode.';
      return { data: { message }, content: message };
    },
  };
}

const exitSchema = {
  type: 'object',
  properties: {
    plan: {
      type: 'string',
      minLength: 1,
      description:
        'The whole plan in Markdown, as the user shall read it: what will be done, where, and how it is checked.',
    },
    allowedPrompts: {
      type: 'array',
      description: 'Kinds of commands the plan needs, in words: { tool: "Bash", prompt: "run the tests" }.',
      items: {
        type: 'object',
        properties: { tool: { type: 'string', enum: ['Bash'] }, prompt: { type: 'string' } },
        required: ['tool', 'prompt'],
      },
    },
  },
  required: ['plan'],
};

export function createExitPlanModeTool(port: PlanPort): Tool<ExitPlanModeInput, ExitPlanModeOutput> {
  /**
   * The plan as the model wrote it: the gate checks it before the question, and again as the host returned
   * it.
   */
  let presented: { readonly toolUseId: string; readonly plan: string } | undefined;
  return {
    name: EXIT_PLAN_MODE_TOOL,
    inputJsonSchema: exitSchema,
    description: () =>
      `Presents the plan to the user and asks to leave plan mode. Only in plan mode, and only for work that changes something.

- Call it when the plan is whole; settle open questions with the user before.
- If the user does not agree, stay in plan mode and work what they say into the plan.`,
    parse: createParser<ExitPlanModeInput>(exitSchema),
    requiresUserInteraction: true,
    isConcurrencySafe: () => false,
    isReadOnly: () => true,
    effectClass: () => 'idempotent',
    permissionTarget: () => ({ kind: 'none' }),
    async validateInput({ plan }, { toolUseId }) {
      if (presented?.toolUseId === toolUseId) return { ok: true };
      if (!port.active())
        return {
          ok: false,
          message: 'Plan mode is not on, so there is nothing to leave. Go on with the work.',
        };
      presented = { toolUseId, plan };
      return { ok: true };
    },
    async run({ plan }, { agentId, toolUseId }) {
      const wasEdited = presented?.toolUseId === toolUseId && presented.plan !== plan;
      presented = undefined;
      const filePath = await port.keep(plan);
      const mode = port.leave();
      const where = filePath === undefined ? '' : ` It is kept in ${filePath}.`;
      const head =
        mode === 'plan'
          ? 'The user has seen the plan and wants to stay in plan mode.'
          : `The user has approved the plan, and plan mode is off.${where} Carry it out now.`;
      return {
        data: {
          plan,
          isAgent: agentId !== undefined,
          ...(filePath !== undefined && { filePath }),
          ...(wasEdited && { planWasEdited: true }),
        },
        content: wasEdited ? `${head} The user changed it; this is what holds:\n\n${plan}` : head,
      };
    },
  };
}
