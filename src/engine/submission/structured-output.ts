/**
 * Structured output (L7.1): the StructuredOutput tool carries the caller's schema, an accepted value ends the
 * turn. Refused calls and nudges share the attempts. Where the provider itself keeps answers to a schema, the
 * text of the last answer is the value (`schema-answers.ts`).
 */
import type { JsonObject, JsonSchema } from '../../protocol/json.ts';
import type { LoopMessage } from '../../protocol/model/messages.ts';
import type { CallModel, ModelInfo } from '../../protocol/model/model.ts';
import type { AnyTool } from '../../protocol/tools/tool.ts';
import type { SchemaCheck } from '../json-schema-check.ts';
import type { SchemaAnswers } from './schema-answers.ts';

export const STRUCTURED_OUTPUT_TOOL = 'StructuredOutput';
export const STRUCTURED_OUTPUT_ATTEMPTS = 5;

export interface StructuredOutput {
  /** Throws `invalid_option` when the schema cannot be judged. */
  prepare(): Promise<void>;
  readonly tool: AnyTool;
  /** The same call, which asks for the value by the provider's own means where there are some. */
  asking(call: CallModel): CallModel;
  /** The value of this submission, once one was accepted. */
  accepted(): { readonly value: unknown } | undefined;
  /** Counts what the loop yields: nudges, and calls that were refused. */
  observe(message: LoopMessage): void;
  /** The attempts of this submission are used up and nothing was accepted. */
  exhausted(): boolean;
  startSubmission(): void;
}

/** What a model may have meant that wrapped the value in a field of its own, or wrote it as a text (F158). */
function unwrappings(given: unknown, depth = 2): readonly unknown[] {
  const inner = typeof given === 'string' ? parsed(given) : onlyField(given);
  return inner === undefined || depth === 0 ? [] : [inner, ...unwrappings(inner, depth - 1)];
}

function onlyField(given: unknown): unknown {
  const fields = typeof given === 'object' && given !== null ? Object.values(given) : [];
  return fields.length === 1 ? fields[0] : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A tool's input is an object; a schema of anything else is carried in a field of one. */
const CARRIER = 'value';

const ACCEPTED = 'Structured output accepted.';

export function createStructuredOutput(
  schema: JsonSchema,
  infoOf: (model: string) => Pick<ModelInfo, 'structuredOutput'>,
): StructuredOutput {
  const carried = schema.type !== 'object';
  let compiled: Promise<SchemaCheck> | undefined;
  /** Once it is compiled. */
  let issuesOf: SchemaCheck | undefined;
  const check = () => {
    compiled ??= import('../json-schema-check.ts').then(({ compileJsonSchema }) => {
      issuesOf = compileJsonSchema(schema);
      return issuesOf;
    });
    return compiled;
  };
  const inputJsonSchema: JsonSchema = carried
    ? { type: 'object', properties: { [CARRIER]: schema }, required: [CARRIER], additionalProperties: false }
    : schema;
  const givenIn = (input: JsonObject): unknown => (carried ? input[CARRIER] : input);
  /** What the model meant by it; undefined when there is nothing in it that the schema allows. */
  const meantBy = (given: unknown, issues: SchemaCheck): { readonly value: unknown } | undefined => {
    for (const value of [given, ...unwrappings(given)]) if (issues(value).length === 0) return { value };
    return undefined;
  };
  const calls = new Map<string, JsonObject>();
  let value: { readonly value: unknown } | undefined;
  let spent = 0;
  let answers: SchemaAnswers | undefined;
  /** What a text says that was asked for by the schema. */
  const answered = () => {
    const given = answers?.text === undefined ? undefined : parsed(answers.text);
    if (given === undefined || issuesOf === undefined) return undefined;
    return meantBy(carried ? (onlyField(given) ?? given) : given, issuesOf);
  };

  const tool: AnyTool = {
    name: STRUCTURED_OUTPUT_TOOL,
    inputJsonSchema,
    description: () =>
      'Hands over the final result in the required format. Call it exactly once, when the work is done; the call ends the turn.',
    async parse(input: JsonObject) {
      if (carried && !Object.hasOwn(input, CARRIER)) return { ok: false, issues: [`${CARRIER} is missing`] };
      const issues = await check();
      const given = givenIn(input);
      const meant = meantBy(given, issues);
      if (meant === undefined) return { ok: false, issues: issues(given).slice(0, 20) };
      return { ok: true, input: carried ? { [CARRIER]: meant.value } : meant.value };
    },
    isConcurrencySafe: () => false,
    isReadOnly: () => true,
    effectClass: () => 'pure',
    permissionTarget: () => ({ kind: 'none' }),
    async *run(input: unknown) {
      value = { value: givenIn(input as JsonObject) };
      return { data: ACCEPTED, content: ACCEPTED, endsTurn: true };
    },
  };

  return {
    async prepare() {
      const [{ SchemaAnswers }] = await Promise.all([import('./schema-answers.ts'), check()]);
      answers = new SchemaAnswers({ schema: inputJsonSchema, toolName: STRUCTURED_OUTPUT_TOOL, infoOf });
    },
    tool,
    asking: (call) => answers?.asking(call) ?? call,
    accepted: () => value ?? answered(),
    observe(message) {
      answers?.observe(message);
      if (message.type === 'attachment' && message.attachment.type === 'structured_output')
        value = { value: (message.attachment as { readonly value: unknown }).value };
      if (message.type === 'assistant') {
        for (const block of message.message.content) {
          if (block.type === 'tool_use' && block.name === STRUCTURED_OUTPUT_TOOL)
            calls.set(block.id, block.input);
        }
        return;
      }
      if (message.type !== 'user') return;
      if (message.kind === 'structured_nudge') spent += 1;
      if (typeof message.message.content === 'string') return;
      for (const block of message.message.content) {
        const input = block.type === 'tool_result' ? calls.get(block.tool_use_id) : undefined;
        if (block.type !== 'tool_result' || input === undefined) continue;
        calls.delete(block.tool_use_id);
        if (block.is_error === true) spent += 1;
        // The value of a previous process, if the tool has not run in this one.
        else value ??= (issuesOf && meantBy(givenIn(input), issuesOf)) ?? { value: givenIn(input) };
      }
    },
    exhausted: () => value === undefined && spent >= STRUCTURED_OUTPUT_ATTEMPTS,
    startSubmission() {
      value = undefined;
      spent = 0;
      calls.clear();
    },
  };
}
