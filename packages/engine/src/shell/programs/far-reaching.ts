/** Programs whose rules reach further than their words show: for people who decide whether to save a rule. */
import { programOf, type Segment } from '../reading/segment.ts';

const KINDS: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:(?:ba|da|z|k|mk|a|fi|c|tc)?sh|pwsh|powershell|busybox|eval|source|exec|xargs|parallel)$/,
    'runs any command it is given',
  ],
  [
    /^(?:python|perl|ruby|node|deno|bun|php|lua|tclsh|osascript|Rscript|ts-node|tsx|g?awk|java)[\d.]*$/,
    'runs any program text it is given',
  ],
  [/^(?:sudo|doas|su|runuser|pkexec)$/, 'runs with the rights of another user'],
  [/^(?:rm|rmdir|unlink|shred|dd|truncate|mkfs(?:\..+)?)$/, 'deletes or overwrites files'],
  [/^(?:npx|bunx|uvx|pipx)$/, 'downloads packages and runs them'],
  [/^(?:ssh|docker|podman|kubectl)$/, 'runs commands elsewhere'],
];

/** Why: `rm deletes or overwrites files`; undefined for other programs. */
export function whyFarReaching(segment: Segment): string | undefined {
  const program = programOf(segment);
  const kind = KINDS.find(([pattern]) => pattern.test(program));
  return kind === undefined ? undefined : `${program} ${kind[1]}`;
}
