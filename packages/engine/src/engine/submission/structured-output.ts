/**
 * Structured output (L7.1): the StructuredOutput tool carries the caller's schema, an accepted value ends the
 * turn. Refused calls and nudges share the attempts. What works on values is loaded when the session opens
 * (`schema-value.ts`).
 */
import type { OutputFormat } from '../../options/output-format.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { LoopMessage } from '../../protocol/model/messages.ts';
import type { CallModel, ModelInfo } from '../../protocol/model/model.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import type { AnyTool } from '../../protocol/tools/tool.ts';
import type { SchemaValue } from './schema-value.ts';

export const STRUCTURED_OUTPUT_TOOL = 'StructuredOutput';
export const STRUCTURED_OUTPUT_ATTEMPTS = 5;

export class StructuredOutput {
  readonly tool: AnyTool;
  readonly #load: () => Promise<SchemaValue>;
  /** undefined: the session is not open. */
  #opened: SchemaValue | undefined;

  constructor(format: OutputFormat, infoOf: (model: string) => Pick<ModelInfo, 'structuredOutput'>) {
    this.#load = async () =>
      (await import('./schema-value.ts')).openSchemaValue(format, {
        toolName: STRUCTURED_OUTPUT_TOOL,
        infoOf,
      });
    const opened = () => this.#opened;
    this.tool = {
      name: STRUCTURED_OUTPUT_TOOL,
      get inputJsonSchema() {
        return opened()?.inputJsonSchema ?? { type: 'object' };
      },
      description: () =>
        'Hands over the final result in the required format. Call it exactly once, when the work is done; the call ends the turn.',
      parse: async (input: JsonObject) => (await this.#open()).parse(input),
      isConcurrencySafe: () => false,
      isReadOnly: () => true,
      effectClass: () => 'pure',
      permissionTarget: () => ({ kind: 'none' }),
      run: async (input: JsonObject) => (await this.#open()).take(input),
    };
  }

  /** Throws `invalid_option` when the schema cannot be judged. */
  async prepare(): Promise<void> {
    await this.#open();
  }

  /** The same call, which asks for the value by the provider's own means where there are some. */
  asking(call: CallModel): CallModel {
    return this.#opened?.asking(call) ?? call;
  }

  /** The JSON of this submission's value, once one was accepted. */
  accepted(): { readonly value: unknown } | undefined {
    return this.#opened?.accepted();
  }

  /** The messages with the value in the form that the caller's schema gives it. */
  async shown(messages: readonly SDKMessage[]): Promise<readonly SDKMessage[]> {
    return (await this.#opened?.shown(messages)) ?? messages;
  }

  /** Counts what the loop yields: nudges, and calls that were refused. */
  observe(message: LoopMessage): void {
    this.#opened?.observe(message);
  }

  /** The attempts of this submission are used up and nothing was accepted. */
  exhausted(): boolean {
    return this.#opened?.exhausted(STRUCTURED_OUTPUT_ATTEMPTS) === true;
  }

  startSubmission(): void {
    this.#opened?.startSubmission();
  }

  async #open(): Promise<SchemaValue> {
    this.#opened ??= await this.#load();
    return this.#opened;
  }
}
