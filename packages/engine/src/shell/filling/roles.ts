/** Where a word of a command is more to its program than a word: program itself, or text in its language. */
import { unwrap } from '../programs/unwrap.ts';
import { baseName, type Segment } from '../reading/segment.ts';

/**
 * `name`: the beginning of the name of a program. `named`: a part of that. `script`: text that another shell
 * reads. `language`: text that another program reads as its language.
 */
export type Role = 'name' | 'named' | 'script' | 'language';

const SHELL = /^(?:ba|da|z|k|mk|fi|c|tc|a)?sh$/;
/** Behind these options the text is a program. */
const INTERPRETER =
  /^(?:python[\d.]*|pypy\d*|node|nodejs|deno|bun|tsx|ts-node|perl|ruby|php|lua[\d.]*|luajit|Rscript|osascript|pwsh|powershell|psql|mysql|mariadb|tclsh|julia|elixir|erl|groovy|scala|vim?|nvim|ex|emacs|gdb|lldb)$/;
const GIVES_PROGRAM =
  /^(?:-\w*[cerEp]|--(?:eval|print|command|execute|expression|batch)|-ex|-batch-eval-command|\+)$/;
/** Of these, every word may be one, or hold one. */
const ALL_WORDS = /^(?:ssh|sqlite3|duckdb|make|gmake|expect|eval)$/;
const SCRIPTED = /^(?:sed|gsed|awk|gawk|mawk|nawk)$/;

/** What the marks are to the programs of these segments; the most dangerous one of each counts. */
export function findRoles(segments: readonly Segment[], marks: readonly string[]): ReadonlyMap<string, Role> {
  const roles = new Map<string, Role>();
  const rank: readonly Role[] = ['script', 'language', 'named', 'name'];
  const note = (text: string, role: (mark: string) => Role) => {
    for (const mark of marks) {
      if (!text.includes(mark)) continue;
      const known = roles.get(mark);
      const now = role(mark);
      if (known === undefined || rank.indexOf(now) > rank.indexOf(known)) roles.set(mark, now);
    }
  };
  for (const { words } of segments) {
    const texts = words.map(({ value, text }) => value ?? text);
    const [name = '', ...args] = texts;
    note(name, (mark) => (name.startsWith(mark) ? 'name' : 'named'));
    const wrapped = unwrap(words);
    if (wrapped.kind === 'script') note(wrapped.text, () => 'script');
    if (wrapped.kind === 'unseen')
      for (const arg of args) note(arg, (mark) => (arg.startsWith(mark) ? 'name' : 'script'));
    const program = baseName(name);
    const all = ALL_WORDS.test(program);
    let inScript = SCRIPTED.test(program);
    let shell = false;
    for (const [at, arg] of args.entries()) {
      const before = args[at - 1] ?? '';
      if (all || (INTERPRETER.test(program) && (GIVES_PROGRAM.test(before) || /^[-+]/.test(arg))))
        note(arg, () => 'language');
      if (shell && /^-\w*c$/.test(before)) note(arg, () => 'script');
      shell ||= SHELL.test(baseName(arg));
      // The first word that is no option is the script, and so is what -e names.
      if (inScript || /^-\w*e$/.test(before)) {
        if (SCRIPTED.test(program)) note(arg, () => 'language');
        if (!arg.startsWith('-') && !/^-\w*[eFvf]$/.test(before)) inScript = false;
      }
    }
  }
  return roles;
}
