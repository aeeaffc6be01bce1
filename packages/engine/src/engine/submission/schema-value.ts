/**
 * The value of a session with `outputFormat`: judged by the JSON Schema that the model is given, then by the
 * caller's own schema. Where the provider itself keeps answers to a schema, the text of the last answer is
 * the value (`schema-answers.ts`). The journal has the value as the model gave it.
 */

import { readJson } from '@turnwright/base/bounded-json.ts';
import type { OutputFormat } from '../../options/output-format.ts';
import type { JsonObject, JsonSchema } from '../../protocol/json.ts';
import type { LoopMessage } from '../../protocol/model/messages.ts';
import type { CallModel, ModelInfo } from '../../protocol/model/model.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import type { ParseResult, ToolOutput } from '../../protocol/tools/tool.ts';
import type { SchemaCheck } from '../json-schema-check.ts';
import { type Judge, type Judgement, type OpenedSchema, openOutputSchema } from '../output/output-schema.ts';
import { carriedIn } from '../output/portable-schema.ts';
import { SchemaAnswers } from './schema-answers.ts';

/** A tool's input is an object; a schema of anything else is carried in a field of one. */
const CARRIER = 'value';
const ACCEPTED = 'Structured output accepted.';
const MOST_ISSUES = 20;

interface Means {
  /** The tool that carries the schema. */
  readonly toolName: string;
  infoOf(model: string): Pick<ModelInfo, 'structuredOutput'>;
}

/** Throws `invalid_option` for a schema that cannot be used. */
export async function openSchemaValue(format: OutputFormat, means: Means): Promise<SchemaValue> {
  return new SchemaValue(await openOutputSchema(format), means);
}

export class SchemaValue {
  readonly inputJsonSchema: JsonSchema;
  readonly #toolName: string;
  readonly #isCarried: boolean;
  readonly #issuesOf: SchemaCheck;
  /** By the caller's schema; undefined: it is a JSON Schema. */
  readonly #judge: Judge | undefined;
  readonly #answers: SchemaAnswers;
  /** Open calls. */
  readonly #calls = new Map<string, JsonObject>();
  #value: { readonly value: unknown } | undefined;
  #spent = 0;
  /** The latest judgement, by the value's JSON text. */
  #judged: { readonly text: string; readonly judgement: Judgement | Promise<Judgement> } | undefined;

  constructor({ jsonSchema: schema, issuesOf, judge }: OpenedSchema, means: Means) {
    this.#toolName = means.toolName;
    this.#isCarried = schema.type !== 'object';
    this.#issuesOf = issuesOf;
    this.#judge = judge;
    this.inputJsonSchema = this.#isCarried ? carriedIn(CARRIER, schema) : schema;
    this.#answers = new SchemaAnswers({ schema: this.inputJsonSchema, ...means });
  }

