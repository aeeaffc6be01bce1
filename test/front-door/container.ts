/**
 * What `docker build` and `docker run` of a page do, where there is no container engine: the steps of the Dockerfile are
 * carried out in a folder, which bubblewrap then makes the root file system of the program: read-only if the page says
 * so, with the machine's own `/usr` and Node in place of the base image, the volume, and the user of the Dockerfile. The
 * network is that of the machine, so the program's port is the published one.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, copyFileSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface Image {
  readonly folder: string;
  readonly cwd: string;
  readonly user: string;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

const LINKS = ['bin', 'sbin', 'lib', 'lib64'].filter((name) => existsSync(`/usr/${name}`));

/** The arguments of bubblewrap for a program in the image. */
function around({ folder, cwd, user }: Omit<Image, 'command' | 'env'>, more: readonly string[]): string[] {
  const node = dirname(dirname(process.execPath));
  const [uid = '0', gid = '0'] = user.split(':');
  return [
    ...['--bind', folder, '/', '--ro-bind', '/usr', '/usr', '--ro-bind', '/etc', '/etc'],
    ...(node.startsWith('/usr') ? [] : ['--ro-bind', node, node]),
    ...[
      '--dev',
      '/dev',
      '--proc',
      '/proc',
      ...more,
      '--chdir',
      cwd,
      '--unshare-pid',
      '--die-with-parent',
      '--',
    ],
    ...['setpriv', '--reuid', uid, '--regid', gid, '--clear-groups'],
  ];
}

/** Carries out the Dockerfile of `context` in `folder`. An instruction that this does not know is an error. */
export function build(context: string, folder: string, outer: NodeJS.ProcessEnv): Image {
  const env: Record<string, string> = {};
  let [cwd, user] = ['/', '0:0'];
  let command: string[] = [];
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  for (const name of LINKS) symlinkSync(`usr/${name}`, join(folder, name));
  for (const line of readFileSync(join(context, 'Dockerfile'), 'utf8').trim().split('\n')) {
    const [, instruction, rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    switch (instruction) {
      case 'FROM':
      case 'EXPOSE':
        break;
      case 'WORKDIR':
        cwd = rest;
        mkdirSync(join(folder, cwd), { recursive: true });
        break;
      case 'COPY': {
        const files = rest.split(' ');
        const to = join(folder, cwd, files.pop() ?? '');
        for (const file of files) copyFileSync(join(context, file), join(to, basename(file)));
        break;
      }
      case 'RUN':
        execFileSync('bwrap', [...around({ folder, cwd, user }, ['--tmpfs', '/tmp']), 'sh', '-ec', rest], {
          env: { ...outer, ...env, HOME: '/tmp' },
          stdio: ['ignore', 'ignore', 'inherit'],
        });
        break;
      case 'USER':
        user = rest;
        break;
      case 'ENV':
        for (const pair of rest.split(' ')) {
          const [name = '', value = ''] = pair.split('=');
          env[name] = value;
        }
        break;
      case 'CMD':
        command = JSON.parse(rest);
        break;
      default:
        throw new Error(`The Dockerfile says ${line}, which this test does not know.`);
    }
  }
  return { folder, cwd, user, env, command };
}

/**
 * Starts the command of the image as the words of `docker run` say. `given` holds the variables that `--env` may name, and
 * those that the test adds.
 */
export function run(
  image: Image,
  words: readonly string[],
  given: { readonly named: NodeJS.ProcessEnv; readonly added: Readonly<Record<string, string>> },
): { readonly child: ChildProcess; readonly volume: string } {
  const after = (option: string) => words[words.indexOf(option) + 1] ?? '';
  const [name = '', at = ''] = after('--volume').split(':');
  // A new volume has the owner of the folder of the image.
  const volume = join(dirname(image.folder), name);
  mkdirSync(volume);
  const { uid, gid } = statSync(join(image.folder, at));
  chownSync(volume, uid, gid);
  const more = ['--bind', volume, at, '--tmpfs', after('--tmpfs')];
  if (words.includes('--read-only')) more.push('--remount-ro', '/');
  const passed = after('--env');
  const child = spawn('bwrap', [...around(image, more), ...image.command], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: given.named['PATH'], [passed]: given.named[passed], ...image.env, ...given.added },
  });
  return { child, volume };
}
