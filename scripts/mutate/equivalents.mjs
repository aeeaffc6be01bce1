/** Mutants that change nothing anyone could see, with the reason. An entry that matches no mutant is stale. */
import { readFileSync } from 'node:fs';

export function equivalents(
  mutants,
  list = JSON.parse(readFileSync(new URL('equivalent.json', import.meta.url), 'utf8')),
) {
  const ids = new Set();
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
