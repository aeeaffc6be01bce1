/** The reasoning of chat completions, in the fields that servers use for it. */
import { type Fields, fieldsIn } from './fields.ts';

/**
 * Plain reasoning, by server: DeepSeek, llama.cpp, vLLM before 0.12; OpenRouter, Ollama, Groq, newer vLLM.
 */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const;

/** What is kept of an answer for the next requests. */
export interface KeptReasoning {
  /** The field that the text of the block came in. */
  readonly field?: string;
  /** OpenRouter's `reasoning_details`, merged. */
  readonly details?: readonly Fields[];
  /** `extra_content` of the call behind the block. */
  readonly extra?: Fields;
}

const GROWING = ['text', 'summary', 'data'];

/** Pieces of one detail, which share type and index, are joined. */
export function mergeDetails(before: Fields[], pieces: readonly unknown[]): Fields[] {
  if (pieces.length === 0) return before;
  const merged = [...before];
  for (const value of pieces) {
    const piece = fieldsIn(value);
    if (piece === undefined) continue;
    const at = merged.findIndex(
      (known) =>
        known['type'] === piece['type'] && known['index'] === piece['index'] && piece['index'] !== undefined,
    );
    const known = merged[at];
    if (known === undefined) merged.push(piece);
    else merged[at] = joined(known, piece);
  }
  return merged;
}

function joined(known: Fields, piece: Fields): Fields {
  const result: Record<string, unknown> = { ...known };
  for (const [name, value] of Object.entries(piece)) {
    if (value === null || value === undefined) continue;
    const grows = GROWING.includes(name) && typeof value === 'string' && typeof result[name] === 'string';
    result[name] = grows ? `${result[name]}${value}` : value;
  }
  return result;
}
