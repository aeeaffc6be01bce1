/**
 * Ends process groups when this process dies in any way, SIGKILL included (F100): a small shell holds the
 * other end of a pipe, and kills the registered groups when the pipe closes. It runs while there are any.
 */
import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { childProcess } from '../node.ts';

/** Lines `+ <group>` and `- <group>`; at the end of its input every group still known is killed. */
const WATCH = `trap '' HUP INT TERM
groups=' '
while read -r sign group; do
  case "$sign" in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% "$group" *} \${groups#* "$group" }" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done`;

interface Watch {
  readonly child: ChildProcess;
  readonly groups: Set<number>;
}

let watch: Watch | undefined;

/** Registers a group; returns a function that removes it. Without a shell there is no watch. */
export function outliveNot(group: number): () => void {
  watch ??= begin();
  const current = watch;
  current.groups.add(group);
  tell(current.child.stdin, `+ ${group}\n`);
  return () => {
    if (!current.groups.delete(group)) return;
    tell(current.child.stdin, `- ${group}\n`);
    if (current.groups.size > 0) return;
    current.child.stdin?.end();
    if (watch === current) watch = undefined;
  };
}

function begin(): Watch {
  // Detached: a signal to this process group, or a closed terminal, must not end it first.
  const child = childProcess().spawn('sh', ['-c', WATCH], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
  });
  const forget = () => {
    if (watch?.child === child) watch = undefined;
  };
  child.on('error', forget);
  child.on('exit', forget);
  child.stdin?.on('error', () => {});
  child.unref();
  const { stdin } = child;
  if (stdin !== null && 'unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  return { child, groups: new Set<number>() };
}

function tell(stdin: Writable | null, line: string): void {
  if (stdin?.writable === true) stdin.write(line);
}
