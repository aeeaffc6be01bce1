/**
 * A reader who follows a page literally: writes the files that it names, runs the commands that it names with a model on
 * loopback, and compares what they print with what the page shows.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type RehearsalServer, type Scenario, startRehearsal } from '@turnwright/testing/rehearsal';
import { onTestFinished } from 'vitest';
import { ROOT, type Step, shows, stepsOf } from './page.ts';

type ScenarioOf = NonNullable<Parameters<typeof startRehearsal>[0]>['scenario'];

export interface Reader {
  readonly folder: string;
  readonly server: RehearsalServer;
  /** Writes the file, or runs the commands and returns what they print; fails if the page shows something else. */
  follow(step: Step): Promise<string>;
  /** Starts commands that do not end by themselves, and resolves once they have printed something. */
  start(step: Step): Promise<{ readonly child: ChildProcess; printed(): string }>;
  /** Variables that later commands see. */
  readonly env: Record<string, string>;
}

let packed: string | undefined;

/** The package as `npm pack` makes it of what is built. */
export function packedPackage(): string {
  if (packed === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'packed-'));
    const options = { cwd: ROOT, encoding: 'utf8' } as const;
    const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
    packed = join(folder, execFileSync('npm', args, options).trim());
  }
  return packed;
}

let modules: string | undefined;

/** The folder `node_modules` of a reader who has installed the package and `others`, which this repository has. */
function installedModules(): string {
  if (modules === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'installed-'));
    modules = join(folder, 'node_modules');
    mkdirSync(join(modules, 'turnwright'), { recursive: true });
    execFileSync('tar', ['-xzf', packedPackage(), '--strip-components=1', '-C', join(modules, 'turnwright')]);
    for (const name of readdirSync(join(ROOT, 'node_modules')))
      if (!name.startsWith('.')) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
    mkdirSync(join(modules, '.bin'));
    symlinkSync('../turnwright/dist/bin/turnwright', join(modules, '.bin/turnwright'));
  }
  return modules;
}

/** `installed: false` is a reader whose folder is empty. */
export async function reader(
  scenario: Scenario | ScenarioOf,
  { installed = true }: { readonly installed?: boolean } = {},
): Promise<Reader> {
  const folder = mkdtempSync(join(tmpdir(), 'reader-'));
  const project = join(folder, 'project');
  mkdirSync(project);
  if (installed) {
    symlinkSync(installedModules(), join(project, 'node_modules'));
    writeFileSync(
      join(project, 'package.json'),
      '{ "name": "project", "private": true, "type": "module" }\n',
    );
  }
  const server = await startRehearsal({ scenario: scenario as NonNullable<ScenarioOf> });
  onTestFinished(() => server.close());
  const env: Record<string, string> = {
    PATH: `${join(project, 'node_modules/.bin')}:${dirname(process.execPath)}:${process.env['PATH']}`,
    HOME: join(folder, 'home'),
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'any',
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    NO_COLOR: '1',
  };
  mkdirSync(env['HOME'] as string);

  function run(text: string) {
    const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', text], {
      cwd: project,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (chunk: string) => {
        said += chunk;
      });
    }
    return { child, ended, printed: () => said };
  }

  return {
    folder: project,
    server,
    env,
    async follow(step) {
      if (step.kind === 'file') {
        mkdirSync(dirname(join(project, step.name)), { recursive: true });
        writeFileSync(join(project, step.name), step.text);
        return '';
      }
      const { ended, printed } = run(step.text);
      const code = await ended;
      if (code !== 0) throw new Error(`${step.text}exited with ${code}:\n${printed()}`);
      const missing = step.prints === undefined ? undefined : shows(printed(), step.prints);
      if (missing !== undefined)
        throw new Error(`${step.text}printed\n${printed()}\nwhere the page shows\n${missing.source}`);
      return printed();
    },
    async start(step) {
      if (step.kind === 'file') throw new Error(`${step.name} is a file.`);
      const { child, ended, printed } = run(step.text);
      onTestFinished(async () => {
        if (child.exitCode === null && child.signalCode === null)
          process.kill(-(child.pid as number), 'SIGKILL');
        await ended;
      });
      await Promise.race([
        new Promise((resolve) => child.stdout.once('data', resolve)),
        ended.then(() => {
          throw new Error(`${step.text}ended:\n${printed()}`);
        }),
      ]);
      return { child, printed };
    },
  };
}

/**
 * Follows all steps of a page; resolves with what each of its commands printed. A page that has `installed` installed finds
 * it there, so that a test needs no network.
 */
export async function followPage(
  page: string,
  { follow }: Reader,
  { installed }: { readonly installed?: readonly string[] } = {},
): Promise<readonly string[]> {
  if (!existsSync(join(ROOT, page))) throw new Error(`There is no ${page}.`);
  const printed: string[] = [];
  for (const step of stepsOf(page)) {
    if (step.kind === 'commands' && step.text.trim() === `npm install ${installed?.join(' ')}`) continue;
    const said = await follow(step);
    if (step.kind === 'commands') printed.push(said);
  }
  return printed;
}