  async parse(input: JsonObject): Promise<ParseResult<JsonObject>> {
    if (this.#isCarried && !Object.hasOwn(input, CARRIER))
      return { ok: false, issues: [`${CARRIER} is missing`] };
    const given = this.#givenIn(input);
    const meant = this.#meantBy(given);
    if (meant === undefined) return { ok: false, issues: this.#issuesOf(given).slice(0, MOST_ISSUES) };
    const { issues } = await this.#judgementOf(meant.value);
    if (issues !== undefined) return { ok: false, issues: issues.slice(0, MOST_ISSUES) };
    return { ok: true, input: (this.#isCarried ? { [CARRIER]: meant.value } : meant.value) as JsonObject };
  }

  take(input: JsonObject): ToolOutput {
    this.#value = { value: this.#givenIn(input) };
    return { data: ACCEPTED, content: ACCEPTED, endsTurn: true };
  }

  asking(call: CallModel): CallModel {
    const asked = this.#answers.asking(call);
    if (this.#judge === undefined) return asked;
    const settle = () => this.#settle();
    return async function* (request, options) {
      const outcome = yield* asked(request, options);
      await settle();
      return outcome;
    };
  }

  accepted(): { readonly value: unknown } | undefined {
    if (this.#value !== undefined) return this.#value;
    const answered = this.#answered();
    if (answered === undefined) return undefined;
    const judgement = this.#judgementOf(answered.value);
    // What takes longer is asked for again, by the tool.
    return judgement instanceof Promise || judgement.issues !== undefined ? undefined : answered;
  }

  async shown(messages: readonly SDKMessage[]): Promise<readonly SDKMessage[]> {
    if (this.#judge === undefined) return messages;
    const shown: SDKMessage[] = [];
    for (const message of messages) {
      if (message.type !== 'result' || message.subtype !== 'success' || !('structured_output' in message)) {
        shown.push(message);
        continue;
      }
      const { structured_output: given, ...result } = message;
      const judgement = await this.#judgementOf(given);
      shown.push(judgement.issues === undefined ? { ...result, structured_output: judgement.value } : result);
    }
    return shown;
  }

  observe(message: LoopMessage): void {
    this.#answers.observe(message);
    if (message.type === 'attachment' && message.attachment.type === 'structured_output')
      this.#value = { value: (message.attachment as { readonly value: unknown }).value };
    if (message.type === 'assistant') {
      for (const block of message.message.content) {
        if (block.type === 'tool_use' && block.name === this.#toolName)
          this.#calls.set(block.id, block.input);
      }
      return;
    }
    if (message.type !== 'user') return;
    if (message.kind === 'structured_nudge') this.#spent += 1;
    if (typeof message.message.content === 'string') return;
    for (const block of message.message.content) {
      const input = block.type === 'tool_result' ? this.#calls.get(block.tool_use_id) : undefined;
      if (block.type !== 'tool_result' || input === undefined) continue;
      this.#calls.delete(block.tool_use_id);
      if (block.is_error === true) this.#spent += 1;
      // The value of a previous process, if the tool has not run in this one.
      else this.#value ??= this.#meantBy(this.#givenIn(input)) ?? { value: this.#givenIn(input) };
    }
  }

  exhausted(attempts: number): boolean {
    return this.#value === undefined && this.#spent >= attempts;
  }

  startSubmission(): void {
    this.#value = undefined;
    this.#spent = 0;
    this.#calls.clear();
  }

  #givenIn(input: JsonObject): unknown {
    return this.#isCarried ? input[CARRIER] : input;
  }

  /** What the model meant by it; undefined when there is nothing in it that the schema allows. */
  #meantBy(given: unknown): { readonly value: unknown } | undefined {
    for (const value of [given, ...unwrappings(given)])
      if (this.#issuesOf(value).length === 0) return { value };
    return undefined;
  }

  /** What a text says that was asked for by the schema. */
  #answered(): { readonly value: unknown } | undefined {
    const given = this.#answers.text === undefined ? undefined : readJson(this.#answers.text);
    if (given === undefined) return undefined;
    return this.#meantBy(this.#isCarried ? (onlyField(given) ?? given) : given);
  }

  /** An asynchronous schema has judged the answer before the loop asks whether there is a value. */
  async #settle(): Promise<void> {
    const answered = this.#answered();
    if (answered !== undefined) await this.#judgementOf(answered.value);
  }

  #judgementOf(value: unknown): Judgement | Promise<Judgement> {
    if (this.#judge === undefined) return { value };
    const text = JSON.stringify(value);
    if (this.#judged?.text === text) return this.#judged.judgement;
    const keep = <Kept extends Judgement | Promise<Judgement>>(judgement: Kept): Kept => {
      this.#judged = { text, judgement };
      return judgement;
    };
    const judgement = this.#judge(value);
    return keep(judgement instanceof Promise ? judgement.then(keep) : judgement);
  }
}

/** What a model may have meant that wrapped the value in a field of its own, or wrote it as a text (F158). */
function unwrappings(given: unknown, depth = 2): readonly unknown[] {
  const inner = typeof given === 'string' ? readJson(given) : onlyField(given);
  return inner === undefined || depth === 0 ? [] : [inner, ...unwrappings(inner, depth - 1)];
}

function onlyField(given: unknown): unknown {
  const fields = typeof given === 'object' && given !== null ? Object.values(given) : [];
  return fields.length === 1 ? fields[0] : undefined;
}
