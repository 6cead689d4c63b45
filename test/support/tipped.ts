/** The selector of what has a tooltip with this text: the names, sizes and dates of rows. */
export function tipped(text: string): string {
  return `[data-tip=${JSON.stringify(text)}]`
}
