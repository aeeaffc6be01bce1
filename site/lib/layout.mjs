// The frame around each page. All addresses are relative, so a page works from any folder and from a disk.
import { relativeUrl } from './markdown.mjs';
import { slug } from './pages.mjs';

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The theme is set before the first paint. */
const THEME = `try{const t=localStorage.getItem('theme');if(t)document.documentElement.dataset.theme=t}catch{}`;

export function layout({ page, sections, content, previous, next }) {
  const url = (to) => relativeUrl(page.output, to);
  const toRoot = url('index.html').replace(/index\.html$/, '');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.output === 'index.html' ? 'Turnwright' : `${page.title} · Turnwright`)}</title>
<meta name="description" content="${escaped(summaryOf(page.text))}">
<meta name="color-scheme" content="light dark">
<script>${THEME}</script>
<link rel="icon" href="${url('assets/icon.svg')}">
<link rel="stylesheet" href="${url('assets/site.css')}">
</head>
<body data-root="${toRoot}">
<a class="skip" href="#content">To the content</a>
<header>
<button type="button" class="menu" aria-label="Pages" aria-expanded="false" aria-controls="pages">☰</button>
<a class="brand" href="${url('index.html')}">Turnwright</a>
<div class="search" role="search">
<input type="search" placeholder="Search  /" aria-label="Search" autocomplete="off" spellcheck="false">
<ol class="found" hidden></ol>
</div>
<button type="button" class="theme" aria-label="Light or dark">◐</button>
</header>
<div class="columns">
<nav id="pages" aria-label="Pages">
${sections.map((section) => listed(section, page, url)).join('\n')}
</nav>
<main id="content">
<article>
${content}
</article>
<footer>
${previous ? `<a rel="prev" href="${url(previous.output)}">← ${escaped(previous.label)}</a>` : '<span></span>'}
${next ? `<a rel="next" href="${url(next.output)}">${escaped(next.label)} →</a>` : ''}
</footer>
</main>
${onThisPage(page)}
</div>
<script src="${url('assets/site.js')}" defer></script>
</body>
</html>
`;
}

function listed({ title, pages }, current, url) {
  const here = pages.some(({ output }) => output === current.output) || title === current.section;
  const items = pages
    .map(({ output, label }) => {
      const mark = output === current.output ? ' aria-current="page"' : '';
      return `<li><a href="${url(output)}"${mark}>${escaped(label)}</a></li>`;
    })
    .join('\n');
  return `<details${here || ['Start', 'Recipes'].includes(title) ? ' open' : ''}><summary>${title}</summary><ul>\n${items}\n</ul></details>`;
}

function onThisPage({ text, source }) {
  if (source.startsWith('api/') || source.endsWith('.ts')) return '';
  const headings = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^(##) (.+)$/gm)];
  if (headings.length < 2) return '';
  const items = headings.map(([, , title]) => {
    const words = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
    return `<li><a href="#${slug(title)}">${escaped(words)}</a></li>`;
  });
  return `<aside aria-label="On this page"><p>On this page</p><ul>\n${items.join('\n')}\n</ul></aside>`;
}

/** The first paragraph without marks. */
export function summaryOf(text) {
  const paragraph =
    text
      .replace(/^---\n[\s\S]*?\n---\n/, '')
      .replace(/<!--[\s\S]*?-->/g, '')
      .split(/\n\s*\n/)
      .find((part) => /^[A-Za-z`*]/.test(part.trim())) ?? '';
  const plain = paragraph.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*\\]/g, '');
  return plain.replace(/\s+/g, ' ').trim().slice(0, 200);
}
