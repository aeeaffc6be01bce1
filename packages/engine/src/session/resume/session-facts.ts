/**
 * What a session has besides its view and its open submission: costs, the provider's last count, its title,
 * consumed prompts, background tasks, and what tool results have set.
 */

import { requireList } from '@turnwright/base/json-values.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { TodoItem } from '../../protocol/model/attachment.ts';
import type { AssistantMessage, UserMessage, ViewMessage } from '../../protocol/model/messages.ts';
import type { View } from '../../protocol/model/view.ts';
import type { ToolUseBlock, Usage } from '../../protocol/model/wire.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import {
  countsByModel,
  listSpending,
  type SpendingRow,
  type SpentTotals,
  toSpendingCounts,
  totalUsd,
  withRow,
} from '../../protocol/session/spending.ts';
import type { VerifyConditions } from '../../protocol/session/verification.ts';
import { type KnownAgent, withAgentRun } from '../../protocol/tools/agent-runs.ts';
import { toolFacts } from '../../protocol/tools/builtin-tools.ts';
import { type RecoveredTask, TASK_NOTICE } from '../../protocol/tools/task.ts';
import { isErrorFor, resultIds } from '../../view/tool-results.ts';
import { agentIn } from '../recorded-agent.ts';
import type { RecordOf } from './submission-state.ts';

interface SessionTotals extends SpentTotals {
  readonly spending: readonly SpendingRow[];
}

interface CountedContext {
  /** The conversation up to the last response, including the fixed part. */
  readonly tokens: number;
  /** Number of messages of the view that were counted. */
  readonly length: number;
  readonly model: string | undefined;
}

export interface SessionFacts {
  /** The last `cost` record, and the responses recorded since. */
  readonly totals: SessionTotals;
  /** USD of these that were spent since the last submission began. */
  readonly submissionCostUsd: number;
  /** As the provider counted with the last response; undefined after an edit of the view. */
  readonly counted: CountedContext | undefined;
  /** Tokens that compactions have removed from the view, which reduce a task budget. */
  readonly compactedTokens: number;
  /** What must hold when its next prompts end. */
  readonly goal: VerifyConditions | undefined;
  /** What the judge of mode `auto` said, in order. */
  readonly judged: readonly RecordOf<'judge'>[];
  readonly title: string | undefined;
  /** The agent that the main thread is; undefined: none. */
  readonly mainAgent: string | undefined;
  /** As the last TodoWrite call set them. */
  readonly todos: readonly TodoItem[];
  /** Background tasks whose end the model was not notified of. */
  readonly tasks: readonly RecoveredTask[];
  /** Its agents, in the order in which they began. */
  readonly agents: readonly KnownAgent[];
  /** Deferred tools that were loaded, in that order. */
  readonly loadedTools: readonly string[];
  /** The last approved plan. */
  readonly plan: string | undefined;
  /** Calls that the model marked for removal, removed or not. */
  readonly snipped: readonly string[];
  /** Keys and uuids of prompts that are part of the conversation: an inbox must not deliver them again. */
  readonly consumed: ReadonlySet<string>;
  /** Rules, folders and modes that were allowed for the session, in order. */
  readonly permissionUpdates: readonly RecordOf<'session-permissions'>[];
  /** System prompt, contexts and tools as they were last sent. */
  readonly contextSnapshot: RecordOf<'context-snapshot'> | undefined;
}

export class FactsFold {
  #spending: readonly SpendingRow[] = [];
  #costBeforeSubmission = 0;
  #requestedModel = 'unknown';
  /** Other programs repeat a response's usage on each of its blocks. */
  #countedResponse = '';
  /** `uuid`: of the last counted message. */
  #count: { readonly tokens: number; readonly uuid: string; readonly model: string | undefined } | undefined;
  #clearedByApi = false;
  #compactedTokens = 0;
  #goal: VerifyConditions | undefined;
  readonly #judged: RecordOf<'judge'>[] = [];
  #title: string | undefined;
  #mainAgent: string | undefined;
  #snapshot: RecordOf<'context-snapshot'> | undefined;
  readonly #permissionUpdates: RecordOf<'session-permissions'>[] = [];
  readonly #consumed = new Set<string>();
  readonly #tasks = new Map<string, RecoveredTask>();
  readonly #agents = new Map<string, KnownAgent>();
  readonly #calls = new Map<string, ToolUseBlock>();
  #todos: readonly TodoItem[] = [];
  readonly #loaded = new Set<string>();
  readonly #snipped = new Set<string>();
  #plan: string | undefined;

