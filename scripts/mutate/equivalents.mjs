/**
 * Mutants that change nothing that could be seen: those whose place shows it, and those that are listed with the
 * reason. An entry that matches no mutant is stale.
 */
import { readFileSync } from 'node:fs';

export function equivalents(
  mutants,
  list = JSON.parse(readFileSync(new URL('equivalent.json', import.meta.url), 'utf8')),
) {
  const ids = new Set(mutants.filter(({ isNoChange }) => isNoChange).map(({ id }) => id));
  const stale = [];
  for (const entry of list) {
    const matching = mutants.filter(
      ({ file, text, change }) => file === entry.file && text === entry.text && change === entry.change,
    );
    if (matching.length === 0) stale.push(entry);
    for (const { id } of matching) ids.add(id);
  }
  return { ids, stale };
}
