/**
 * The house's rules, derived from the sources themselves: who imports whom, cycles, sizes, names, and what only some
 * rooms may touch. The tables below are the rules; nothing else in the repository repeats them.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { OPTIONS, type OptionRow } from '@turnwright/engine/options/table.ts';
import {
  DEFAULT_RECORDED,
  NAMED_PROVIDERS,
  PROVIDER_TYPES,
} from '@turnwright/engine/protocol/model/provider.ts';
import { BUILTIN_TOOL_NAMES } from '@turnwright/engine/protocol/tools/builtin-tools.ts';
import ts from '@typescript/typescript6';
import { describe, expect, it } from 'vitest';
import { PACKAGES, ROOT, sourceFiles, sourceOfName } from './sources.ts';

const LEAVES = [
  'context',
  'model',
  'tools',
  'permissions',
  'hooks',
  'attachments',
  'language',
  'session',
  'settings',
  'mcp',
  'memory',
  'skills',
  'commands',
  'plugins',
  'subagents',
  'tasks',
  'web',
  'sandbox',
  'telemetry',
] as const;

/**
 * What each room of the engine may import besides itself, types included, and what packages may only load late or use the
 * types of; which of the others a package may import at all, its package.json says. `lazy:` only by `import()`, `types:`
 * only types.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  protocol: ['types:@base'],
  '@base': [],
  shell: [],
  view: ['protocol', '@base'],
  options: ['protocol', '@base'],
  ...Object.fromEntries(LEAVES.map((leaf) => [leaf, ['protocol', '@base', 'shell']])),
  session: ['protocol', '@base', 'view'],
  settings: ['protocol', '@base', 'options'],
  loop: ['protocol', '@base', 'view'],
  engine: ['protocol', '@base', 'shell', 'view', 'loop', 'options', 'replay', 'trial', ...LEAVES],
  // The loop again, from a journal: what the ports answered is read with the parts that wrote it.
  replay: ['protocol', '@base', 'view', 'loop', 'context', 'model', 'session'],
  // The gate again, over calls of a journal.
  trial: ['protocol', '@base', 'permissions', 'tools', 'session'],
  sdk: [
    'protocol',
    '@base',
    'options',
    'engine',
    // What `tool()` and in-process servers take and return is what any other tool and server does.
    'tools/schema/from-zod.ts',
    'mcp/servers/names.ts',
    'mcp/tools/call-result.ts',
    'mcp/tools/tool-policy.ts',
    'mcp/servers/parse-server.ts',
    'mcp/servers/server-config.ts',
    'types:mcp/servers/mcp-servers.ts',
    'types:mcp/connect/json-rpc.ts',
    // Sessions and settings without an engine.
    'session/paths.ts',
    'session/session-summary.ts',
    'session/host-store/in-memory-session-store.ts',
    'settings/read/config-home.ts',
    'settings/read/read-managed.ts',
  ],
  'index.ts': ['protocol', 'sdk', 'types:@base'],
  '@cli': [
    'index.ts',
    'options',
    '@base',
    '@terminal',
    '@durable',
    'lazy:@testing/rehearsal',
    'types:@testing/rehearsal',
    'lazy:@evals',
    'types:@evals',
  ],
  '@terminal': ['@base'],
  // It shares no code with the room of model calls, which it judges.
  '@testing/rehearsal': ['protocol', '@base'],
  '@testing/testing': [
    'protocol',
    '@base',
    'types:loop',
    'session/in-process',
    // A wire is checked under the client that it is for.
    'lazy:model/own-wire.ts',
    'lazy:replay',
    'types:replay',
  ],
  // For pages in a browser: what it sends is what any consumer receives, and it runs no engine itself.
  '@web': ['types:protocol', '@base'],
  // A page: of the engine it knows the shapes of the data.
  '@inspector': ['types:index.ts'],
  // Through the library's door; what a case is made of comes from the records of a session.
  '@evals': [
    'index.ts',
    'types:protocol',
    '@base',
    'lazy:@testing/testing',
    'engine/standalone/session-beginning.ts',
    'settings/resolve/child-env.ts',
  ],
  // Like a consumer: through the library's door.
  '@durable': ['index.ts', 'types:protocol', 'protocol/errors.ts', '@base'],
};

/**
 * What each sub-room of the engine may import of the others besides itself and the files beside the sub-rooms. `types:`
 * only types. `wiring` may import all of them and none may import it: only the door of the engine does.
 */
const ENGINE_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  agents: ['host', 'mcp', 'output', 'session', 'side-calls', 'storage', 'submission', 'types:project'],
  budget: ['types:submission'],
  hooks: ['types:judging', 'types:session', 'types:tools'],
  language: ['types:project'],
  host: ['models', 'output', 'project', 'session', 'submission', 'tools', 'types:mcp', 'verifying'],
  judging: ['types:session', 'types:side-calls'],
  mcp: ['sandbox', 'types:session'],
  models: ['output', 'types:session'],
  output: ['host', 'models', 'project', 'submission', 'types:session'],
  project: ['session', 'side-calls', 'types:host'],
  sandbox: [],
  session: [
    'output',
    'types:agents',
    'types:budget',
    'types:hooks',
    'types:host',
    'types:judging',
    'types:language',
    'types:mcp',
    'types:models',
    'types:project',
    'types:storage',
    'types:submission',
    'types:tools',
    'types:verifying',
  ],
  'side-calls': ['types:agents', 'types:budget', 'types:models', 'types:session', 'types:submission'],
  standalone: ['host', 'mcp', 'models', 'sandbox'],
  storage: ['session'],
  submission: [
    'budget',
    'host',
    'output',
    'session',
    'side-calls',
    'types:project',
    'types:storage',
    'types:tools',
    'verifying',
  ],
  tools: ['types:models', 'types:session'],
  verifying: ['side-calls', 'types:session'],
};

