/** Pointers on the timeline: drag marks a time, the overview moves, wheel and two fingers zoom. */
import { useEffect, useRef } from 'preact/hooks';
import { GUTTER, OVERVIEW, type Scene } from './draw.ts';

interface Gestures {
  scene(): Scene;
  zoom(next: readonly [number, number]): void;
  mark(marked: readonly [number, number] | undefined): void;
  press(x: number, y: number): void;
  /** x −1: it has left. */
  hover(x: number, y: number): void;
}

/** Less is a press. */
const DRAG_PX = 4;

interface Pointer {
  readonly startX: number;
  readonly startY: number;
  x: number;
}

export function useGestures(
  canvas: { readonly current: HTMLCanvasElement | null },
  gestures: Gestures,
): void {
  const now = useRef(gestures);
  now.current = gestures;
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const pointers = new Map<number, Pointer>();
    const at = (event: MouseEvent) => {
      const box = element.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top] as const;
    };
    const shown = (x: number) => {
      const { from, to, width } = now.current.scene();
      return from + ((x - GUTTER) / (width - GUTTER)) * (to - from);
    };
    const zoomAround = (x: number, factor: number) => {
      const { from, to } = now.current.scene();
      const middle = Math.min(to, Math.max(from, shown(x)));
      now.current.zoom([middle - (middle - from) * factor, middle + (to - middle) * factor]);
    };
    const move = (by: number) => {
      const { from, to } = now.current.scene();
      now.current.zoom([from + by, to + by]);
    };
    const brush = (x: number) => {
      const { from, to, width, axis } = now.current.scene();
      const middle = ((x - GUTTER) / (width - GUTTER)) * axis.length;
      now.current.zoom([middle - (to - from) / 2, middle + (to - from) / 2]);
    };
    const wheel = (event: WheelEvent) => {
      const { from, to, width } = now.current.scene();
      // A page is scrolled over it; with Ctrl, or pinched, it zooms. Sideways it moves.
      const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
      if (!isSideways && !event.ctrlKey && document.activeElement !== element) return;
      event.preventDefault();
      if (isSideways) move(((event.deltaX || event.deltaY) / (width - GUTTER)) * (to - from));
      else zoomAround(at(event)[0], Math.exp(event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)));
    };
    const down = (event: PointerEvent) => {
      const [x, y] = at(event);
      pointers.set(event.pointerId, { startX: x, startY: y, x });
      element.setPointerCapture(event.pointerId);
      if (y < OVERVIEW) brush(x);
    };
    const drag = (event: PointerEvent) => {
      const [x, y] = at(event);
      const pointer = pointers.get(event.pointerId);
      if (pointer === undefined) return now.current.hover(x, y);
      const [a, b] = [...pointers.values()];
      if (a !== undefined && b !== undefined) {
        const before = Math.abs(a.x - b.x);
        pointer.x = x;
        const after = Math.abs(a.x - b.x);
        if (before > 0 && after > 0) zoomAround((a.x + b.x) / 2, before / after);
        return;
      }
      pointer.x = x;
      if (pointer.startY < OVERVIEW) brush(x);
      else if (Math.abs(x - pointer.startX) > DRAG_PX)
        now.current.mark([shown(Math.min(x, pointer.startX)), shown(Math.max(x, pointer.startX))]);
    };
    const up = (event: PointerEvent) => {
      const pointer = pointers.get(event.pointerId);
      pointers.delete(event.pointerId);
      if (pointer === undefined || pointer.startY < OVERVIEW) return;
      if (Math.abs(pointer.x - pointer.startX) > DRAG_PX) return;
      now.current.mark(undefined);
      now.current.press(...at(event));
    };
    const leave = () => now.current.hover(-1, -1);
    element.addEventListener('wheel', wheel, { passive: false });
    element.addEventListener('pointerdown', down);
    element.addEventListener('pointermove', drag);
    element.addEventListener('pointerup', up);
    element.addEventListener('pointercancel', up);
    element.addEventListener('pointerleave', leave);
    return () => {
      element.removeEventListener('wheel', wheel);
      element.removeEventListener('pointerdown', down);
      element.removeEventListener('pointermove', drag);
      element.removeEventListener('pointerup', up);
      element.removeEventListener('pointercancel', up);
      element.removeEventListener('pointerleave', leave);
    };
  }, []);
}
