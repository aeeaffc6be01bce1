/** The languages that code is coloured in: loaded as one, with the first text that may have code. */
import core from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import cpp from 'highlight.js/lib/languages/cpp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

/** By name; the other names of each (`sh`, `ts`, `js` …) come with its grammar or from below. */
const GRAMMARS = { bash, cpp, css, diff, go, java, json, python, rust, sql, typescript, xml, yaml };

/** TypeScript's grammar reads JavaScript as well. */
const ALIASES = {
  typescript: ['javascript', 'js', 'jsx', 'mjs', 'cjs'],
  bash: ['shell', 'console'],
  cpp: ['c'],
};

const hljs = core.newInstance();
hljs.configure({ classPrefix: '' });
for (const [name, grammar] of Object.entries(GRAMMARS)) hljs.registerLanguage(name, grammar);
for (const [languageName, aliases] of Object.entries(ALIASES))
  hljs.registerAliases(aliases, { languageName });

/** HTML, with a `span` for each scope; undefined where the language is not known. */
export function highlight(code: string, language: string): string | undefined {
  if (hljs.getLanguage(language) === undefined) return undefined;
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}
