/** Brings the YAML parser along: import it dynamically. */
import { parse, YAMLParseError } from 'yaml';

/** Throws for what is no YAML, and for one that grows without bound when its aliases are followed. */
export function parseYaml(text: string): unknown {
  return parse(text, { maxAliasCount: 20, prettyErrors: false, logLevel: 'error' });
}

/** The text is no YAML, as opposed to YAML that is refused. */
export const isSyntaxError = (error: unknown): boolean => error instanceof YAMLParseError;
