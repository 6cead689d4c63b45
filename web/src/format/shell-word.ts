/** A word of a POSIX shell, quoted where necessary. */
export function shellWord(text: string): string {
  return /^[\w.+@%:/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
