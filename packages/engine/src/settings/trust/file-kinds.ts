/** Kinds of files beside the settings: what runs, what a program reads, and what it leaves behind. */

/**
 * `source`: it runs, or instructs the model; a new one could be loaded in place of what was trusted.
 * `data`: nothing loads it by itself. `residue`: programs leave it behind as they run. `other`: unknown.
 */
export type FileKind = 'source' | 'data' | 'residue' | 'other';

const RESIDUE =
  /(?:\.(?:log|pid|lock|lck|tmp|temp|swp|swo|bak|orig|out|err|trace|prof|gcda)(?:\.\d+)?(?:\.(?:gz|zst))?|~|-(?:wal|shm|journal)|^\.(?:DS_Store|coverage)|^(?:Thumbs\.db|nohup\.out))$/i;
/** Python reads compiled code there in place of the source; hooks of a repository keep theirs elsewhere. */
const COMPILED_BESIDE = /(?:^|\/)__pycache__\/[^/]+\.pyc(?:\.\d+)?$/;
const CACHE_FOLDERS = /(?:^|\/)\.(?:pytest_cache|mypy_cache|ruff_cache)\//;
const SOURCE =
  /\.(?:pyc?|pyw|pyi?d|pyo|pth|so|dylib|dll|exe|jar|class|wasm|node|[cm]?[jt]sx?|sh|bash|zsh|zwc|ksh|fish|command|ps[md]?1|bat|cmd|vbs|rb|pl|pm|t|php|phar|lua|luac|go|rs|java|kts?|scala|groovy|clj|exs?|elc?|r|jl|tcl|awk|sed|jq|nu|ya?ml|toml|ini|cfg|conf|env)$/i;
/** Data of its kind, but read by runtimes and shells that start beside it. */
const READ_BY_RUNTIMES =
  /^(?:package|deno|tsconfig|jsconfig|composer|bunfig|import_map|global)\.jsonc?$|^\.(?:env|envrc|npmrc|.*rc|bash.*|zsh.*|profile|python-version|node-version|tool-versions)(?:\..*)?$|^(?:Makefile|Rakefile|Gemfile|justfile)$/i;
const DATA =
  /\.(?:txt|md|markdown|rst|json[cl5]?|ndjson|csv|tsv|xml|html?|db|sqlite3?|dat|data|cache|state|stamp|seen|count|pickle|parquet|gz|zst|zip|tar|png|jpe?g|gif|svg|pdf)$/i;
/** Folders whose text is for the model, and may grant tools. */
const INSTRUCTIONS = /^\.(?:claude|turnwright)\/(?:skills|commands|agents)\//;

/** `name`: from the project's root, with slashes. `text`: its first bytes. */
export function classifyFile(name: string, text: Uint8Array, siblings: ReadonlySet<string>): FileKind {
  const base = name.slice(name.lastIndexOf('/') + 1);
  if (COMPILED_BESIDE.test(name) || CACHE_FOLDERS.test(name) || RESIDUE.test(base)) return 'residue';
  if (text[0] === 0x23 && text[1] === 0x21) return 'source'; // #!
  if (SOURCE.test(base) || READ_BY_RUNTIMES.test(base)) return 'source';
  if (INSTRUCTIONS.test(name) && /\.(?:md|json)$/i.test(base)) return 'source';
  // `require('./rules')` loads rules.json before the folder rules.
  if (/\.json$/i.test(base) && siblings.has(base.slice(0, -5))) return 'source';
  return DATA.test(base) ? 'data' : 'other';
}

export const isResidue = (name: string): boolean =>
  classifyFile(name, new Uint8Array(), new Set()) === 'residue';
