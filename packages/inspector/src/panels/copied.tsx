/** A command that is copied with one press. */
import { useState } from 'preact/hooks';

export function Copied({ label, text }: { readonly label: string; readonly text: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = () => {
    const done = () => {
      setIsCopied(true);
      setTimeout(() => setIsCopied(false), 1500);
    };
    // A page from a file may have no clipboard: the text is there to be marked.
    navigator.clipboard?.writeText(text).then(done, () => undefined);
  };
  return (
    <div class="copied">
      <span class="quiet">{label}</span>
      <button type="button" onClick={copy} title="Copy">
        <code>{text}</code>
        <span aria-live="polite">{isCopied ? '✓ copied' : 'copy'}</span>
      </button>
    </div>
  );
}
