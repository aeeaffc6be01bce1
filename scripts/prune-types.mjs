// Removes declarations that no door of the package leads to.
import { readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** `doors`: declaration files of the package's entries, relative to `folder`. */
export function pruneTypes(folder, doors) {
  const reached = new Set();
  const visit = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, target] of text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g))
      visit(resolve(dirname(file), target.replace(/(?:\.d)?\.[jt]s$/, '.d.ts')));
  };
  for (const door of doors) visit(resolve(folder, door));
  const prune = (path) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const below = join(path, entry.name);
      if (entry.isDirectory()) prune(below);
      else if (!reached.has(resolve(below))) rmSync(below);
    }
    if (readdirSync(path).length === 0) rmdirSync(path);
  };
  prune(folder);
}
