// The page of `turnwright inspect`: one HTML file without any other part, whose policy names the hashes of its script
// and its style.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';

const SOURCES = 'packages/inspector/src';

/** Resolves to the text of the file. `root`: of the repository. */
export async function inspectorPage(root) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { page: `${SOURCES}/page.tsx`, style: `${SOURCES}/style.css` },
    outdir: 'unused',
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: ['es2022', 'chrome110', 'firefox115', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'ascii',
    // Named in docs/dependencies.md, as those of the chunks are.
    legalComments: 'none',
  });
  const part = (ending) => outputFiles.find(({ path }) => path.endsWith(ending)).text.trim();
  // Inside of an element, its own end tag would end it.
  const script = part('page.js').replaceAll('</script', '<\\/script');
  const style = part('style.css');
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  const shell = readFileSync(`${root}/${SOURCES}/shell.html`, 'utf8');
  return shell
    .replace('{policy}', () => policy)
    .replace('<!--style-->', () => `<style>${style}</style>`)
    .replace('<!--script-->', () => `<script>${script}</script>`);
}

const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
