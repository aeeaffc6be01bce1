/** Descriptors that this process was started with and would hand on to all it starts. */
import { open, readdir, readFile } from 'node:fs/promises';
import { lazily } from '@turnwright/base/collections/made-once.ts';

/** Closed when another program is started (O_CLOEXEC), as `/proc` writes flags. */
const CLOSED_ON_START = 0o2000000;

/** What to hand on as descriptor `first` and those behind it, so that none of them leads anywhere. */
export async function coverInherited(first: number): Promise<readonly (number | 'ignore')[]> {
  const handedOn = (await inherited()).filter((descriptor) => descriptor >= first);
  if (handedOn.length === 0) return [];
  const { fd } = await nothing();
  return Array.from({ length: Math.max(...handedOn) - first + 1 }, (_, i) =>
    handedOn.includes(first + i) ? fd : ('ignore' as const),
  );
}

/** They do not change: what this process opens itself is closed on a start. */
const inherited = lazily(async (): Promise<readonly number[]> => {
  const names = await readdir('/proc/self/fdinfo').catch(() => []);
  const known = await Promise.all(
    names.map(async (name) => {
      const info = await readFile(`/proc/self/fdinfo/${name}`, 'utf8').catch(() => '');
      const flags = Number.parseInt(/flags:\s*(\d+)/.exec(info)?.[1] ?? '2000000', 8);
      return (flags & CLOSED_ON_START) === 0 ? [Number(name)] : [];
    }),
  );
  return known.flat();
});

const nothing = lazily(() => open('/dev/null', 'r+'));
