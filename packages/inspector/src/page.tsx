/** The inspector's page. */
import { render } from 'preact';
import { App } from './app.tsx';
import { embeddedSource } from './data/embedded.ts';
import { remoteSource } from './data/remote.ts';

const TOKEN = 'turnwright-inspector-token';

function start(root: HTMLElement): void {
  const embedded = document.getElementById('data')?.textContent;
  if (embedded) {
    const { source, session } = embeddedSource(embedded);
    render(<App source={source} session={session} />, root);
    return;
  }
  const given = new URLSearchParams(location.hash.replace(/^#/, ''));
  const token = given.get('token') ?? sessionStorage.getItem(TOKEN) ?? '';
  if (given.has('token')) {
    // Out of the address bar: an address is copied, and shown to others.
    sessionStorage.setItem(TOKEN, token);
    given.delete('token');
    history.replaceState(null, '', `#${given}`);
  }
  if (token === '')
    root.textContent = 'Open the address that turnwright inspect printed: without it, nothing is shown.';
  else render(<App source={remoteSource(token)} session={given.get('session') ?? ''} />, root);
}

const root = document.getElementById('app');
if (root !== null) start(root);