/** `engine/wiring/` connects: what it holds is short, and has no state of its own. */
const MAX_WIRING_LINES = 160;

/** What may import wiring: the door of the engine, and where options become its configuration. */
const WIRED_FROM = [
  'engine/query-engine.ts',
  // What isolates a server asks the rules.
  'engine/standalone/check-mcp-servers.ts',
  'sdk/open-engine.ts',
  'sdk/settings.ts',
  'sdk/mcp/configured-servers.ts',
];

/** Rooms (or single files) that may use a capability themselves; all others get it through a port. */
const MAY_USE: Readonly<Record<string, { readonly pattern: RegExp; readonly where: readonly string[] }>> = {
  'the file system': {
    pattern: /['"]node:fs(\/promises)?['"]/,
    // A sandbox lays its mounts over what is on the disk.
    where: [
      '@base',
      '@cli',
      '@testing/rehearsal',
      '@evals',
      'sandbox',
      '@terminal/renderer/write-now.ts',
      '@terminal/editor/external-editor.ts',
      '@terminal/editor/prompt-history.ts',
      '@terminal/editor/dropped-images.ts',
    ],
  },
  'child processes': {
    pattern: /['"]node:child_process['"]|\bchildProcess\b/,
    where: [
      '@base',
      '@cli',
      'engine/session/git-status.ts',
      'engine/models/api-key-helper.ts',
      '@terminal/editor/clipboard.ts',
      '@terminal/editor/external-editor.ts',
    ],
  },
  sockets: {
    pattern:
      /['"]node:(https?|net|tls|http2|dgram)['"]|\{[^}]*\b(https?|tls)\b[^}]*\} from '[^']*\/node\.ts'/,
    // The sandbox has some that nobody connects to: a lock, and what stands in the place of a file.
    where: [
      'model',
      'mcp',
      'web',
      '@testing/rehearsal',
      '@cli',
      '@durable/watch/health.ts',
      '@web/node-listener.ts',
      '@base/node.ts',
      '@base/http/connections.ts',
      '@base/http/create-fetch.ts',
      '@base/http/send-request.ts',
      'sandbox',
    ],
  },
  // One client: proxy, certificate authorities and limits hold for whatever is sent.
  'an HTTP client': {
    pattern: /\bhttps?(?:\(\))?\.(?:request|get|Agent)\b|\bhttps\(\)/,
    where: ['telemetry/signal-names.ts', '@base/http/connections.ts', '@base/node.ts'],
  },
  // Its commands are loaded when they are given.
  'an import of a module of Node that costs 10 to 25 ms': {
    pattern: /\bimport (?!type\b)[^;]*['"]node:(https?|tls|child_process)['"]/,
    where: ['@cli'],
  },
  'the environment': {
    pattern: /\bprocess\.env\b/,
    // The version is written in by the build.
    where: ['settings', '@cli', '@testing/rehearsal/index.ts', 'engine/version.ts', 'sdk/process-place.ts'],
  },
  'the working directory of the process': { pattern: /\bprocess\.chdir\b/, where: [] },
  'the real clock': {
    pattern: /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(/,
    where: ['@base', '@cli', '@testing/rehearsal', '@inspector/app.tsx'],
  },
  'fetch, which costs 70 ms to load': {
    pattern: /(?<![.\w])fetch\(\s*[^)\s]|['"]undici['"]/,
    where: ['@cli', '@testing/rehearsal', '@web/browser/index.ts', '@inspector/data/remote.ts'],
  },
};

/** Rooms without any built-in module of Node, and without packages. */
const PURE = ['protocol', 'view', 'loop', 'context', '@testing/testing'];

/** Packages that must not be loaded before they are needed. */
const LAZY_PACKAGES = ['zod', 'yaml', 'commander', 'diff', 'turndown', '@modelcontextprotocol'];

const MAX_LINES = 400;
const EXPORTED = /^export (?:async )?(?:abstract )?(?:function\*?|const|class|interface|type) (\w+)/gm;
const MAX_FUNCTION_LINES = 100;
/** Rooms whose functions have a limit; a class is none, its methods are. */
/** Functions above it: two pages that are read from top to bottom, and lists of parts in the order of their making. */
const LONG_FUNCTIONS: readonly string[] = [
  'engine/wiring/compose-agent.ts: composeAgentParts',
  'engine/wiring/compose-engine.ts: composeEngine',
  'engine/wiring/compose-rooms.ts: composeRooms',
  'model/call-model.ts: callModel',
  'sdk/query/query.ts: query',
];
/** Public names that two doors have. */
const NAMES_OF_TWO_DOORS = ['RecordedRequest', 'Reply', 'reply'];
/** Makers of built-in tools, agents that are defined by tools, texts for the model, and scripted sessions. */
const NAMING_TOOLS = [
  'protocol/tools/builtin-tools.ts',
  'tools/',
  'web/web-fetch-tool.ts',
  'web/web-search-tool.ts',
  'skills/skill-tool.ts',
  'subagents/',
  'language/lsp-tool.ts',
  'engine/language/find-language-servers.ts',
  'engine/session/system-prompt.ts',
  'engine/budget/asking-budget.ts',
  'telemetry/claude-code-signals.ts',
  '@testing/rehearsal/bundled/',
];
/** Wires, and the servers that a list of models is recognised by. */
const NAMING_PROVIDERS = [
  'protocol/model/provider.ts',
  'model/wires.ts',
  'model/cloud/',
  'model/openai/',
  'model/ai-sdk/',
  'model/messages-wire.ts',
  'model/catalog/look-up-facts.ts',
  'model/catalog/server-apis.ts',
];
/** With what lets an idle worker be quiet. */
const MAX_ENGINE_LINES = 400;
/** Tables: their length is their content. */
const LONG_BY_NATURE = ['model/catalog/model-list.ts', 'model/catalog/prices.ts', 'options/options.ts'];
const MAX_LOOP_LINES = 150;

/** A branch on the type of a record that changes messages of the view, or on the kind of an edit. */
const INTERPRETS_VIEW_CHANGES =
  /(?:\bcase|\btype [!=]==) '(?:retract|replacement|snip|collapse|boundary)'|\bcase '(?:splice|reset)'/;
/** Prints the type of each record in the debug log, and does nothing else with it. */
const PRINTS_RECORDS = 'engine/session/debug-log.ts';

const MAX_COMMENT_COLUMNS = 110;

/**
 * Words that comments and test titles replace: roles (the caller, the consumer, the host, the user, the model, another
 * process) instead of people, and the standard terms (emit, notify, record, retract, queue, fall back).
 */
const BANNED_WORDS: readonly RegExp[] = [
  /\b(?:nobody|somebody|anybody|everybody|whoever)\b/i,
  /\btold\b/i,
  /\bstands (?:alone|at|before|behind|beside|for|in|on|there|where)\b/i,
  /\bon record\b/i,
  /\btaken back\b/i,
  /\b(?:gives|makes) way\b/i,
  /\bin line\b/i,
  /\bearlier (?:life|lives)\b/i,
  /\bgo(?:es)? round\b/i,
  /\brungs?\b/i,
  /\blets? go of\b/i,
];

/** The alias `default` means this variable, in agents and commands too. */
const ALIAS_OF_THE_DEFAULT_MODEL = 'model/catalog/model-info.ts';

/** A process has one of each: what is loaded once, watched once, or the same for all sessions. */
const STATE_OF_THE_PROCESS = [
  '@base/files/temporary-folder.ts',
  '@base/process/find-ripgrep.ts',
  '@base/process/kill-on-exit.ts',
  '@base/process/process-identity.ts',
  '@base/process/process-tree.ts',
  '@base/text/figures-and-times.ts',
  // DBOS is one for a process.
  '@durable/dbos.ts',
  // A process has one terminal, whose widths are asked once.
  '@terminal/text/cells.ts',
  'sandbox/linux/domain-proxy.ts',
  'settings/trust/hide-startup-secrets.ts',
  'tools/schema/from-zod.ts',
];

const DUMPING_GROUNDS = ['helpers', 'utils', 'types', 'misc', 'common', 'shared'];

interface Import {
  readonly target: string;
  readonly kind: 'value' | 'type' | 'lazy';
}

interface Source {
  /** `loop/rules/index.ts`: below the sources of the engine; of other packages `@cli/main.ts`. */
  readonly path: string;
  /** A room of the engine, or a package: `loop`, `@cli`, `@testing/rehearsal`. */
  readonly room: string;
  /** From the root. */
  readonly file: string;
  readonly text: string;
  /** Without comments and without texts of several lines, which may hold code of their own. */
  readonly code: string;
  readonly imports: readonly Import[];
}

/** Without packages, which may be installed at this moment, and without the apps of bundlers while a test runs. */
function walk(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isFile()) return [path];
    return entry.isDirectory() && !/fixtures|node_modules|next-app-/.test(entry.name) ? walk(path) : [];
  });
}

/** All pages that users and contributors read; `docs/spec` cites rules in their own words. */
function pagesOfDocs(): string[] {
  return [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    ...['docs', 'examples']
      .flatMap(walk)
      .filter((file) => file.endsWith('.md') && !file.startsWith('docs/spec/')),
  ];
}

/** `cli/main.ts: start`, for each function above the limit. */
function longFunctionsIn(path: string, text: string): readonly string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineAt = (position: number) => file.getLineAndCharacterOfPosition(position).line;
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isLong =
      ts.isFunctionLike(node) && lineAt(node.end) - lineAt(node.getStart()) >= MAX_FUNCTION_LINES;
    if (isLong) found.push(`${path}: ${node.name?.getText() ?? 'a function without a name'}`);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Comments of a program; the lines of a page without code and without the targets of its links. */
function proseOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  if (!file.endsWith('.md')) return text.match(/^\s*\/\/.*$|\s\/\/ .*$/gm) ?? [];
  return text
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/`[^`]+`/g, '``')
    .replace(/\]\([^)]*\)/g, ']')
    .split('\n');
}

/** The anchors of a page: those of its headings, as GitHub derives them, and those in HTML. */
function anchorsOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

function readSource(file: string): Source {
  const path = pathOf(file);
  const text = readFileSync(join(ROOT, file), 'utf8');
  const code = text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$|\s\/\/ .*$/gm, '')
    .replace(/`(?:\\.|[^`\\])*`/g, (template) => (template.includes('\n') ? '``' : template));
  return { path, room: roomOf(path), file, text, code, imports: importsOf(path, code) };
}

function roomOf(path: string): string {
  return /^@testing\/\w+|^[^/]+/.exec(path)?.[0] as string;
}

/** `packages/engine/src/loop/deps.ts` is `loop/deps.ts`, `packages/cli/src/main.ts` is `@cli/main.ts`. */
const pathOf = (file: string) => file.replace(/^packages\/(\w+)\/src\//, '@$1/').replace(/^@engine\//, '');

function targetOf(from: string, specifier: string): string {
  const source = sourceOfName(specifier);
  if (source !== undefined) return pathOf(source);
  if (!specifier.startsWith('.')) return specifier;
  return normalize(join(dirname(from), specifier))
    .split(sep)
    .join('/');
}

function importsOf(path: string, code: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: string, kind: Import['kind']) =>
    found.push({ target: targetOf(path, specifier), kind });
  for (const [, words, clause, specifier] of code.matchAll(
    /^\s*(import|export)\b([^;'"]*?)\bfrom\s*['"]([^'"]+)['"]/gm,
  )) {
    if (words === undefined || clause === undefined || specifier === undefined) continue;
    const named = clause.match(/^\s*\{([^}]*)\}\s*$/)?.[1]?.split(',');
    const onlyTypes = named
      ?.map((name) => name.trim())
      .filter((name) => name !== '')
      .every((name) => /^type\s/.test(name));
    add(specifier, /^\s*type\b/.test(clause) || onlyTypes ? 'type' : 'value');
  }
  for (const [, specifier] of code.matchAll(/^\s*import\s*['"]([^'"]+)['"]/gm))
    add(specifier as string, 'value');
  for (const [, specifier] of code.matchAll(/(?:typeof\s+)?\bimport\(\s*['"]([^'"]+)['"]\s*\)/g))
    add(specifier as string, 'lazy');
  return found;
}

const testFiles = ['test', ...PACKAGES.map((name) => `packages/${name}/test`)]
  .filter((folder) => existsSync(join(ROOT, folder)))
  .flatMap(walk);
const sources = sourceFiles().map(readSource);
const bySourcePath = new Map(sources.map((source) => [source.path, source]));
const isLocal = (target: string) => /\.tsx?$/.test(target);

/** Every offence in a list, so that one run names them all. */
function offences(check: (source: Source) => readonly string[]): string[] {
  return sources.flatMap((source) => check(source).map((what) => `${source.path}: ${what}`));
}

describe('the sources', () => {
  it('were found, with their imports', () => {
    expect(sources.length).toBeGreaterThan(50);
    expect(
      sources.flatMap((source) => source.imports).filter(({ target }) => isLocal(target)).length,
    ).toBeGreaterThan(100);
    for (const room of ['protocol', '@base', 'loop', 'context', '@testing/testing']) {
      expect(
        sources.some((source) => source.room === room),
        room,
      ).toBe(true);
    }
  });

  it('stand in rooms that the house has', () => {
    expect(offences(({ room }) => (room in MAY_IMPORT ? [] : [`there is no room ${room}`]))).toEqual([]);
  });

  it('import files that exist, by their full name', () => {
    expect(
      offences(({ imports, code }) => [
        ...imports.flatMap(({ target }) =>
          isLocal(target) && !bySourcePath.has(target) ? [`no ${target}`] : [],
        ),
        ...(/from\s*['"]\.[^'"]*(?<!\.tsx?)['"]/.test(code) ? ['a relative import does not end in .ts'] : []),
      ]),
    ).toEqual([]);
  });
});

describe('who may import whom', () => {
  it('is as the table says', () => {
    expect(
      offences(({ room, imports }) => {
        const allowed = MAY_IMPORT[room] ?? [];
        return imports.flatMap(({ target, kind }) => {
          if (!isLocal(target) || roomOf(target) === room) return [];
          const to = roomOf(target);
          const ok =
            allowed.includes(to) ||
            allowed.some((one) => target === one || target.startsWith(`${one}/`)) ||
            (kind === 'lazy' && [to, target].some((one) => allowed.includes(`lazy:${one}`))) ||
            (kind === 'type' && (allowed.includes(`types:${to}`) || allowed.includes(`types:${target}`)));
          return ok ? [] : [`${room} must not import ${target} (${kind})`];
        });
      }),
    ).toEqual([]);
  });

  it('has no cycles, not even among types', () => {
    const cycles: string[] = [];
    const done = new Set<string>();
    const visit = (path: string, trail: readonly string[]) => {
      const at = trail.indexOf(path);
      if (at >= 0) cycles.push([...trail.slice(at), path].join(' → '));
      if (at >= 0 || done.has(path)) return;
      for (const { target, kind } of bySourcePath.get(path)?.imports ?? []) {
        if (isLocal(target) && kind !== 'lazy') visit(target, [...trail, path]);
      }
      done.add(path);
    };
    for (const { path } of sources) visit(path, []);
    expect(cycles).toEqual([]);
  });

  it('holds for the sub-rooms of the engine too', () => {
    const subRoomOf = (path: string) => /^engine\/([^/]+)\//.exec(path)?.[1];
    const found = new Set(sources.flatMap(({ path }) => subRoomOf(path) ?? []));
    expect([...found].sort()).toEqual(['wiring', ...Object.keys(ENGINE_MAY_IMPORT)].sort());
    expect(
      offences(({ path, imports }) => {
        const from = subRoomOf(path);
        if (from === 'wiring') return [];
        const allowed = from === undefined ? [] : (ENGINE_MAY_IMPORT[from] ?? []);
        return imports.flatMap(({ target, kind }) => {
          const to = subRoomOf(target);
          if (to === undefined || to === from) return [];
          if (to === 'wiring') return WIRED_FROM.includes(path) ? [] : [`must not import ${target}`];
          if (from === undefined) return [];
          const ok = allowed.includes(to) || (kind === 'type' && allowed.includes(`types:${to}`));
          return ok ? [] : [`${from} must not import ${target} (${kind})`];
        });
      }),
    ).toEqual([]);
  });

  it('has no cycles in the engine, types counted', () => {
    const cycles: string[] = [];
    const done = new Set<string>();
    const visit = (path: string, trail: readonly string[]) => {
      const at = trail.indexOf(path);
      if (at >= 0) cycles.push([...trail.slice(at), path].join(' → '));
      if (at >= 0 || done.has(path)) return;
      for (const { target, kind } of bySourcePath.get(path)?.imports ?? [])
        if (target.startsWith('engine/') && kind !== 'lazy') visit(target, [...trail, path]);
      done.add(path);
    };
    for (const { path, room } of sources) if (room === 'engine') visit(path, []);
    expect(cycles).toEqual([]);
  });

  it.each(PURE)('%s needs neither Node nor packages', (room) => {
    expect(
      offences((source) =>
        source.room === room
          ? source.imports.filter(({ target }) => !isLocal(target)).map(({ target }) => target)
          : [],
      ),
    ).toEqual([]);
  });

  it('loads heavy packages only when they are needed', () => {
    const eager = new Set<string>();
    const visit = (path: string) => {
      if (eager.has(path)) return;
      eager.add(path);
      for (const { target, kind } of bySourcePath.get(path)?.imports ?? []) {
        if (isLocal(target) && kind === 'value') visit(target);
      }
    };
    for (const door of [
      'index.ts',
      'engine/query-engine.ts',
      'loop/query-loop.ts',
      '@testing/testing/index.ts',
    ])
      visit(door);
    expect(
      offences(({ path, imports }) =>
        eager.has(path)
          ? imports
              .filter(
                ({ target, kind }) =>
                  kind === 'value' && LAZY_PACKAGES.includes(target.split('/')[0] as string),
              )
              .map(({ target }) => `loads ${target} at start`)
          : [],
      ),
    ).toEqual([]);
  });

  it('is not worked around: the lint rules about imports stay on everywhere', () => {
    expect(
      offences(({ text }) =>
        [
          ...text.matchAll(
            /biome-ignore(?:-all)? [^\n]*?(import|default-?export)[^\n]*|@ts-(?:ignore|nocheck)/gi,
          ),
        ].map(([line]) => line),
      ),
    ).toEqual([]);
  });
});

describe('what only some rooms may touch', () => {
  it.each(Object.entries(MAY_USE))('%s', (_, { pattern, where }) => {
    expect(
      offences(({ path, room, code }) => {
        if (where.includes(room) || where.includes(path)) return [];
        return code
          .split('\n')
          .filter((line) => pattern.test(line))
          .map((line) => line.trim());
      }),
    ).toEqual([]);
  });
});

describe('shape', () => {
  it(`no file is longer than ${MAX_LINES} lines`, () => {
    expect(
      offences(({ path, text }) => {
        const lines = text.split('\n').length - 1;
        return lines > MAX_LINES && !LONG_BY_NATURE.includes(path) ? [`${lines} lines`] : [];
      }),
    ).toEqual([]);
  });

  it(`no function is longer than ${MAX_FUNCTION_LINES} lines`, () => {
    const long = sources.flatMap(({ path, text }) => longFunctionsIn(path, text));
    expect(long.toSorted()).toEqual(LONG_FUNCTIONS.toSorted());
  });

  it('built-in tools are named by what makes them; all else asks for their facts', () => {
    // These two are words of other tables too.
    const names = new RegExp(
      `'(?:${BUILTIN_TOOL_NAMES.filter((name) => !['Agent', 'Glob'].includes(name)).join('|')})'`,
    );
    const code = (text: string) => text.replaceAll(/^\s*(?:\*|\/\/|\/\*).*$/gm, '');
    const naming = sources.filter(({ text }) => names.test(code(text))).map(({ path }) => path);
    expect(naming.filter((path) => !NAMING_TOOLS.some((place) => path.startsWith(place)))).toEqual([]);
    expect(NAMING_TOOLS.filter((place) => !naming.some((path) => path.startsWith(place)))).toEqual([]);
  });

  it('the facts of providers are in one registry: no other room names one', () => {
    const words = [
      ...PROVIDER_TYPES.filter((type) => type !== 'wire'),
      ...Object.keys(NAMED_PROVIDERS),
      DEFAULT_RECORDED,
    ].join('|');
    // `openai` is also the family of an API, which facts state.
    const names = new RegExp(`(?<!speaks [!=]== )'(?:${words})'|^\\s*(?:${words}): `, 'm');
    const code = (text: string) => text.replaceAll(/^\s*(?:\*|\/\/|\/\*).*$/gm, '');
    const naming = sources.filter(({ text }) => names.test(code(text))).map(({ path }) => path);
    expect(naming.filter((path) => !NAMING_PROVIDERS.some((place) => path.startsWith(place)))).toEqual([]);
    expect(NAMING_PROVIDERS.filter((place) => !naming.some((path) => path.startsWith(place)))).toEqual([]);
  });

  it(`what knows the dispatching engine, and who lives, has together at most ${MAX_ENGINE_LINES} lines`, () => {
    const lines = ['@durable/dbos.ts', '@durable/dbos-queues.ts', '@durable/reaper.ts'].map(
      (path) => (bySourcePath.get(path)?.text.split('\n').length ?? Number.NaN) - 1,
    );
    expect(lines.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(MAX_ENGINE_LINES);
  });

  it(`the loop is one page: a literal while (true) in at most ${MAX_LOOP_LINES} lines, once in its room`, () => {
    const loop = bySourcePath.get('loop/query-loop.ts');
    expect(loop?.code.match(/while \(true\)/g)).toHaveLength(1);
    expect(loop?.text.split('\n').length).toBeLessThanOrEqual(MAX_LOOP_LINES + 1);
    expect(loop?.code).toMatch(/^export (async )?function\*? queryLoop\(/m);
  });

  it('names are in kebab-case and say what is inside', () => {
    const files = [...sourceFiles(), ...testFiles].filter((file) => file.endsWith('.ts'));
    const odd = files.filter((file) =>
      file.split('/').some((part) => {
        const name = part.replace(/(\.test)?\.ts$/, '');
        return (
          !/^[a-z0-9]+(-[a-z0-9]+)*$/i.test(name) ||
          DUMPING_GROUNDS.includes(name) ||
          name !== name.toLowerCase()
        );
      }),
    );
    expect(odd.filter((file) => !file.startsWith('test/scenarios/'))).toEqual([]);
  });

  it('stages return what they made', () => {
    const stages = sources.filter(({ path }) => path.startsWith('loop/stages/'));
    const exported = stages.flatMap(({ path, code }) =>
      [...code.matchAll(/^export (?:async )?function\*? (\w+)[\s\S]*?\)(: [^{;]*?)? \{$/gm)].map(
        ([, name, type = 'no return type']) => ({ name: `${path} ${name}`, type }),
      ),
    );
    expect(exported.length).toBeGreaterThan(8);
    const named = bySourcePath.get('loop/query-loop.ts')?.imports ?? [];
    const onThePage = named
      .filter(({ target }) => target.startsWith('loop/stages/'))
      .map(({ target }) => target);
    expect(onThePage).toHaveLength(5);
    expect(
      exported.filter(
        ({ name, type }) =>
          onThePage.includes(name.split(' ')[0] as string) &&
          /no return type|^: void$|(?:Promise|AsyncGenerator)<(?:[^<>]*, )?(?:void|unknown)>/.test(type),
      ),
    ).toEqual([]);
  });

  it('only loop/iteration.ts writes the fields of an iteration', () => {
    const writes =
      /\b(?:iteration|it)(?:\.\w+)+ (?:[-+|&?]{0,2}=)(?!=)|\b(?:iteration|it)(?:\.\w+)+(?:\+\+|--)/;
    expect(writes.test('iteration.state = next;')).toBe(true);
    expect(
      offences(({ path, code }) =>
        path.startsWith('loop/') && path !== 'loop/iteration.ts'
          ? code.split('\n').filter((line) => writes.test(line))
          : [],
      ),
    ).toEqual([]);
    const fields = bySourcePath
      .get('loop/iteration.ts')
      ?.code.match(/^ {2}(?!readonly |#)\w+(?:: [^(]*)?(?: = .*)?;$/gm);
    expect(fields ?? []).toEqual([]);
  });

  it('the numbers of the loop are in one file', () => {
    const number = /^\s*(?:export )?const [A-Z][A-Z0-9_]* = [-\d]/gm;
    expect(bySourcePath.get('loop/limits.ts')?.code.match(number)?.length).toBeGreaterThan(5);
    expect(
      offences(({ path, code }) =>
        path.startsWith('loop/') && path !== 'loop/limits.ts' ? (code.match(number) ?? []) : [],
      ),
    ).toEqual([]);
  });

  it(`wiring holds no class, and no file of more than ${MAX_WIRING_LINES} lines`, () => {
    const wiring = sources.filter(({ path }) => path.startsWith('engine/wiring/'));
    expect(wiring.length).toBeGreaterThan(5);
    expect(wiring.filter(({ code }) => /^(?:export )?class /m.test(code)).map(({ path }) => path)).toEqual(
      [],
    );
    const long = wiring.filter(({ text }) => text.split('\n').length - 1 > MAX_WIRING_LINES);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it('one file of the engine runs the loop', () => {
    const runs = sources.filter(
      ({ room, imports }) =>
        room !== 'loop' && room !== 'replay' && imports.some(({ target }) => target === 'loop/query-loop.ts'),
    );
    expect(runs.map(({ path }) => path)).toEqual(['engine/submission/loop-driver.ts']);
  });

  it('only view/ interprets retractions and edits of the view', () => {
    const interprets = (source: Source) =>
      source.code.split('\n').filter((line) => INTERPRETS_VIEW_CHANGES.test(line));
    expect(sources.filter(({ room }) => room === 'view').flatMap(interprets).length).toBeGreaterThan(3);
    expect(
      offences((source) =>
        source.room === 'view' || source.room === 'replay' || source.path === PRINTS_RECORDS
          ? []
          : interprets(source),
      ),
    ).toEqual([]);
  });

  it('the names of options are listed in one table', () => {
    const names = Object.keys(OPTIONS);
    const isList = ({ code }: Source) => {
      const named = (opening: RegExp) =>
        [...code.matchAll(opening)].filter(([, name = '']) => names.includes(name)).map(([, name]) => name);
      // A key of a table, or of an interface, or an item of a list.
      return new Set([...named(/^ {2,}(?:readonly )?(\w+)\??: /gm), ...named(/^\s*'(\w+)',$/gm)]).size;
    };
    const lists = sources.filter((source) => isList(source) > names.length / 2).map(({ path }) => path);
    expect(lists.sort()).toEqual(['options/options.ts', 'options/table.ts']);
    const variables = Object.values<OptionRow>(OPTIONS).flatMap(({ variable }) => variable ?? []);
    expect(variables.length).toBeGreaterThan(5);
    expect(
      offences(({ path, code }) =>
        path === 'options/table.ts' || path === ALIAS_OF_THE_DEFAULT_MODEL
          ? []
          : variables.filter((name) => new RegExp(`['"]${name}['"]`).test(code)),
      ),
    ).toEqual([]);
  });

  it('exports by name', () => {
    expect(
      offences(({ code }) =>
        /^\s*export\s+default\b|\bas\s+default\b/m.test(code) ? ['has a default export'] : [],
      ),
    ).toEqual([]);
  });

  it('tests mirror the rooms', () => {
    const rooms = new Set([
      ...sources.map(({ room }) => room),
      // Of these packages, the tests that need others: what the whole does.
      ...['cli', 'durable', 'inspector', 'page', 'rehearsal', 'terminal', 'testing', 'util'],
      'scenarios',
      'properties',
      'fixtures',
      'support',
      'client',
      'mcp-servers',
      'mcp-conformance',
      'acp',
      'ai-sdk-v4',
      'azure-login',
      'bundlers',
      'runtimes',
      'ccusage',
      'consumer',
      'front-door',
      'conversation',
      'project',
      'torture',
    ]);
    const strays = walk('test').filter((file) => {
      const [, room, rest] = file.split('/');
      return rest !== undefined && room !== undefined && !rooms.has(room);
    });
    expect(strays).toEqual([]);
    const ofTheEngine = walk('packages/engine/test').filter(
      (file) => !rooms.has(file.split('/')[3] as string),
    );
    expect(ofTheEngine).toEqual([]);
  });
});

describe('prose', () => {
  const comments = ({ text }: Source): string[] =>
    text.split('\n').filter((line) => /^\s*(?:\/\/|\/?\*)/.test(line));
  const isBanned = (line: string) => BANNED_WORDS.some((word) => word.test(line));

  it('comments use the standard terms', () => {
    expect(isBanned('// Whoever asks is told.')).toBe(true);
    expect(offences((source) => comments(source).filter(isBanned))).toEqual([]);
  });

  it('docs and examples use the standard terms', () => {
    const lines = [...pagesOfDocs(), ...walk('examples').filter((file) => file.endsWith('.ts'))].flatMap(
      (file) => proseOf(file).map((line) => ({ file, line })),
    );
    expect(lines.length).toBeGreaterThan(1000);
    expect(lines.filter(({ line }) => isBanned(line))).toEqual([]);
  });

  it('docs name files and folders that exist', () => {
    const PLACE = /`((?:packages|test|scripts|bench|examples|docs|\.ci)\/[\w./-]+)`/g;
    const named = pagesOfDocs().flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(PLACE)].map(([, path = '']) => ({ file, path })),
    );
    expect(named.length).toBeGreaterThan(100);
    // The page of a first change names two that its reader writes.
    const isToCome = (path: string) => /\/tools\/builtin\/now\.(?:test\.)?ts$/.test(path);
    expect(named.filter(({ path }) => !existsSync(join(ROOT, path)) && !isToCome(path))).toEqual([]);
  });

  it('links of docs lead to files and headings that exist', () => {
    const links = pagesOfDocs().flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(
        ([link, path = '', heading]) => ({
          link: `${file}: ${link}`,
          target: path === '' ? file : normalize(join(dirname(file), path)),
          heading,
        }),
      ),
    );
    expect(links.length).toBeGreaterThan(100);
    expect(links.filter(({ target }) => !existsSync(join(ROOT, target)))).toEqual([]);
    expect(
      links.filter(({ target, heading }) => heading !== undefined && !anchorsOf(target).includes(heading)),
    ).toEqual([]);
  });

  it(`comments are at most ${MAX_COMMENT_COLUMNS} columns wide, like the code`, () => {
    expect(
      offences((source) => comments(source).filter((line) => line.length > MAX_COMMENT_COLUMNS)),
    ).toEqual([]);
  });

  it('no comment only repeats the name that it stands above', () => {
    expect(
      offences((source) =>
        [...source.text.matchAll(/^ *\/\*\* ([^*`]+) \*\/\n *(.*)$/gm)]
          .filter(([, words = '', code = '']) => repeatsName(words, code))
          .map(([, words]) => words ?? ''),
      ),
    ).toEqual([]);
  });

  it('test titles use the standard terms', () => {
    const titles = testFiles
      .filter((file) => file.endsWith('.test.ts'))
      .flatMap((file) =>
        [
          ...readFileSync(join(ROOT, file), 'utf8').matchAll(
            /^\s*(?:describe|it|test)(?:\.\w+)*(?:\([^)]*\))?\(\s*(['"`])(.*)\1,/gm,
          ),
        ].map(([, , title = '']) => ({ file, title })),
      );
    expect(titles.length).toBeGreaterThan(1000);
    expect(titles.filter(({ title }) => isBanned(title))).toEqual([]);
  });
});

describe('cited rules', () => {
  const CITATION = /(?<![\w.#/-])(?:F\d{2,3}|T1\d\d|L\d{1,2}(?:\.\d{1,2})?)(?![\w-])/g;
  const anchors = new Set(
    walk('docs/spec').flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/<a id="([^"]+)"><\/a>/g)].map(
        ([, id]) => id as string,
      ),
    ),
  );
  const pages = [...walk('docs'), 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md'];
  const citing = [...sourceFiles(), ...testFiles, ...pages].filter(
    (file) => /\.(ts|md)$/.test(file) && !file.startsWith('docs/spec/'),
  );
  const cited = citing.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(CITATION)].map(([id]) => ({ file, id })),
  );

  it('are anchors of a page under docs/spec', () => {
    expect(anchors.size).toBeGreaterThan(100);
    expect(cited.filter(({ id }) => !anchors.has(id))).toEqual([]);
  });

  it('are the only anchors there', () => {
    const used = new Set(cited.map(({ id }) => id));
    expect([...anchors].filter((id) => !used.has(id))).toEqual([]);
  });
});

describe('nothing is left over', () => {
  const DOORS = [
    'index.ts',
    '@testing/rehearsal/index.ts',
    '@testing/testing/index.ts',
    '@durable/index.ts',
    '@web/index.ts',
    '@web/browser/index.ts',
    '@cli/main.ts',
    // A bundle of its own.
    '@inspector/page.tsx',
  ];
  /** Folders of a file for each thing of one kind, however many there are. */
  const CATALOGUES = ['@testing/rehearsal/judge'];
  const MOST_FILES = 20;

  it(`a folder holds at most ${MOST_FILES} files`, () => {
    const sizes = sizesOf();
    const large = [...sizes].filter(([folder, size]) => size > MOST_FILES && !CATALOGUES.includes(folder));
    expect(large).toEqual([]);
  });

  it('every file can be reached from a door', () => {
    const reached = new Set<string>();
    const visit = (path: string) => {
      if (reached.has(path)) return;
      reached.add(path);
      for (const { target } of bySourcePath.get(path)?.imports ?? []) visit(target);
    };
    DOORS.forEach(visit);
    const missed = sources.filter(({ path }) => !reached.has(path));
    expect(missed.map(({ path }) => path)).toEqual([]);
  });

  it('no two files export one name, and no two have one name', () => {
    const files = new Map<string, Set<string>>();
    const note = (name: string, path: string) => files.set(name, (files.get(name) ?? new Set()).add(path));
    for (const { path, code } of sources) {
      const file = path.split('/').at(-1) as string;
      if (file !== 'index.ts') note(file, path);
      for (const [, name = ''] of code.matchAll(EXPORTED)) note(name, path);
    }
    const twice = [...files].filter(([, paths]) => paths.size > 1).map(([name]) => name);
    expect(twice.toSorted()).toEqual(NAMES_OF_TWO_DOORS.toSorted());
  });

  it('every export is imported, by the sources or by a test', () => {
    const texts = [...sourceFiles(), ...testFiles, ...['bench', 'scripts', 'examples'].flatMap(walk)]
      .filter((file) => /\.(tsx?|mjs)$/.test(file))
      .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
    const imported = new Map<string, Set<string>>();
    const note = (file: string, specifier: string, name: string) => {
      const target = pathOf(sourceOfName(specifier) ?? targetOf(file, specifier));
      imported.set(target, (imported.get(target) ?? new Set()).add(name));
    };
    for (const { file, text } of texts) {
      for (const [, clause = '', from = ''] of text.matchAll(
        /\b(?:import|export)\b([^;'"]*?)\bfrom\s*['"]((?:\.|@turnwright\/)[^'"]+)['"]/g,
      )) {
        for (const name of clause.match(/\{([^}]*)\}/)?.[1]?.split(',') ?? [])
          note(
            file,
            from,
            name
              .trim()
              .replace(/^type\s+/, '')
              .split(/\s+as\s+/)[0] as string,
          );
        if (clause.includes('*')) note(file, from, '*');
      }
      for (const [, from = ''] of text.matchAll(/\bimport\(\s*['"]((?:\.|@turnwright\/)[^'"]+)['"]\s*\)/g))
        note(file, from, '*');
    }
    const timesNamed = new Map<string, number>();
    for (const { text } of texts)
      for (const [word] of text.matchAll(/\w+/g)) timesNamed.set(word, (timesNamed.get(word) ?? 0) + 1);
    expect(
      offences(({ path, code }) => {
        if (DOORS.includes(path)) return [];
        const names = imported.get(path) ?? new Set();
        return [...code.matchAll(EXPORTED)]
          .map(([, name]) => name as string)
          .filter((name) => !names.has(name) && !(names.has('*') && (timesNamed.get(name) ?? 0) > 1));
      }),
    ).toEqual([]);
  });

  it('only an index consists of what others export', () => {
    expect(
      sources
        .filter(({ path, code }) => {
          const rest = code.replace(/^export\s+(type\s+)?(\{[^}]*\}|\*)\s*from\s*'[^']*';/gm, '');
          return rest.trim() === '' && !path.endsWith('index.ts');
        })
        .map(({ path }) => path),
    ).toEqual(['sdk/providers.ts']);
  });

  it('state of the process is where it is listed', () => {
    const found = sources.filter(({ code }) => /^(?:export )?let /m.test(code)).map(({ path }) => path);
    expect(found.toSorted()).toEqual(STATE_OF_THE_PROCESS);
  });

  it('what was thrown becomes text in one place', () => {
    expect(
      offences(({ path, room, code }) =>
        path === '@base/text/error-text.ts' || room === '@cli' || room === 'protocol'
          ? []
          : (code.match(/(\w+) instanceof Error\s*\? \1\.message\s*: String\(\1\)/g) ?? []),
      ),
    ).toEqual([]);
  });

  it('no test replaces a module', () => {
    const tests = testFiles.filter((file) => file.endsWith('.ts'));
    const mock = ['vi', 'mock('].join('.');
    expect(tests.filter((file) => readFileSync(join(ROOT, file), 'utf8').includes(mock))).toEqual([]);
  });
});

function sizesOf(): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { path } of sources) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1);
  return sizes;
}

