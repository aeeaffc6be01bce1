/**
 * Whether the file tree of a sandbox is the one that was planned. Between looking at the disk and mounting,
 * another program may put a link into a folder's place, so that something else would be opened or left
 * unprotected. Mounted once, nothing moves any more: so the tree is compared inside of the sandbox, before
 * the program starts.
 */
import { readFile } from 'node:fs/promises';
import { isInside } from '@turnwright/base/files/inside.ts';

interface ExpectedMount {
  readonly path: string;
  /** What is seen there; undefined: something made for the sandbox. */
  readonly source: string | undefined;
}

/**
 * POSIX sh: compares the mounts with the first `$0` arguments, as `expectedMounts` writes them, takes these
 * away, and ends with 126 when one is missing. In a shell of its own, so that variables of the program stay
 * as they are.
 */
export const COMPARE_MOUNTS = `(
left=$0
[ "$left" -gt 0 ] || exit 0
n='
'
seen=$n
while read -r _ _ dev root point _; do seen="$seen$dev $root $point$n"; done </proc/self/mountinfo
for lines; do
[ "$left" -gt 0 ] || break
left=$((left - 1))
while read -r dev root point; do
  [ "$dev" = '*' ] && line=" $point" || line="$n$dev $root $point"
  case $seen in *"$line$n"*) ;; *) printf 'The sandbox was not set up as planned, since %s changed meanwhile. Nothing was run; try again.\\n' "$point" >&2; exit 126 ;; esac
done <<END
$lines
END
done
) || exit 126
shift "$0"`;

/** Characters of one argument, which the kernel bounds at 128 KiB. */
const MAX_ARGUMENT = 32_768;

/**
 * Their number, and arguments of lines "device root place", with `*` for what is not known, in the words of
 * `/proc/self/mountinfo`.
 */
export async function expectedMounts(mounts: readonly ExpectedMount[]): Promise<readonly string[]> {
  const table = parse(await readFile('/proc/self/mountinfo', 'utf8'));
  const parts: string[] = [];
  for (const { path, source } of mounts) {
    const line = formatMount(escaped(path), source && escaped(source), table);
    const last = parts.at(-1);
    if (last === undefined || last.length + line.length > MAX_ARGUMENT) parts.push(line);
    else parts[parts.length - 1] = `${last}\n${line}`;
  }
  return [String(parts.length), ...parts];
}

interface MountEntry {
  readonly device: string;
  readonly root: string;
  readonly point: string;
}

function parse(text: string): readonly MountEntry[] {
  return text.split('\n').flatMap((line) => {
    const [, , device, root, point] = line.split(' ');
    return device === undefined || root === undefined || point === undefined ? [] : [{ device, root, point }];
  });
}

function formatMount(path: string, source: string | undefined, table: readonly MountEntry[]): string {
  // Later ones lie over earlier ones.
  const on = source === undefined ? undefined : table.findLast(({ point }) => isInside(source, point));
  if (source === undefined || on === undefined) return `* * ${path}`;
  const below = on.point === '/' ? source : source.slice(on.point.length);
  const root = on.root === '/' ? below || '/' : `${on.root}${below}`;
  return `${on.device} ${root === '' ? '/' : root} ${path}`;
}

/** As the kernel writes paths. */
function escaped(path: string): string {
  return path.replace(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
