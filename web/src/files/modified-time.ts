const moments = new Intl.DateTimeFormat('en-GB', {
  day: '2-digit',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

/** Short, and of one width: for a column. '' when there is none. */
export function formatModified(atMs: number): string {
  return Number.isFinite(atMs) ? moments.format(atMs) : ''
}