  facts(view: View): SessionFacts {
    return {
      totals: {
        totalCostUsd: totalUsd(this.#spending),
        modelUsage: countsByModel(this.#spending),
        spending: this.#spending,
      },
      submissionCostUsd: Math.max(0, totalUsd(this.#spending) - this.#costBeforeSubmission),
      counted: this.#countedIn(view),
      compactedTokens: this.#compactedTokens,
      goal: this.#goal,
      judged: this.#judged,
      title: this.#title,
      mainAgent: this.#mainAgent,
      todos: this.#todos,
      tasks: [...this.#tasks.values()],
      agents: [...this.#agents.values()],
      loadedTools: [...this.#loaded],
      plan: this.#plan,
      snipped: [...this.#snipped],
      consumed: this.#consumed,
      permissionUpdates: this.#permissionUpdates,
      contextSnapshot: this.#snapshot,
    };
  }

  submissionBegins(): void {
    this.#costBeforeSubmission = totalUsd(this.#spending);
  }

  /** Any record but messages, responses, and changes of the view. */
  apply(entry: JournalEntry): void {
    switch (entry.type) {
      case 'request':
        this.#requestedModel = entry.model;
        break;
      case 'system':
        if (entry.subtype === 'microcompact_boundary') this.#clearingRequested();
        if (entry.subtype === 'compact_boundary' && entry.v !== 0)
          this.#compactedTokens += entry.compact_metadata?.pre_tokens ?? 0;
        break;
      case 'cost':
        this.#spending = recordedSpending(entry);
        break;
      case 'inbox':
        for (const key of requireList(entry.consumed)) this.consumed(key);
        break;
      case 'session-permissions':
        this.#permissionUpdates.push(entry);
        break;
      case 'context-snapshot':
        this.#snapshot = entry;
        break;
      case 'agent-setting':
        this.#mainAgent = agentIn(entry) ?? this.#mainAgent;
        break;
      case 'goal':
        this.#goal = entry.conditions ?? undefined;
        break;
      case 'judge':
        this.#judged.push(entry);
        break;
      case 'title':
        this.#title = entry.title;
        break;
      case 'custom-title':
        this.#title = entry.customTitle;
        break;
      case 'task':
        this.#task(entry);
        break;
      case 'agent': {
        const agent = withAgentRun(this.#agents.get(entry.agentId), entry);
        if (agent !== undefined) this.#agents.set(entry.agentId, agent);
        break;
      }
      default: {
        // A summary, with which some programs name a session.
        const { type, summary } = entry as { readonly type: string; readonly summary?: unknown };
        if (type === 'summary' && typeof summary === 'string') this.#title ??= summary;
      }
    }
  }

  /** A prompt is part of the conversation. */
  consumed(key: string): void {
    this.#consumed.add(key);
  }

  /** `blocks`: of the response. It gives no count if it broke, or reported no usage. */
  response(record: RecordOf<'response'>, blocks: readonly AssistantMessage[]): void {
    const { usage, messageId, model, broken } = record;
    this.#spend(this.#requestedModel, usage, record.costUsd, broken);
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage;
    const tokens = input_tokens + cache_creation_input_tokens + cache_read_input_tokens + output_tokens;
    const block = blocks.at(-1);
    const counts = broken !== true && !this.#clearedByApi && block?.message.id === messageId && tokens > 0;
    this.#count = counts ? { tokens, uuid: block.uuid, model } : undefined;
  }

  /** `isCompaction`: the view was replaced as a whole. */
  viewChanged(isCompaction: boolean): void {
    this.#count = undefined;
    if (isCompaction) this.#clearedByApi = false;
  }

  message(message: ViewMessage, entry: JournalEntry): void {
    // A notice about tasks is part of the conversation: a prompt, or an attachment behind tool results.
    for (const id of noticedTasks(message)) this.#tasks.delete(id);
    if (message.type === 'assistant') {
      for (const block of message.message.content)
        if (block.type === 'tool_use' && toolFacts(block.name).sets !== undefined)
          this.#calls.set(block.id, block);
      // Responses of another program have no record of their own; those of a fork are the original session's.
      if (entry.v === 0 && !('forkedFrom' in entry)) this.#foreignResponse(message);
    } else if (message.type === 'user') {
      for (const id of resultIds(message)) if (!isErrorFor(message, id)) this.#answered(id, message);
    }
  }

  /** From here on the counts omit cleared results: the next process requests the clearing anew. */
  #clearingRequested(): void {
    this.#count = undefined;
    this.#clearedByApi = true;
  }

  #countedIn(view: View): CountedContext | undefined {
    if (this.#count === undefined) return undefined;
    const { uuid, tokens, model } = this.#count;
    for (let length = view.length; length > 0; length--)
      if (view.at(length - 1)?.uuid === uuid) return { tokens, length, model };
    return undefined;
  }

  #foreignResponse({ message, synthetic }: AssistantMessage): void {
    if (synthetic !== undefined || message.id === this.#countedResponse) return;
    this.#countedResponse = message.id;
    this.#spend(message.model, message.usage, 0);
  }

  /** An answer of the main agent that no `cost` record counts yet. */
  #spend(model: string, usage: Usage, costUsd: number, broken = false): void {
    this.#spending = withRow(this.#spending, {
      model,
      provider: 'unknown',
      agent: 'main',
      purpose: broken ? 'retry_waste' : 'loop',
      calls: 1,
      ...toSpendingCounts(usage, costUsd),
      isPriced: true,
    });
  }

  #answered(id: string, { toolUseResult }: UserMessage): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    const { sets } = toolFacts(call.name);
    if (sets === 'todos') this.#todos = parseTodos(call.input) ?? this.#todos;
    if (typeof toolUseResult !== 'object' || toolUseResult === null) return;
    const { matches, plan, marked } = toolUseResult as Readonly<Record<string, unknown>>;
    if (sets === 'plan' && typeof plan === 'string') this.#plan = plan;
    if (sets === 'loaded_tools') for (const name of textsIn(matches)) this.#loaded.add(name);
    if (sets === 'snipped_results') for (const marks of textsIn(marked)) this.#snipped.add(marks);
  }

  /** Started, ended, and whether the model was notified (L4.1, F102). */
  #task(entry: RecordOf<'task'> & JournalEntry): void {
    const known = this.#tasks.get(entry.taskId);
    if (entry.event === 'started')
      this.#tasks.set(entry.taskId, { started: entry, startedMs: Date.parse(entry.timestamp) });
    else if (entry.event === 'told') this.#tasks.delete(entry.taskId);
    else if (known !== undefined) this.#tasks.set(entry.taskId, { ...known, ended: entry });
  }
}

function recordedSpending(record: RecordOf<'cost'>): readonly SpendingRow[] {
  const { totalCostUsd, modelUsage = {}, spending } = record;
  if (typeof totalCostUsd !== 'number') throw new TypeError('a cost record without a cost');
  return listSpending({ totalCostUsd, modelUsage, ...(Array.isArray(spending) && { spending }) });
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** Background tasks of whose end the message tells. */
export function noticedTasks(message: ViewMessage): readonly string[] {
  if (message.type === 'assistant') return [];
  const isNotice = message.type === 'attachment' && message.attachment.type === TASK_NOTICE;
  const about = message.type === 'user' ? message.origin : isNotice ? message.attachment : undefined;
  return textsIn((about as Readonly<Record<string, unknown>> | undefined)?.['task_ids']);
}

const TODO_STATES: ReadonlySet<unknown> = new Set<TodoItem['status']>([
  'pending',
  'in_progress',
  'completed',
]);

/** The list that a TodoWrite call writes; undefined when its input is not one. */
function parseTodos(input: JsonObject): readonly TodoItem[] | undefined {
  const { todos } = input as { readonly todos?: unknown };
  return Array.isArray(todos) && todos.every(isTodo) ? todos : undefined;
}

function isTodo(value: unknown): value is TodoItem {
  if (typeof value !== 'object' || value === null) return false;
  const { content, status, activeForm } = value as Record<string, unknown>;
  return typeof content === 'string' && typeof activeForm === 'string' && TODO_STATES.has(status);
}
