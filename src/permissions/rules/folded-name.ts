/**
 * A name as the most forgiving file system reads it: without regard to case, Unicode form, invisible characters, and
 * trailing dots and spaces. What forbids is compared so; file systems differ in what they fold.
 */
export function foldedName(name: string): string {
  return (
    name
      .normalize('NFKC')
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
      // There and back again: `ſ` is an `s` to file systems that fold case.
      .toUpperCase()
      .toLowerCase()
      .replace(/[. ]+$/, '')
  );
}
