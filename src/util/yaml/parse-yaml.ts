/** Imports the YAML parser: load this file dynamically. */
import { parse, YAMLParseError } from 'yaml';

/** Throws for invalid YAML, and for YAML whose aliases expand without bound. */
export function parseYaml(text: string): unknown {
  return parse(text, { maxAliasCount: 20, prettyErrors: false, logLevel: 'error' });
}

/** Whether the text is invalid YAML, in contrast to YAML that is refused. */
export const isSyntaxError = (error: unknown): boolean => error instanceof YAMLParseError;