describe('ARCHITECTURE.md', () => {
  const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');

  it('names files and folders that exist', () => {
    const links = [...page.matchAll(/\((packages\/[\w./-]+)\)/g)].map(([, path = '']) => path);
    const named = [...page.matchAll(/`([\w-]+\/[\w./-]*[\w/])`/g)].map(([, path = '']) => path);
    const places = ['', 'packages/engine/src', 'packages/testing', 'packages/web'];
    expect(named.length).toBeGreaterThan(25);
    expect(links.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(named.filter((path) => !places.some((place) => existsSync(join(ROOT, place, path))))).toEqual([]);
  });

  it('has a row for each package and each room of the engine, and no other', () => {
    const rows = page.slice(page.indexOf('## Packages and rooms')).matchAll(/^\| ((?:`[\w./-]+` ?)+)\|/gm);
    const listed = [...rows].flatMap(([, names = '']) => names.match(/[\w.-]+(?=\/?`)/g) ?? []);
    const rooms = new Set(sources.map(({ room }) => room).filter((room) => !room.startsWith('@')));
    expect(listed.toSorted()).toEqual([...PACKAGES, ...rooms].toSorted());
  });

  it('fits two pages', () => {
    expect(page.length).toBeLessThanOrEqual(12_000); // of 65 lines with 92 characters
  });
});

/** Whether the words are those of the declared name, in any order: "Outcome of one hook." above `HookOutcome`. */
function repeatsName(words: string, code: string): boolean {
  const [, name = ''] =
    /^(?:export |readonly |const |type |interface |class |function |async )*#?(\w+)/.exec(code) ?? [];
  const [said, named] = [words, name].map((text) =>
    (text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [])
      .map((word) => word.toLowerCase().replace(/s$/, ''))
      .filter((word) => !FILLING_WORDS.has(word))
      .sort()
      .join(' '),
  );
  return said !== '' && said === named;
}

const FILLING_WORDS = new Set('a an the of one all each every for this its it that in'.split(' '));
