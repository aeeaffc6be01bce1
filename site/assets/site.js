// Menu, theme, copying of code and search. Without it every page can be read.
(() => {
  const root = document.body.dataset.root;
  const one = (selector) => document.querySelector(selector);

  const menu = one('.menu');
  menu.addEventListener('click', () => {
    const open = document.body.classList.toggle('menu-open');
    menu.setAttribute('aria-expanded', String(open));
  });

  one('.theme').addEventListener('click', () => {
    const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
    const now = document.documentElement.dataset.theme ?? (isDark ? 'dark' : 'light');
    const next = now === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem('theme', next);
    } catch {
      // A page from a disk may have no storage: the choice then lasts for this page.
    }
  });

  for (const pre of document.querySelectorAll('pre')) {
    const box = document.createElement('div');
    box.className = 'code';
    pre.replaceWith(box);
    const copy = document.createElement('button');
    copy.type = 'button';
    copy.className = 'copy';
    copy.textContent = 'Copy';
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(pre.innerText);
      copy.textContent = 'Copied';
      setTimeout(() => {
        copy.textContent = 'Copy';
      }, 1500);
    });
    box.append(pre, copy);
  }

  const input = one('.search input');
  const list = one('.found');
  let search;
  let selected = 0;

  // Loaded as scripts: a page from a disk may not fetch.
  const load = (name) =>
    new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = `${root}assets/${name}`;
      script.onload = resolve;
      script.onerror = reject;
      document.head.append(script);
    });

  let loading;
  const ready = () => {
    loading ??= (async () => {
      await load('minisearch.js');
      await load('search-index.js');
      search = new MiniSearch({
        fields: ['title', 'page', 'text', 'sought'],
        storeFields: ['url', 'title', 'page', 'text'],
        searchOptions: {
          prefix: true,
          fuzzy: 0.15,
          boost: { title: 4, page: 2, sought: 20 },
          combineWith: 'AND',
        },
      });
      search.addAll(window.SEARCH_ENTRIES);
    })();
    return loading;
  };

  const show = (results) => {
    selected = 0;
    list.replaceChildren(
      ...results.map(({ url, title, page, text }, at) => {
        const item = document.createElement('li');
        item.setAttribute('aria-selected', String(at === 0));
        const link = document.createElement('a');
        link.href = root + url;
        const under = document.createElement('small');
        under.textContent = title === page ? text.slice(0, 120) : `${page} · ${text.slice(0, 100)}`;
        link.append(title, under);
        item.append(link);
        return item;
      }),
    );
    list.hidden = results.length === 0;
  };

  input.addEventListener('focus', ready);
  input.addEventListener('input', async () => {
    await ready();
    const words = input.value.trim();
    show(words === '' ? [] : search.search(words).slice(0, 12));
  });
  input.addEventListener('keydown', (event) => {
    const items = [...list.children];
    if (event.key === 'Escape') {
      input.value = '';
      show([]);
      input.blur();
    }
    if (event.key === 'Enter') items[selected]?.firstChild.click();
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    selected = (selected + (event.key === 'ArrowDown' ? 1 : items.length - 1)) % Math.max(items.length, 1);
    for (const [at, item] of items.entries()) item.setAttribute('aria-selected', String(at === selected));
    items[selected]?.scrollIntoView({ block: 'nearest' });
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || /^(?:INPUT|TEXTAREA)$/.test(document.activeElement?.tagName)) return;
    event.preventDefault();
    input.focus();
  });
  document.addEventListener('click', (event) => {
    if (!event.target.closest('.search')) list.hidden = true;
  });
})();
