/** Names of files by type, as ripgrep's `--type` has them: the usual ones. */
const FILE_TYPES: Readonly<Record<string, readonly string[]>> = {
  c: ['*.c', '*.h'],
  clojure: ['*.clj', '*.cljc', '*.cljs'],
  cmake: ['*.cmake', 'CMakeLists.txt'],
  cpp: ['*.C', '*.H', '*.cc', '*.cpp', '*.cxx', '*.h', '*.hh', '*.hpp', '*.hxx'],
  cs: ['*.cs'],
  css: ['*.css', '*.scss'],
  csv: ['*.csv'],
  dart: ['*.dart'],
  docker: ['*Dockerfile*'],
  elixir: ['*.eex', '*.ex', '*.exs', '*.heex'],
  go: ['*.go'],
  graphql: ['*.graphql', '*.graphqls'],
  haskell: ['*.hs', '*.lhs'],
  html: ['*.ejs', '*.htm', '*.html'],
  java: ['*.java', '*.jsp', '*.properties'],
  js: ['*.cjs', '*.js', '*.jsx', '*.mjs', '*.vue'],
  json: ['*.json', '*.sarif', 'composer.lock'],
  kotlin: ['*.kt', '*.kts'],
  lua: ['*.lua'],
  make: ['*.mak', '*.mk', 'GNUmakefile', 'Makefile', 'makefile'],
  markdown: ['*.markdown', '*.md', '*.mdown', '*.mdx', '*.mkd'],
  md: ['*.markdown', '*.md', '*.mdown', '*.mdx', '*.mkd'],
  ocaml: ['*.ml', '*.mli'],
  perl: ['*.pl', '*.pm', '*.t'],
  php: ['*.php', '*.phtml'],
  protobuf: ['*.proto'],
  py: ['*.py', '*.pyi'],
  python: ['*.py', '*.pyi'],
  r: ['*.R', '*.Rmd', '*.r'],
  ruby: ['*.gemspec', '*.rb', 'Gemfile', 'Rakefile'],
  rust: ['*.rs'],
  scala: ['*.sbt', '*.scala'],
  sh: ['*.bash', '*.sh', '*.zsh', '.bashrc', '.profile', '.zshrc'],
  sql: ['*.psql', '*.sql'],
  svelte: ['*.svelte'],
  swift: ['*.swift'],
  tf: ['*.tf', '*.tfvars'],
  toml: ['*.toml', 'Cargo.lock'],
  ts: ['*.cts', '*.mts', '*.ts', '*.tsx'],
  txt: ['*.txt'],
  typescript: ['*.cts', '*.mts', '*.ts', '*.tsx'],
  vue: ['*.vue'],
  xml: ['*.dtd', '*.xml', '*.xsd', '*.xsl', '*.xslt'],
  yaml: ['*.yaml', '*.yml'],
  zig: ['*.zig'],
};

/** The glob of a type that is the extension of another one's files: `tsx` is no type of ripgrep's. */
export function globOfExtension(type: string): string | undefined {
  const glob = `*.${type}`;
  if (Object.hasOwn(FILE_TYPES, type)) return undefined;
  return Object.values(FILE_TYPES).some((globs) => globs.includes(glob)) ? glob : undefined;
}

/** Throws a sentence for the model about an unknown type. */
export function globsOfType(type: string): readonly string[] {
  const extension = globOfExtension(type);
  if (extension !== undefined) return [extension];
  const globs = Object.hasOwn(FILE_TYPES, type) ? FILE_TYPES[type] : undefined;
  if (globs !== undefined) return globs;
  throw new Error(
    `The search failed: unrecognized file type: ${type}. Without ripgrep these are known: ${Object.keys(FILE_TYPES).join(', ')}. Use glob for others.`,
  );
}
