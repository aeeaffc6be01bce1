/** Imports the YAML parser: load this file dynamically. JSON is valid YAML. */
import { type Document, LineCounter, parseDocument } from 'yaml';

export function parseYamlDocument(source: string): {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
} {
  const lines = new LineCounter();
  return { document: parseDocument(source, { lineCounter: lines, prettyErrors: false }), lines };
}
