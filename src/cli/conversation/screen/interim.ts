/** Plain stand-ins until the parts of the terminal and of the dialogs have landed. */
import { visible } from '../../../terminal/text/visible.ts';
import type { Asker, AskHost } from '../asking.ts';

export function createSimpleAsker(host: AskHost): Asker {
  return {
    async canUseTool(name, input, { signal }) {
      const answer = await host.open<boolean>(() => {
        let settle: (yes: boolean | undefined) => void = () => {};
        const closed = new Promise<boolean | undefined>((resolve) => {
          settle = resolve;
        });
        signal.addEventListener('abort', () => settle(undefined));
        return {
          closed,
          keepsEditor: true,
          frame: () => ({
            rows: [`? ${name} ${visible(JSON.stringify(input)).slice(0, 60)}`, '  allow? y / n'],
          }),
          onEvent(event) {
            if (event.kind !== 'key' || !['y', 'n', 'escape'].includes(event.name)) return false;
            settle(event.name === 'y');
            return true;
          },
        };
      });
      return answer === true
        ? { behavior: 'allow' }
        : { behavior: 'deny', message: 'The user does not allow this call.' };
    },
  };
}
