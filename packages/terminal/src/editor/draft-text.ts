/** A text under the editing actions: moving, deleting, inserting what was deleted, undo. */
import type { ActionName } from '../input/actions.ts';
import { type Buffer, EMPTY, moveTo, type Piece, pieceBetween, splice } from './buffer.ts';
import { KillRing } from './kill-ring.ts';
import { DELETIONS, MOVES } from './moves-and-deletions.ts';
import { type StepKind, UndoList } from './undo-list.ts';

export class DraftText {
  readonly #onChange: (buffer: Buffer) => void;
  readonly #undo = new UndoList();
  readonly #killed = new KillRing();
  #buffer = EMPTY;
  /** What the last key did, for actions that go on. */
  #last: ActionName | undefined;

  /** `onChange`: after each change of the text or of the place in it. */
  constructor(onChange: (buffer: Buffer) => void) {
    this.#onChange = onChange;
  }

  get buffer(): Buffer {
    return this.#buffer;
  }

  /** As a step that undo takes back. */
  change(next: Buffer, kind?: StepKind): void {
    if (next === this.#buffer) return;
    this.#undo.note(this.#buffer, kind);
    this.#show(next);
  }

  /** Moves, or shows another version of the text, which has its own way back. */
  move(next: Buffer): void {
    this.#undo.pause();
    this.#show(next);
  }

  insert(piece: Piece, kind?: StepKind): void {
    this.replaceRange(this.#buffer.cursor, piece, kind);
  }

  /** From a place up to the cursor. */
  replaceRange(from: number, piece: Piece, kind?: StepKind): void {
    this.change(splice(this.#buffer, from, this.#buffer.cursor, piece), kind);
  }

  type(piece: Piece): void {
    this.insert(piece, 'typing');
    if (/\s/.test(piece.text)) this.#undo.pause();
  }

  /** After each event: what it did. */
  ended(action: ActionName | undefined): void {
    this.#last = action;
  }

  /** False: it is no editing action, or has nothing to do. */
  act(action: ActionName): boolean {
    const move = MOVES[action];
    const deletion = DELETIONS[action];
    if (move !== undefined) this.move(moveTo(this.#buffer, move(this.#buffer)));
    else if (deletion !== undefined) this.#delete(action, deletion.to(this.#buffer), deletion.isKept);
    else if (action === 'newline') this.insert({ text: '\n', chips: [] });
    else if (action === 'yank') this.insert(this.#killed.newest() ?? EMPTY);
    else if (action === 'yankOlder') return this.#yankOlder();
    else if (action === 'undo') this.move(this.#undo.undo(this.#buffer) ?? this.#buffer);
    else if (action === 'redo') this.move(this.#undo.redo(this.#buffer) ?? this.#buffer);
    else return false;
    return true;
  }

  /** `\` before Enter is the newline that every terminal can type. */
  breakEscapedLine(): boolean {
    const { text, cursor } = this.#buffer;
    if (text[cursor - 1] !== '\\') return false;
    this.replaceRange(cursor - 1, { text: '\n', chips: [] });
    return true;
  }

  #show(next: Buffer): void {
    this.#buffer = next;
    this.#onChange(next);
  }

  #delete(action: ActionName, to: number, isKept: boolean): void {
    const { cursor } = this.#buffer;
    const [from, end] = to < cursor ? [to, cursor] : [cursor, to];
    if (from === end) return;
    if (isKept) {
      const goesOn = this.#last !== undefined && DELETIONS[this.#last]?.isKept === true;
      this.#killed.add(pieceBetween(this.#buffer, from, end), to < cursor ? 'back' : 'forward', goesOn);
    }
    this.change(splice(this.#buffer, from, end, EMPTY), action === 'deleteBack' ? 'deleting' : undefined);
  }

  #yankOlder(): boolean {
    const goesOn = this.#last === 'yank' || this.#last === 'yankOlder';
    const piece = goesOn ? this.#killed.older() : undefined;
    if (piece === undefined) return false;
    this.#buffer = this.#undo.undo(this.#buffer) ?? this.#buffer;
    this.insert(piece);
    return true;
  }
}
