/**
 * A name as the most forgiving file system reads it: without regard to case, Unicode form, invisible
 * characters, and trailing dots and spaces. Deny rules compare names in this form, because file systems
 * differ in what they fold.
 */
export function foldedName(name: string): string {
  return (
    name
      .normalize('NFKC')
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
      // Upper case and back: file systems that fold case treat `ſ` as `s`.
      .toUpperCase()
      .toLowerCase()
      .replace(/[. ]+$/, '')
  );
}
