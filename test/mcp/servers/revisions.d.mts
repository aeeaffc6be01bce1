export const NEW: string;
export const OLD: string;
export function answer(
  how: string,
  message: { readonly method: string; readonly params?: unknown; readonly id?: unknown },
  state: object,
):
  | { readonly result?: unknown; readonly error?: { readonly code: number; readonly message: string } }
  | undefined;
